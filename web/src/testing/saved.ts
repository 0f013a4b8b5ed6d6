import { beforeEach, vi } from 'vitest'

/** The names of the files that a test makes the browser save. */
export function savedFiles(): string[] {
  const saved: string[] = []
  beforeEach(() => {
    saved.length = 0
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function keep(this: HTMLAnchorElement) {
      saved.push(this.download)
    })
  })
  return saved
}
