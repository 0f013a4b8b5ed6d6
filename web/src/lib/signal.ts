/** What a scan turned out to be, as a person hears and feels it without looking. */
export type Signal = 'right' | 'done' | 'elsewhere' | 'unknown'

interface Tone {
  hertz: number
  from: number
  ms: number
}
const TONES: Record<Signal, Tone[]> = {
  right: [{ hertz: 1760, from: 0, ms: 120 }],
  done: [{ hertz: 1175, from: 0, ms: 90 }, { hertz: 1175, from: 130, ms: 90 }],
  elsewhere: [{ hertz: 880, from: 0, ms: 110 }, { hertz: 587, from: 130, ms: 180 }],
  unknown: [{ hertz: 233, from: 0, ms: 380 }],
}
const VIBRATIONS: Record<Signal, number[]> = { right: [60], done: [60, 70, 60], elsewhere: [60, 60, 160], unknown: [320] }
const LOUDNESS = 0.25
const EDGE_S = 0.012

let context: AudioContext | null = null

/** Opens the sound; browsers allow that only in a tap. */
export function openSound(): void {
  try {
    context ??= new AudioContext()
    if (context.state === 'suspended') context.resume().catch(() => undefined)
  } catch {
    context = null // a device without sound still scans
  }
}

/** Sounds and vibrates. */
export function signal(kind: Signal): void {
  globalThis.navigator.vibrate?.(VIBRATIONS[kind])
  if (context === null || context.state !== 'running') return
  for (const tone of TONES[kind]) sound(context, tone)
}

function sound(audio: AudioContext, { hertz, from, ms }: Tone): void {
  const start = audio.currentTime + from / 1000
  const end = start + ms / 1000
  const oscillator = audio.createOscillator()
  const volume = audio.createGain()
  oscillator.type = 'square'
  oscillator.frequency.value = hertz
  volume.gain.setValueAtTime(0, start)
  volume.gain.linearRampToValueAtTime(LOUDNESS, start + EDGE_S)
  volume.gain.setValueAtTime(LOUDNESS, end - EDGE_S)
  volume.gain.linearRampToValueAtTime(0, end)
  oscillator.connect(volume).connect(audio.destination)
  oscillator.start(start)
  oscillator.stop(end)
}
