import { defineConfig } from '@playwright/test'
import config from './playwright.config'

/** Measurements without a verdict: `npm run bench:scanner` against a running Patio. */
export default defineConfig({ ...config, testMatch: '*.bench.ts' })
