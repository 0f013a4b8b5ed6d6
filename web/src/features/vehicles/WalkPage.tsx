import { useEffect, useState } from 'react'
import { useParams } from 'wouter'
import { wordsFor } from '@/api/problem'
import type { ListedVehicle, Vehicle } from '@/api/types'
import { readable } from '@/lib/identifier'
import { idFrom, useQueryParams } from '@/lib/route'
import { openSound, signal, type Signal } from '@/lib/signal'
import { count } from '@/lib/time'
import { Button } from '@/ui/Button'
import { Icon } from '@/ui/Icon'
import { Failure, Note, Page, Skeleton } from '@/ui/Page'
import { ScanView } from '@/ui/Scanner'
import { useCampaignHead } from './api'
import { useScanText } from './text'
import { useFinding, type Finding } from './useFinding'
import { useWedge } from './useWedge'
import { isKnown, signalOf } from './verdict'
import { aheadOf } from '@/lib/walk'
import { WalkFind } from './WalkFind'
import { WalkSheet } from './WalkSheet'
import { Missed } from './Missed'
import styles from './WalkPage.module.css'

/** Walking along the rows with the camera open: each car of the campaign is scanned, inspected and saved in two taps. */
export default function WalkPage() {
  const t = useScanText()
  const id = idFrom(useParams<{ id: string }>().id) ?? 0
  const yard = idFrom(useQueryParams().get('yard'))
  const campaign = useCampaignHead(id)
  const finding = useFinding(id)
  return (
    <Page title={t('walk.title')} narrow subtitle={campaign.data && <p className={styles.campaign}>{campaign.data.name}</p>}>
      {campaign.data?.status === 'Closed' ? (
        <Note kind="info">{t('walk.closed')}</Note>
      ) : (
        <>
          {finding.isError && <Failure text={wordsFor(finding.error, t)} onRetry={finding.retry} />}
          {!finding.isError && finding.vehicles === undefined && <Skeleton height={320} label={t('walk.loading')} />}
          {finding.vehicles && <Walk campaign={id} yard={yard} vehicles={finding.vehicles} finding={finding} />}
        </>
      )}
    </Page>
  )
}

interface WalkProps {
  campaign: number
  yard: number | null
  vehicles: ListedVehicle[]
  finding: Finding
}

function Walk({ campaign, yard, vehicles, finding }: WalkProps) {
  const t = useScanText()
  const [car, setCar] = useState<{ id: number; scanned: boolean } | null>(null)
  const [missed, setMissed] = useState<string | null>(null)
  const [mood, setMood] = useState<Signal | null>(null)
  const [last, setLast] = useState<{ vehicle: Vehicle; kept: boolean } | null>(null)
  const [typing, setTyping] = useState(false)
  const { next, left } = aheadOf(vehicles, yard, last?.vehicle.id ?? null)
  const open = (id: number, scanned: boolean) => {
    setTyping(false)
    setMissed(null)
    setCar({ id, scanned })
  }
  const read = (text: string) => {
    const found = finding.find(text)
    const heard = found === null ? 'unknown' : signalOf(found, null)
    signal(heard)
    setMood(heard)
    if (found?.kind === 'one') open(found.vehicle.id, true)
    else {
      setCar(null)
      setMissed(readable(text))
    }
  }
  useWedge(read)
  useEffect(() => {
    document.addEventListener('pointerdown', openSound, { once: true }) // who came by a link has not tapped yet
    return () => document.removeEventListener('pointerdown', openSound)
  }, [])
  const shown = car === null ? undefined : vehicles.find(({ id }) => id === car.id)
  const leave = (saved: Vehicle | null, kept: boolean) => {
    if (saved !== null) setLast({ vehicle: saved, kept })
    setCar(null)
    setMood(null)
  }
  return (
    <>
      {typing && <WalkFind finding={finding} onOpen={(id) => open(id, false)} />}
      <div className={styles.camera}>
        <ScanView keepOn paused={car !== null || typing} mood={mood} onRead={read} fits={(text) => isKnown(finding.find(text))} />
      </div>
      <div className={styles.bar} data-bottom-bar>
        {missed !== null && <Missed text={missed} campaign={campaign} found={finding.find(missed)} onOpen={(id) => open(id, true)} onClose={() => setMissed(null)} />}
        {last !== null && missed === null && <Saved key={`${last.vehicle.id} ${last.vehicle.version}`} vehicle={last.vehicle} kept={last.kept} />}
        {next === null ? (
          <p className={styles.next}>{t('walk.noNext')}</p>
        ) : (
          <p className={styles.next}>
            <span className="quiet">{t('walk.next')}</span> <strong>{next.parking_space}</strong> <span className="mono">{next.vin_number}</span>
            <span className={styles.left}>{t('walk.left', { n: count(left) })}</span>
          </p>
        )}
        <Button big wide icon="keyboard" aria-pressed={typing} onClick={() => setTyping(!typing)}>
          {t('vehicle.manual')}
        </Button>
      </div>
      {shown && car && <WalkSheet key={shown.id} listed={shown} yard={yard} scanned={car.scanned} onLeave={leave} />}
    </>
  )
}

/** What was saved last, and whether the server has it. */
function Saved({ vehicle: { vin_number: vin, status }, kept }: { vehicle: Vehicle; kept: boolean }) {
  const t = useScanText()
  const words = kept ? (['walk.keptPlain', 'walk.kept'] as const) : (['walk.savedPlain', 'walk.saved'] as const)
  return (
    <p className={styles.saved} role="status">
      <Icon name="check" size={20} />
      {t(words[status === '' ? 0 : 1], { vin, status })}
    </p>
  )
}
