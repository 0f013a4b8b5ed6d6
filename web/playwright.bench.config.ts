import { defineConfig } from '@playwright/test'
import config from './playwright.config'

/** What is measured and not judged with the tests: `npm run bench:scanner` against a running Patio. */
export default defineConfig({ ...config, testMatch: '*.bench.ts' })
