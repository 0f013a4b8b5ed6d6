const WRITES = 'input, textarea, select, [contenteditable], dialog'

/** Acts on the key '/', unless it is being typed somewhere; the first that asks on a screen gets it. */
export function onSlash(act: () => void): () => void {
  const press = (event: KeyboardEvent) => {
    const typed = event.target instanceof Element && event.target.closest(WRITES) !== null
    if (event.key !== '/' || typed || event.defaultPrevented) return
    event.preventDefault()
    act()
  }
  window.addEventListener('keydown', press)
  return () => window.removeEventListener('keydown', press)
}
