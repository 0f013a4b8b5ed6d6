import { useEffect, useRef, useState, type ComponentType, type ReactElement } from 'react'
import type { ScanViewProps } from '@/lib/scanner'
import { Button } from '@/ui/Button'
import { Icon, type IconName } from '@/ui/Icon'
import { Alert, ErrorNotice } from '@/ui/Page'
import { DEFAULT_CAMERA_VIEW_OPTIONS, SCAN_VIEW_OPTIONS, type CameraViewOptions } from './cameraViewOptions'
import type { LabelReaderProps } from './ocr/LabelReader'
import { useScannerText } from './text'
import { useCameraScan, type ScanPhase, type CameraScan } from './useCameraScan'
import styles from './ScanView.module.css'

const SAID = { off: 'scan.paused', starting: 'scan.starting', loading: 'scan.engine', restarting: 'scan.restarting', on: 'scan.aim' } as const satisfies Record<ScanPhase, string>

/** Camera view with the options of the scanner screen: the code formats on vehicle labels, and all camera controls. */
export const ScanView = (props: ScanViewProps) => <CameraView {...props} options={SCAN_VIEW_OPTIONS} />

/**
 * Square camera view with the finder (a dashed square), the outline of the detected code, and the controls. If the camera fails, only an
 * error message is shown.
 */
export function CameraView({ options = DEFAULT_CAMERA_VIEW_OPTIONS, ...props }: ScanViewProps & { options?: CameraViewOptions }) {
  const t = useScannerText()
  const video = useRef<HTMLVideoElement>(null)
  const [reads, setReads] = useState(false)
  const scan = useCameraScan(video, reads ? { ...props, paused: true } : props, options)
  const isRunning = scan.phase !== 'off' && scan.phase !== 'starting'
  const hasFailed = scan.trouble !== null
  const { onCameraChange, onResume } = props
  const isHeld = props.paused === true && onResume !== undefined && scan.phase !== 'off'
  useEffect(() => onCameraChange?.(hasFailed), [onCameraChange, hasFailed])
  return (
    <div className={styles.scan}>
      <div className={styles.view} data-feedback={props.lastFeedback ?? undefined} data-phase={scan.trouble === null ? scan.phase : 'failed'}>
        <video ref={video} className={styles.video} muted playsInline disablePictureInPicture aria-label={t('scan.video')} />
        {scan.trouble === null ? (
          <>
            {options.finder && !isHeld && <Finder />}
            {options.tracker && !isHeld && <Outline scan={scan} />}
            {isHeld && (
              <div className={styles.held}>
                <button type="button" className={styles.back} onClick={onResume}>
                  {t('scan.backToCamera')}
                </button>
              </div>
            )}
            <Controls scan={scan} options={options} />
            {props.vehicles && isRunning && !props.paused && (
              <button type="button" className={styles.text} onClick={() => setReads(true)}>
                {t('scan.readText')}
              </button>
            )}
          </>
        ) : (
          <Alert kind="error">
            <p>{t(`trouble.${scan.trouble}`)}</p>
            {scan.isRetrying && <p role="status">{t('scan.retries')}</p>}
            <Button onClick={scan.retry}>{t('common.tryAgain')}</Button>
          </Alert>
        )}
      </div>
      {scan.trouble === null && (
        <p className={styles.said} role="status">
          {t(isHeld ? 'scan.typing' : SAID[scan.phase])}
        </p>
      )}
      {props.vehicles && isRunning && !hasFailed && reads && <TextReader video={video} vehicles={props.vehicles} onRead={props.onScan} onClose={() => setReads(false)} />}
    </div>
  )
}

/**
 * Panel that reads the characters of a label by OCR. The module with the panel is loaded on first use. If loading fails, an error with a
 * retry button is shown.
 */
function TextReader(props: LabelReaderProps) {
  const t = useScannerText()
  const [part, setPart] = useState<{ LabelReader: ComponentType<LabelReaderProps> } | 'failed' | null>(null)
  const load = () => {
    import('./ocr/LabelReader').then(setPart, () => setPart('failed'))
  }
  useEffect(load, [])
  if (part === null) return null
  return part === 'failed' ? <div className={styles.trouble}><ErrorNotice text={t('scan.notLoaded')} onRetry={load} /></div> : <part.LabelReader {...props} />
}

/** Finder: a dashed square of 70 % of the view's width, with marked corners. */
function Finder() {
  return (
    <svg className={styles.finder} viewBox="0 0 100 100" aria-hidden="true">
      <rect x="1.5" y="1.5" width="97" height="97" rx="3" className={styles.dashes} />
      <path d="M1.5 17V4.5a3 3 0 0 1 3-3H17M83 1.5h12.5a3 3 0 0 1 3 3V17M98.5 83v12.5a3 3 0 0 1-3 3H83M17 98.5H4.5a3 3 0 0 1-3-3V83" className={styles.corners} />
    </svg>
  )
}

/** Outline of the code that was detected in the last frame. */
function Outline({ scan: { outline } }: { scan: CameraScan }) {
  if (outline === null) return null
  return (
    <svg className={styles.outline} viewBox="0 0 1 1" aria-hidden="true">
      <polygon points={outline.map(({ x, y }) => `${x},${y}`).join(' ')} />
    </svg>
  )
}

function Controls({ scan, options }: { scan: CameraScan; options: CameraViewOptions }) {
  const t = useScannerText()
  const { controls: { torch, zoom }, lenses, phase } = scan
  const scanning = phase !== 'off' && phase !== 'starting'
  return (
    <div className={styles.controls} role="group" aria-label={t('scan.controls')}>
      {scanning && options.zoom && zoom !== null && (
        <>
          <Control icon="zoom-in" label={t('scan.zoomIn')} disabled={zoom.now >= zoom.max} onClick={() => scan.zoom(1)} />
          <Control icon="zoom-out" label={t('scan.zoomOut')} disabled={zoom.now <= zoom.min} onClick={() => scan.zoom(-1)} />
        </>
      )}
      {scanning && lenses.length > 1 && (
        <Control icon={<Switch />} label={t('scan.lens')} onClick={scan.nextLens} />
      )}
      {scanning && options.torch && torch !== null && <Control icon="torch" label={t(torch ? 'scan.torchOff' : 'scan.torchOn')} pressed={torch} onClick={scan.torch} />}
      {options.onOff && <Control icon={scan.on ? 'camera-off' : 'camera'} label={t(scan.on ? 'scan.off' : 'scan.on')} pressed={!scan.on} disabled={scan.rests} onClick={scan.toggle} />}
    </div>
  )
}

/** Icon of the camera switch: two circular arrows. */
const Switch = () => (
  <svg width="24" height="24" viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth={2} strokeLinecap="round" strokeLinejoin="round" aria-hidden="true">
    <path d="M4 12a8 8 0 0 1 13.7-5.6L20 8.5M20 4v4.5h-4.5M20 12a8 8 0 0 1-13.7 5.6L4 15.5M4 20v-4.5h4.5" />
  </svg>
)

interface ControlProps {
  icon: IconName | ReactElement
  label: string
  pressed?: boolean
  disabled?: boolean
  onClick: () => void
}

function Control({ icon, label, pressed, disabled, onClick }: ControlProps) {
  return (
    <button type="button" className={styles.control} data-on={pressed} disabled={disabled} onClick={onClick} aria-label={label} title={label}>
      {typeof icon === 'string' ? <Icon name={icon} size={24} /> : icon}
    </button>
  )
}
