import { beforeEach, vi } from 'vitest'

/** Collects the names of the files that the browser saves in each test. */
export function recordSavedFiles(): string[] {
  const saved: string[] = []
  beforeEach(() => {
    saved.length = 0
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function record(this: HTMLAnchorElement) {
      saved.push(this.download)
    })
  })
  return saved
}
