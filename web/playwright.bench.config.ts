import { defineConfig } from '@playwright/test'
import config from './playwright.config'

/** Playwright configuration of the benchmarks, which measure but check no limits: `npm run bench:scanner` with a Patio that is already running. */
export default defineConfig({ ...config, testMatch: '*.bench.ts' })
