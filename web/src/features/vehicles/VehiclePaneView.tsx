import { lazy, Suspense, useDeferredValue, useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react'
import { Route, Router } from 'wouter'
import { buildPath, navigate } from '@/lib/route'
import { IconButton } from '@/ui/Button'
import { SidePaneContext, Skeleton } from '@/ui/Page'
import { useVehicleListText } from './listText'
import { VehiclePaneContext, type VehiclePane } from './vehiclePane'
import styles from './VehiclePaneView.module.css'

const VehiclePage = lazy(() => import('./VehiclePage'))

interface VehiclePaneViewProps extends VehiclePane {
  id: number
  /** Id of the yard within which the next vehicle is chosen; `null` for the full campaign. */
  yard: number | null
  /** Opens the previous vehicle of the list; `null` at the start of the list. `onNext` opens the next vehicle. */
  onPrevious: (() => void) | null
  onNext: (() => void) | null
}

const VEHICLE = /^\/vehicle\/(\d+)(\?|$)/

/** Page of one vehicle, shown in a pane beside the list. A link to another vehicle opens that vehicle in the same pane. */
export function VehiclePaneView({ id, yard, open, close, onPrevious, onNext }: VehiclePaneViewProps) {
  const t = useVehicleListText()
  // The vehicle is rendered after the list has been painted, so that a click or an arrow key shows its effect at once.
  const chosen = useMemo(() => ({ id, yard }), [id, yard])
  const shown = useDeferredValue<typeof chosen | null>(chosen, null)
  const isOutdated = shown?.id !== id
  const latest = useRef({ open, close, isOutdated })
  useEffect(() => {
    latest.current = { open, close, isOutdated }
  })
  const [head, setHead] = useState<HTMLElement | null>(null)
  const pane = useMemo(
    () => ({
      head,
      // A vehicle that is about to be replaced, for example its timer after a save, neither opens another one nor closes the pane.
      open: (vehicle: number) => {
        if (!latest.current.isOutdated) latest.current.open(vehicle)
      },
      close: () => {
        if (!latest.current.isOutdated) latest.current.close()
      },
    }),
    [head],
  )
  const path = `/vehicle/${shown?.id ?? id}`
  const location = useMemo(() => {
    const go = (to: string, options?: Parameters<typeof navigate>[1]) => {
      const vehicle = VEHICLE.exec(to)?.[1]
      if (vehicle === undefined) navigate(to, options)
      else pane.open(Number(vehicle))
    }
    return (): [string, typeof go] => [path, go]
  }, [path, pane])
  const shownYard = shown?.yard ?? null
  const search = useMemo(() => () => (shownYard === null ? '' : `yard=${shownYard}`), [shownYard])
  const frame = useRef<HTMLElement>(null)
  useEffect(() => {
    // Sets the top position from which the height of the pane is computed. The pane then ends at the lower edge of the window, and its save
    // bar is always visible.
    const fit = () => frame.current?.style.setProperty('--pane-top', `${Math.max(frame.current.getBoundingClientRect().top, 0)}px`)
    fit()
    window.addEventListener('scroll', fit, { passive: true })
    window.addEventListener('resize', fit)
    return () => {
      window.removeEventListener('scroll', fit)
      window.removeEventListener('resize', fit)
    }
  }, [])
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented || (event.target instanceof Element && event.target.closest('input, textarea, select, dialog'))) return
    event.preventDefault()
    close()
  }
  return (
    <section ref={frame} className={styles.pane} aria-label={t('pane.title')} onKeyDown={press}>
      <div className={styles.paneBar}>
        <IconButton icon="back" label={t('pane.previous')} disabled={onPrevious === null} onClick={() => onPrevious?.()} />
        <IconButton icon="right" label={t('pane.next')} disabled={onNext === null} onClick={() => onNext?.()} />
        <div ref={setHead} className={styles.paneHead} />
        <IconButton icon="eye" label={t('pane.page')} onClick={() => navigate(buildPath(path, { yard }))} />
        <IconButton icon="close" label={t('pane.close')} onClick={close} />
      </div>
      <div className={styles.paneBody} tabIndex={-1} inert={isOutdated}>
        <SidePaneContext value>
          <VehiclePaneContext value={pane}>
            {shown === null ? <Loading /> : (
              <Router hook={location} searchHook={search}>
                <Suspense fallback={<Loading />}>
                  <Route path="/vehicle/:id" component={VehiclePage} />
                </Suspense>
              </Router>
            )}
          </VehiclePaneContext>
        </SidePaneContext>
      </div>
    </section>
  )
}

function Loading() {
  const t = useVehicleListText()
  return <Skeleton rows={3} height={150} label={t('vehicle.loading')} />
}
