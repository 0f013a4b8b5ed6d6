import { useCallback, useEffect, useId, useRef, useState } from 'react'
import { useParams } from 'wouter'
import { getErrorMessage } from '@/api/apiProblem'
import { getDataOwnerKey, useSession } from '@/api/session'
import type { ListedVehicle } from '@/api/types'
import { writeInspectionDraft } from '@/lib/inspectionDrafts'
import { replaceControlCharacters } from '@/lib/identifier'
import { findNextVehicle } from '@/lib/nextVehicles'
import { parseId, useQueryParams } from '@/lib/route'
import { unlockFeedbackSound, playScanFeedback, type ScanFeedback } from '@/lib/scanFeedback'
import { readStoredJson, writeStoredJson } from '@/lib/storage'
import { formatCount } from '@/lib/format'
import { useOutbox, type OutboxEntry } from '@/offline/outbox'
import { Button } from '@/ui/Button'
import { MonospaceVin } from '@/ui/MonospaceVin'
import { Alert, ErrorNotice, Page, Skeleton } from '@/ui/Page'
import { ParkingSpaceSign } from '@/ui/ParkingSpaceSign'
import { LazyScanView } from '@/ui/Scanner'
import { showToast } from '@/ui/Toast'
import { useCampaign } from './api'
import { LastSaveLine } from './LastSaveLine'
import { chooseScanFeedback } from './scanMatch'
import { useInspectionText } from './text'
import { UnresolvedScanMessage } from './UnresolvedScanMessage'
import type { CompletedSave } from './useAfterSaveNavigation'
import { useHardwareScanner } from './useHardwareScanner'
import { useVehicleLookup, type VehicleLookup } from './useVehicleLookup'
import { useIsDesktopLayout } from './useIsDesktopLayout'
import { VehicleSearchField } from './VehicleSearchField'
import { WalkInspectionSheet } from './WalkInspectionSheet'
import styles from './WalkAndScanPage.module.css'

/** Walk mode: the camera stays open, and each scanned vehicle is inspected and saved with two taps, or with one if the person prefers. */
export default function WalkAndScanPage() {
  const t = useInspectionText()
  const id = parseId(useParams<{ id: string }>().id) ?? 0
  const yard = parseId(useQueryParams().get('yard'))
  const campaign = useCampaign(id)
  const lookup = useVehicleLookup(id)
  const { left } = findNextVehicle(lookup.vehicles ?? [], yard, null)
  const isDesktop = useIsDesktopLayout()
  const row = yard === null ? undefined : lookup.vehicles?.find((vehicle) => vehicle.id_yard === yard)
  return (
    <Page title={t('walk.title')} narrow={isDesktop} subtitle={
      <p className={styles.line}>
        <span className={styles.where} title={campaign.data?.name}>{row && `${t('walk.yard', { yard: row.yard_group })} · `}{campaign.data?.name ?? '…'}</span>
        {lookup.vehicles && <strong>{t('walk.left', { n: formatCount(left) })}</strong>}
      </p>
    }>
      {campaign.data?.status === 'Closed' ? (
        <Alert kind="info">{t('walk.closed')}</Alert>
      ) : (
        <>
          {lookup.isError && <ErrorNotice text={getErrorMessage(lookup.error, t)} onRetry={lookup.retry} />}
          {!lookup.isError && lookup.vehicles === undefined && <Skeleton height={320} label={t('walk.loading')} onRetry={lookup.retry} />}
          {lookup.vehicles && <Walk campaign={id} yard={yard} vehicles={lookup.vehicles} lookup={lookup} />}
        </>
      )}
    </Page>
  )
}

/**
 * Time in milliseconds after a save during which the camera ignores the label of the saved vehicle. The label often is still in view, and a
 * shaky or slow phone reads it again.
 */
const RESCAN_DELAY_MS = 5000
/**
 * Value of `savedLabel` with which the camera accepts every label. Any other value contains the id of the vehicle saved last, and the time
 * of that save (`at`, from `performance.now()`).
 */
const NO_LABEL = { id: 0, at: 0 }

interface WalkProps {
  campaign: number
  yard: number | null
  vehicles: ListedVehicle[]
  lookup: VehicleLookup
}

function Walk({ campaign, yard, vehicles, lookup }: WalkProps) {
  const t = useInspectionText()
  const outbox = useOutbox()
  const owner = useSession()?.user
  const [opened, setOpened] = useState<{ id: number; scanned: boolean } | null>(null)
  const openedNow = useRef(opened) // a save that ends later must see which sheet is open then
  const [unmatchedText, setUnmatchedText] = useState<string | null>(null)
  const [lastFeedback, setLastFeedback] = useState<ScanFeedback | null>(null)
  const [last, setLast] = useState<LastSaved | null>(null)
  const savedLabel = useRef(NO_LABEL)
  const [isTypingChosen, setTypingChosen] = useState(false)
  const [hasNoCamera, setHasNoCamera] = useState(false)
  const typing = isTypingChosen || hasNoCamera // without a camera, typing is the only way to identify a vehicle
  const [typedText, setTypedText] = useState('')
  const searchForm = useId()
  const [oneTap, setOneTap] = useOneTap()
  const { next } = findNextVehicle(vehicles, yard, last?.id ?? null)
  const open = (id: number, scanned: boolean) => {
    setTypingChosen(false)
    setTypedText('')
    setUnmatchedText(null)
    setOpened({ id, scanned })
  }
  const read = (text: string) => {
    savedLabel.current = NO_LABEL
    const found = lookup.findScanned(text)
    const feedback = found === null ? 'unknown' : chooseScanFeedback(found, null)
    playScanFeedback(feedback)
    setLastFeedback(feedback)
    if (found?.kind === 'one') open(found.vehicle.id, true)
    else {
      setOpened(null)
      setUnmatchedText(replaceControlCharacters(text))
    }
  }
  const readByCamera = (text: string) => {
    const found = lookup.findScanned(text)
    const { id, at } = savedLabel.current
    if (found?.kind !== 'one' || found.vehicle.id !== id || performance.now() - at >= RESCAN_DELAY_MS) read(text)
  }
  useHardwareScanner(read)
  useEffect(() => {
    openedNow.current = opened
  }, [opened])
  useEffect(() => {
    document.addEventListener('pointerdown', unlockFeedbackSound, { once: true }) // browsers play sound only after a tap on the page
    return () => document.removeEventListener('pointerdown', unlockFeedbackSound)
  }, [])
  useEffect(() => () => outbox.endUndoPeriod(), [outbox])
  const shown = opened === null ? undefined : vehicles.find(({ id }) => id === opened.id)
  const close = () => {
    if (hasNoCamera && openedNow.current?.scanned === false) setTypingChosen(true) // returns the focus to the field for the next vehicle
    setOpened(null)
    setLastFeedback(null)
  }
  const finish = (id: number, saved: CompletedSave) => {
    savedLabel.current = { id, at: performance.now() }
    setLast({ id, saved, before: last && { ...last, before: null } })
    if (openedNow.current?.id === id) close()
  }
  const undo = async (save: OutboxEntry, { id, saved: { entry: draft }, before }: LastSaved) => {
    if (!(await outbox.undo(save))) return showToast('info', t('walk.tooLate'))
    setLast(before)
    // Restores the notes as a draft, but not the status, because an undo usually corrects a wrong status.
    const hasNotes = draft.operator_notes !== draft.base?.operator_notes || draft.admin_notes !== draft.base.admin_notes
    if (owner && draft.base && hasNotes) writeInspectionDraft(getDataOwnerKey(owner), id, { ...draft, status: draft.base.status })
    open(id, draft.scanned === true)
  }
  const search = typing && <VehicleSearchField id={searchForm} lookup={lookup} text={typedText} onType={setTypedText} focused={isTypingChosen} onFocus={() => setTypingChosen(true)} onOpen={(id) => open(id, false)} />
  return (
    <>
      <div className={styles.camera}>
        <div className={styles.view}>
          <LazyScanView keepOn paused={opened !== null || typing} onResume={typing && opened === null ? () => setTypingChosen(false) : undefined} lastFeedback={lastFeedback} onScan={readByCamera} gradeMatch={lookup.fit} vehicles={vehicles} onCameraChange={setHasNoCamera} />
          {hasNoCamera && (
            <div className={styles.manual}>
              <h2>{t('vehicle.manual')}</h2>
              {search}
            </div>
          )}
        </div>
      </div>
      {next === null ? (
        <p className={styles.next}>{t('walk.noNext')}</p>
      ) : (
        <p className={styles.next}>
          <span className="quiet">{t('walk.next')}</span> {next.parking_space.trim() !== '' && <ParkingSpaceSign space={next.parking_space} size="large" />} <MonospaceVin vin={next.vin_number} />
        </p>
      )}
      <div className={styles.bar} data-bottom-bar>
        {!hasNoCamera && search}
        {unmatchedText !== null && <UnresolvedScanMessage text={unmatchedText} campaign={campaign} found={lookup.findScanned(unmatchedText)} onOpen={(id) => open(id, true)} onClose={() => setUnmatchedText(null)} />}
        {last !== null && unmatchedText === null && <LastSaveLine key={last.saved.result.kind === 'queued' ? last.saved.result.entry.id : last.id} saved={last.saved} onUndo={(save) => undo(save, last)} />}
        <div className={styles.ways}>
          <label className={styles.oneTap}>
            <input type="checkbox" role="switch" checked={oneTap} onChange={(event) => setOneTap(event.target.checked)} />
            {t('walk.oneTap')}
          </label>
          {typing ? (
            <Button key="find" kind="primary" big type="submit" form={searchForm}>{t('walk.find')}</Button>
          ) : (
            <Button key="manual" big icon="keyboard" onClick={() => setTypingChosen(true)}>{t('vehicle.manual')}</Button>
          )}
        </div>
      </div>
      {shown && opened && <WalkInspectionSheet key={shown.id} campaign={campaign} listed={shown} yard={yard} scanned={opened.scanned} oneTap={oneTap} onClose={close} onSaved={(saved) => finish(shown.id, saved)} />}
    </>
  )
}

/** Latest save in walk mode, which determines the next vehicle. After an undo, the save in `before` becomes the latest save again. */
interface LastSaved {
  id: number
  saved: CompletedSave
  before: LastSaved | null
}

const ONE_TAP = 'oneTapSaves'
const isTrue = (value: unknown): value is true => value === true

/** Returns whether one tap on a status saves the vehicle, and a function that changes this setting. This device stores the setting. */
function useOneTap(): [boolean, (on: boolean) => void] {
  const [oneTap, setOneTap] = useState(() => readStoredJson(localStorage, ONE_TAP, isTrue) ?? false)
  const set = useCallback((on: boolean) => {
    writeStoredJson(localStorage, ONE_TAP, on || null)
    setOneTap(on)
  }, [])
  return [oneTap, set]
}
