import { defineConfig } from '@playwright/test'
import config from './playwright.config'

/**
 * Playwright configuration of the benchmarks, which report durations but set no limits for them. `npm run bench:scanner` uses this file and
 * needs a running Patio.
 */
export default defineConfig({ ...config, testMatch: '*.bench.ts' })
