import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { VitePWA } from 'vite-plugin-pwa'
import { defineConfig } from 'vitest/config'
import { OCR_FOLDER, copyOcrFiles } from './tools/ocrFiles.ts'
import { writePreloadLists } from './tools/preloadLists.ts'

/**
 * Name patterns of the files in `src/ui`, `src/lib` and `src/api` that are loaded later, because neither the sign-in nor the layout needs
 * these files.
 */
const LATER = ['text/(en|pt-BR)', 'serverMessageTranslation', 'serverMessages', 'auditSummaries', 'ServerWarnings', 'ConfirmSaveWithoutStatusDialog', 'ProgressBar', 'StepIndicator', 'ParkingSpaceSign', 'Switch', 'Pager', 'PrintedRange', 'printing', 'LinkTabs', 'SearchBox', 'VehicleMismatchQuestion', 'SessionList', 'MonospaceVin', 'DropZone', 'InlineEdit', 'CampaignTable', 'openSessions', 'files', 'match', 'nextVehicles', 'hardwareScan', 'vin\\b', 'lastOpenedVehicle', 'yards', 'inspectionDrafts', 'vehicleFields', 'tabsLock', 'backoff', 'throttle', 'vehicleCache', 'requests', 'conflicts', 'liveEvents', 'serverSentEvents', 'versionConflict', 'ActionMenu', 'Timeline', 'LazyTimeline', 'historyPageQuery', 'Chips', 'PageDrop', 'droppedFile', 'jobs', 'BottomBar', 'scanFeedback', 'pagination', 'workbookFile', 'csv', 'recentNotes', 'yieldToEventLoop', 'keyboardShortcuts', 'listenForShortcuts', 'keyboardHelp', 'Status\\b', 'queryKeys']

// Chunk groups. A few files contain everything that the sign-in and the layout need. Each page and each further language has its own file.
// The code for offline use is loaded after the sign-in, except the parts that the layout shows. The code that the inspectors' pages share
// is one file, because the app loads these pages soon after the sign-in and each file costs a request.
const SHARED = [
  { name: 'packages', test: /node_modules\/(?!(idb|@noble)\/)/, priority: 4 },
  { name: 'kit', test: new RegExp(`src/((ui|lib|api)/(?!${LATER.join('|')})|app/(lazyPage|queryClient|routes|signOut)\\.|offline/(offlineCampaigns|pendingSaveCount))`), priority: 3 },
  { name: 'field', test: /src\/(offline\/|api\/(vehicleCache|requests|conflicts|liveEvents|serverSentEvents|versionConflict)|lib\/(backoff|throttle|tabsLock|yieldToEventLoop))|node_modules\/idb\//, priority: 2 },
  { name: 'pages', test: /src\/(ui|lib|api|features\/(campaigns|yards))\//, minShareCount: 2, priority: 1 },
  { name: 'inspection', test: /src\/features\/vehicles\//, minShareCount: 2, priority: 0 },
]

const OUTBOX = 'src/app/outboxAndLiveFeed.ts'

/**
 * Vite plugin that makes the browser preload the code of the listed pages, which people open first or reload often. The code of other
 * pages is loaded once the app runs.
 */
const preload = writePreloadLists({
  '/': ['src/features/auth/SignInPage.tsx'],
  '/campaign-home': ['src/features/campaigns/HomePage.tsx'],
  '/yard': ['src/features/yards/YardPickerPage.tsx'],
  '/campaign/:id': ['src/features/campaigns/CampaignPage.tsx'],
  '/campaign/:id/vehicles': ['src/features/vehicles/VehicleListPage.tsx', OUTBOX],
  '/vehicle/:id': ['src/features/vehicles/VehiclePage.tsx', OUTBOX],
})

/**
 * Vite plugin of the service worker, which stores the pages and the scanner on the device, so that the app opens and scans offline. The
 * OCR engine is stored after its first use. Responses of the API are never stored.
 */
const pwa = VitePWA({
  registerType: 'prompt',
  injectRegister: null,
  includeAssets: ['favicon.svg'],
  manifest: {
    name: 'Patio',
    short_name: 'Patio',
    description: 'Inspeção de veículos para equipes de campo em pátios.',
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
    globIgnores: [`${OCR_FOLDER}/**`],
    // The files of the OCR engine are stored on first use, and when a campaign is downloaded for offline use.
    runtimeCaching: [{ urlPattern: /\/assets\/character-reader-/, handler: 'CacheFirst', options: { cacheName: 'character-reader' } }],
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
  plugins: [react(), preload, pwa, copyOcrFiles()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  build: {
    manifest: true,
    assetsInlineLimit: 0,
    rolldownOptions: { output: { codeSplitting: { groups: SHARED } } },
  },
  worker: { format: 'es' },
  server: { proxy: { '/api': process.env.PATIO_TEST_URL ?? 'http://127.0.0.1:8080' } },
  test: {
    environment: 'happy-dom',
    // Test files share one DOM, because creating a DOM per file takes as long as the tests themselves. `src/testing/setup.ts` resets the
    // state between files.
    isolate: false,
    pool: 'threads',
    include: ['src/**/*.test.{ts,tsx}'],
    setupFiles: ['src/testing/setup.ts'],
    restoreMocks: true,
    testTimeout: 20_000,
  },
})
