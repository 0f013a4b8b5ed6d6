import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

// Few files for what every screen needs; each screen and each further language is a file of its own.
const SHARED = [
  { name: 'packages', test: /node_modules/, priority: 2 },
  { name: 'kit', test: /src\/(ui|lib|api)\/(?!text\/(en|pt-BR))/, priority: 1 },
]

export default defineConfig({
  plugins: [react()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  build: {
    manifest: true,
    assetsInlineLimit: 0,
    rolldownOptions: { output: { codeSplitting: { groups: SHARED } } },
  },
  server: { proxy: { '/api': process.env.PATIO_URL ?? 'http://127.0.0.1:8080' } },
  test: {
    environment: 'happy-dom',
    include: ['src/**/*.test.{ts,tsx}'],
    setupFiles: ['src/testing/setup.ts'],
    restoreMocks: true,
  },
})
