/** Opens a channel to the other tabs of this browser and hears what they post; null where the browser has none. */
export function channelOf(name: string, onMessage: (data: unknown) => void): BroadcastChannel | null {
  if (!('BroadcastChannel' in globalThis)) return null
  const channel = new BroadcastChannel(name)
  channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => onMessage(data))
  // a channel of Node keeps its process alive, that of a browser has no such method
  if ('unref' in channel && typeof channel.unref === 'function') channel.unref()
  return channel
}
