import { useCallback, useEffect, useState, type RefObject } from 'react'
import type { OcrCandidateVehicle } from '@/lib/scanner'
import { Button } from '@/ui/Button'
import { MonospaceVin } from '@/ui/MonospaceVin'
import { ErrorNotice, Spinner } from '@/ui/Page'
import { grabFrame } from '../frames'
import { matchLinesToVehicles, type LabelTextMatch } from './candidates'
import type { RecognizedLine } from './protocol'
import { recognizeLines } from './recognizeLines'
import { getOcrReader } from './ocrReader'
import { useOcrText } from './text'
import styles from './LabelReader.module.css'

export interface LabelReaderProps {
  video: RefObject<HTMLVideoElement | null>
  vehicles: readonly OcrCandidateVehicle[]
  onRead: (text: string) => void
  onClose: () => void
}

type State =
  | { kind: 'loading' | 'reading' | 'offline' | 'failed' }
  | { kind: 'done'; match: LabelTextMatch<OcrCandidateVehicle>; text: string }

/** Maximum number of camera pictures that are read to identify a vehicle. */
const MAX_PICTURES = 3
const MAX_SHOWN = 40

/**
 * Reads up to `MAX_PICTURES` camera pictures until a vehicle is identified. Otherwise returns the last match that offers vehicles to pick
 * from, if any.
 */
async function readVehicle(video: HTMLVideoElement, vehicles: readonly OcrCandidateVehicle[], isWanted: () => boolean): Promise<State> {
  const reader = getOcrReader()
  let best: { match: LabelTextMatch<OcrCandidateVehicle>; text: string } = { match: { kind: 'none' }, text: '' }
  for (let picture = 0; picture < MAX_PICTURES && isWanted(); picture++) {
    const order = await reader.find(await grabFrame(video))
    const { match, text } = await readPicture(order, reader.read, vehicles, isWanted)
    if (match.kind !== 'none' || best.match.kind === 'none') best = { match, text: text || best.text }
    if (match.kind === 'identified') break
  }
  return { kind: 'done', ...best }
}

async function readPicture(order: readonly number[], read: (place: number) => Promise<RecognizedLine>, vehicles: readonly OcrCandidateVehicle[], isWanted: () => boolean) {
  const matches: LabelTextMatch<OcrCandidateVehicle>[] = []
  const texts = await recognizeLines(order, read, async (lines) => {
    const match = await matchLinesToVehicles(lines, vehicles)
    matches.push(match)
    return match.kind === 'identified' || !isWanted()
  })
  return { match: matches.at(-1) ?? { kind: 'none' as const }, text: texts.flatMap((line) => line?.text || []).join(' ').slice(0, MAX_SHOWN) }
}

/** Reads the characters of a label without a code, and asks the person to confirm the vehicle or to pick one. */
export function LabelReader(props: LabelReaderProps) {
  const [attempt, setAttempt] = useState(0)
  return <Attempt key={attempt} {...props} onRetry={() => setAttempt(attempt + 1)} />
}

function Attempt({ video, vehicles, onRead, onClose, onRetry }: LabelReaderProps & { onRetry: () => void }) {
  const t = useOcrText()
  const [state, setState] = useState<State>({ kind: 'loading' })
  // The vehicle list may be fetched again while the text is read. The attempt uses the list with which it started.
  const [list] = useState(vehicles)
  const start = useCallback(async (isWanted: () => boolean) => {
    const show = (next: State) => isWanted() && setState(next)
    try {
      const reader = getOcrReader()
      const isReady = await reader.ready.then(() => true, () => false)
      if (!isReady) return show({ kind: navigator.onLine ? 'failed' : 'offline' })
      show({ kind: 'reading' })
      if (video.current !== null) show(await readVehicle(video.current, list, isWanted))
    } catch {
      show({ kind: 'failed' })
    }
  }, [video, list])
  useEffect(() => {
    let wanted = true
    void start(() => wanted)
    return () => {
      wanted = false
    }
  }, [start])
  const choose = ({ vin_number }: OcrCandidateVehicle) => {
    onClose()
    onRead(vin_number)
  }
  return (
    <section className={styles.panel} aria-label={t('read.title')}>
      <Result state={state} onChoose={choose} onRetry={onRetry} />
      <div className={styles.ways}>
        {state.kind === 'done' && <Button icon="scan" onClick={onRetry}>{t('read.again')}</Button>}
        <Button icon="close" onClick={onClose}>{t('scan.close')}</Button>
      </div>
    </section>
  )
}

interface ResultProps {
  state: State
  onChoose: (vehicle: OcrCandidateVehicle) => void
  onRetry: () => void
}

function Result({ state, onChoose, onRetry }: ResultProps) {
  const t = useOcrText()
  if (state.kind === 'failed' || state.kind === 'offline') return <ErrorNotice text={t(`read.${state.kind}`)} onRetry={onRetry} />
  if (state.kind !== 'done') return <p className={styles.waiting} role="status"><Spinner /> {t(`read.${state.kind}`)}</p>
  const { match, text } = state
  if (match.kind === 'none') {
    return (
      <div role="status">
        <p><strong>{text === '' ? t('read.none') : t('read.unknown', { text })}</strong></p>
        <p>{t('read.advice')}</p>
      </div>
    )
  }
  if (match.kind === 'identified') {
    return (
      <>
        <p role="status"><strong>{t('read.confirm')}</strong></p>
        <p className={styles.found}><MonospaceVin vin={match.vehicle.vin_number} /> <span>{t('read.at', { space: match.vehicle.parking_space })}</span></p>
        <Button kind="primary" big wide icon="check" onClick={() => onChoose(match.vehicle)}>{t('read.use')}</Button>
      </>
    )
  }
  return (
    <>
      <p role="status"><strong>{t('read.pick')}</strong></p>
      <ul className={styles.picks}>
        {match.vehicles.map((vehicle) => (
          <li key={vehicle.id}>
            <button type="button" className={styles.pick} onClick={() => onChoose(vehicle)}>
              <MonospaceVin vin={vehicle.vin_number} /> <span>{t('read.at', { space: vehicle.parking_space })}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}
