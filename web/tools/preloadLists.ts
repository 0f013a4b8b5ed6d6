import type { Plugin } from 'vite'

/** Source files that a page needs at once, by the route of the page. A route segment that starts with a colon stands for any text. */
export type PreloadModulesByRoute = Record<string, string[]>

/**
 * Vite plugin that writes the built files of each listed page to `.vite/preload.json`, as a list of `[route, paths]`. The gateway names
 * these files in the `Link` header of the entry page, so that the browser downloads the page's code together with the code that starts the
 * app.
 */
export const writePreloadLists = (modules: PreloadModulesByRoute): Plugin => ({
  name: 'patio-preload-lists',
  generateBundle(_, bundle) {
    const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
    const entry = chunks.find(({ isEntry }) => isEntry)
    const files = (name: string, seen = new Set<string>()): Set<string> => {
      const chunk = bundle[name]
      if (chunk?.type !== 'chunk' || seen.has(name)) return seen
      seen.add(name)
      for (const css of chunk.viteMetadata?.importedCss ?? []) seen.add(css)
      for (const imported of chunk.imports) files(imported, seen)
      return seen
    }
    const first = entry === undefined ? new Set<string>() : files(entry.fileName)
    const lists = Object.entries(modules).map(([route, paths]) => {
      const names = paths.map((path) => {
        const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/${path}`))
        if (chunk === undefined) this.error(`${path} is not a file of its own in the build`)
        return chunk.fileName
      })
      return [route, [...new Set(names.flatMap((name) => [...files(name)]))].filter((name) => !first.has(name)).map((name) => `/${name}`)]
    })
    this.emitFile({ type: 'asset', fileName: '.vite/preload.json', source: JSON.stringify(lists) })
  },
})
