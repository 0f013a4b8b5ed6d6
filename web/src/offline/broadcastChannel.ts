/** Opens a channel to the other tabs of this browser. Returns null if the browser has no `BroadcastChannel`. */
export function openBroadcastChannel(name: string, onMessage: (data: unknown) => void): BroadcastChannel | null {
  if (!('BroadcastChannel' in globalThis)) return null
  const channel = new BroadcastChannel(name)
  channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => onMessage(data))
  // In Node, where tests run, an open channel keeps the process alive. Browsers have no `unref`.
  if ('unref' in channel && typeof channel.unref === 'function') channel.unref()
  return channel
}
