import { useRef } from 'react'
import type { ScanViewProps } from '@/lib/scanner'
import { Icon, type IconName } from '@/ui/Icon'
import { Failure } from '@/ui/Page'
import { useScanText } from './text'
import { useScan, type Phase, type Scan } from './useScan'
import styles from './ScanView.module.css'

const SAID = { off: 'scan.paused', starting: 'scan.starting', loading: 'scan.engine', on: 'scan.aim' } as const satisfies Record<Phase, string>

/** The square camera view with its finder, outline and controls, or why there is none. */
export function ScanView(props: ScanViewProps) {
  const t = useScanText()
  const video = useRef<HTMLVideoElement>(null)
  const scan = useScan(video, props)
  return (
    <div className={styles.scan}>
      <div className={styles.view} data-mood={props.mood ?? undefined} data-phase={scan.trouble === null ? scan.phase : 'failed'}>
        <video ref={video} className={styles.video} muted playsInline disablePictureInPicture aria-label={t('scan.video')} />
        {scan.trouble === null && (
          <>
            <Finder />
            <Outline scan={scan} />
            <Controls scan={scan} />
          </>
        )}
        {scan.trouble !== null && (
          <div className={styles.trouble}>
            <Failure text={t(`trouble.${scan.trouble}`)} onRetry={scan.retry} />
          </div>
        )}
      </div>
      {scan.trouble === null && (
        <p className={styles.said} role="status">
          {t(SAID[scan.phase])}
        </p>
      )}
    </div>
  )
}

/** The dashed square of 70 % of the width, with its corners marked. */
function Finder() {
  return (
    <svg className={styles.finder} viewBox="0 0 100 100" aria-hidden="true">
      <rect x="1.5" y="1.5" width="97" height="97" rx="3" className={styles.dashes} />
      <path d="M1.5 17V4.5a3 3 0 0 1 3-3H17M83 1.5h12.5a3 3 0 0 1 3 3V17M98.5 83v12.5a3 3 0 0 1-3 3H83M17 98.5H4.5a3 3 0 0 1-3-3V83" className={styles.corners} />
    </svg>
  )
}

/** Where the code that is seen lies. */
function Outline({ scan: { outline } }: { scan: Scan }) {
  if (outline === null) return null
  return (
    <svg className={styles.outline} viewBox="0 0 1 1" aria-hidden="true">
      <polygon points={outline.map(({ x, y }) => `${x},${y}`).join(' ')} />
    </svg>
  )
}

function Controls({ scan }: { scan: Scan }) {
  const t = useScanText()
  const { controls: { torch, zoom }, phase } = scan
  const scanning = phase === 'on' || phase === 'loading'
  return (
    <div className={styles.controls} role="group" aria-label={t('scan.controls')}>
      {scanning && zoom !== null && (
        <>
          <Control icon="zoom-in" label={t('scan.zoomIn')} disabled={zoom.now >= zoom.max} onClick={() => scan.zoom(1)} />
          <Control icon="zoom-out" label={t('scan.zoomOut')} disabled={zoom.now <= zoom.min} onClick={() => scan.zoom(-1)} />
        </>
      )}
      {scanning && torch !== null && <Control icon="torch" label={t(torch ? 'scan.torchOff' : 'scan.torchOn')} pressed={torch} onClick={scan.torch} />}
      <Control icon="power" label={t(scan.on ? 'scan.off' : 'scan.on')} pressed={scan.on} disabled={scan.rests} onClick={scan.toggle} />
    </div>
  )
}

interface ControlProps {
  icon: IconName
  label: string
  pressed?: boolean
  disabled?: boolean
  onClick: () => void
}

function Control({ icon, label, pressed, disabled, onClick }: ControlProps) {
  return (
    <button type="button" className={styles.control} data-on={pressed} disabled={disabled} onClick={onClick} aria-label={label} title={label}>
      <Icon name={icon} size={24} />
    </button>
  )
}
