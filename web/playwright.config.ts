import { defineConfig } from '@playwright/test'

/** File name pattern of the tests that measure durations. These tests run alone, because other tests would slow them down. */
const TIMED = 'large-*.spec.ts'

/** Playwright configuration of the browser tests, which need a running Patio. The script `deploy/test` starts Patio before the tests. */
export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  timeout: 180_000,
  expect: { timeout: 15_000 },
  workers: 2, // a third one delays the camera tests on two cores until labels are read late
  forbidOnly: true,
  reporter: [['list']],
  projects: [
    { name: 'screens', testIgnore: TIMED },
    { name: 'timed', testMatch: TIMED, workers: 1, dependencies: ['screens'] },
  ],
  use: {
    baseURL: process.env.PATIO_TEST_URL ?? 'http://127.0.0.1:8080',
    viewport: { width: 390, height: 844 },
    locale: 'pt-BR',
    ignoreHTTPSErrors: true,
    contextOptions: { reducedMotion: 'reduce' }, // transitions take half of the browser's time; tests of motion enable them
    serviceWorkers: 'block', // only the tests of the service worker allow it
    actionTimeout: 20_000,
    screenshot: 'only-on-failure',
    launchOptions: {
      // The headless shell opens no window, which saves a third of the time. Tests of the camera and of storage need the full Chromium.
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell',
      args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-background-networking', '--disable-gpu'],
    },
  },
})
