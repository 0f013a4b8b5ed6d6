import { defineConfig } from '@playwright/test'

/** What is measured by a clock, with nothing else at work. */
const TIMED = 'large-*.spec.ts'

/** The tests run against a Patio that is already there; deploy/test starts one. */
export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  timeout: 180_000,
  expect: { timeout: 15_000 },
  workers: 2,
  forbidOnly: true,
  reporter: [['list']],
  projects: [
    { name: 'screens', testIgnore: TIMED },
    { name: 'timed', testMatch: TIMED, workers: 1, dependencies: ['screens'] },
  ],
  use: {
    baseURL: process.env.PATIO_URL ?? 'http://127.0.0.1:8080',
    viewport: { width: 390, height: 844 },
    locale: 'pt-BR',
    ignoreHTTPSErrors: true,
    contextOptions: { reducedMotion: 'reduce' }, // transitions take half of the browser's time; what is about motion asks for it
    serviceWorkers: 'block', // only the tests that are about it let one in
    actionTimeout: 20_000,
    screenshot: 'only-on-failure',
    launchOptions: {
      // The shell has no window to draw: a third less time. Tests of the camera and of a phone's disk start all of Chromium.
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell',
      args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-background-networking', '--disable-gpu'],
    },
  },
})
