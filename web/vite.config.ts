import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { VitePWA } from 'vite-plugin-pwa'
import { defineConfig } from 'vitest/config'

// Few files for what every screen needs; each screen and each further language is a file of its own.
// What keeps work on the phone comes after the sign-in.
const SHARED = [
  { name: 'packages', test: /node_modules\/(?!idb\/)/, priority: 2 },
  { name: 'kit', test: /src\/(ui|lib|api)\/(?!text\/(en|pt-BR)|sentences|Warnings|WithoutStatus|files|forget|match|walk|wedge|vin\b|resume|yards|drafts|fields|tabs|disk|outbox|taken|live|conflicts)/, priority: 1 },
  { name: 'field', test: /src\/api\/(forget|tabs|disk|outbox|taken|live|conflicts)|node_modules\/idb\//, priority: 0 },
]

/** What the phone keeps so that Patio opens and scans without a network; nothing of the API is ever kept. */
const pwa = VitePWA({
  registerType: 'prompt',
  injectRegister: null,
  includeAssets: ['favicon.svg'],
  manifest: {
    name: 'Patio',
    short_name: 'Patio',
    description: 'Vehicle inspection for field teams at vehicle yards.',
    lang: 'pt-BR',
    id: '/',
    start_url: '/campaign-home',
    scope: '/',
    display: 'standalone',
    orientation: 'any',
    theme_color: '#0f766e',
    background_color: '#f4f7f7',
    icons: [
      { src: '/icon-192.png', sizes: '192x192', type: 'image/png', purpose: 'any' },
      { src: '/icon-512.png', sizes: '512x512', type: 'image/png', purpose: 'any' },
      { src: '/icon-maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
    ],
  },
  workbox: {
    globPatterns: ['**/*.{html,js,css,svg,wasm}', 'icon-192.png'],
    maximumFileSizeToCacheInBytes: 3_000_000,
    navigateFallback: '/index.html',
    navigateFallbackDenylist: [/^\/api(\/|$)/, /^\/(healthz|readyz|metrics)$/, /^\/\.well-known\//],
    cleanupOutdatedCaches: true,
    clientsClaim: true,
    skipWaiting: false,
    inlineWorkboxRuntime: true,
    sourcemap: false,
  },
})

export default defineConfig({
  plugins: [react(), pwa],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  build: {
    manifest: true,
    assetsInlineLimit: 0,
    rolldownOptions: { output: { codeSplitting: { groups: SHARED } } },
  },
  worker: { format: 'es' },
  server: { proxy: { '/api': process.env.PATIO_URL ?? 'http://127.0.0.1:8080' } },
  test: {
    environment: 'happy-dom',
    include: ['src/**/*.test.{ts,tsx}'],
    setupFiles: ['src/testing/setup.ts'],
    restoreMocks: true,
  },
})
