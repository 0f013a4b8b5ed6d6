/** The result of a scan, which the device plays as a sound and a vibration. */
export type ScanFeedback = 'matched' | 'alreadyInspected' | 'otherVehicle' | 'unknown'

interface Tone {
  hertz: number
  from: number
  ms: number
}
const TONES: Record<ScanFeedback, Tone[]> = {
  matched: [{ hertz: 1760, from: 0, ms: 120 }],
  alreadyInspected: [{ hertz: 1175, from: 0, ms: 90 }, { hertz: 1175, from: 130, ms: 90 }],
  otherVehicle: [{ hertz: 880, from: 0, ms: 110 }, { hertz: 587, from: 130, ms: 180 }],
  unknown: [{ hertz: 233, from: 0, ms: 380 }],
}
/** Vibration patterns in milliseconds: one short, two short, two long, one very long. People who wear gloves can tell them apart. */
const VIBRATIONS: Record<ScanFeedback, number[]> = { matched: [60], alreadyInspected: [60, 70, 60], otherVehicle: [220, 90, 220], unknown: [500] }
const LOUDNESS = 0.25
const EDGE_S = 0.012

let context: AudioContext | null = null

/** Creates the audio context in advance, because creating it may briefly block the page. */
export function prepareFeedbackSound(): void {
  try {
    context ??= new AudioContext()
  } catch {
    context = null // scanning works without sound
  }
}

/** Enables sound. Must be called in the handler of a tap, because browsers let a page start sound only in response to user input. */
export function unlockFeedbackSound(): void {
  prepareFeedbackSound()
  if (context?.state === 'suspended') context.resume().catch(() => undefined)
}

/** Plays the sound and the vibration for the result of a scan. */
export function playScanFeedback(kind: ScanFeedback): void {
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
