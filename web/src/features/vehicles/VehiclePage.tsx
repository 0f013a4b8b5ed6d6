import type { QueryClient } from '@tanstack/react-query'
import { useDeferredValue, useMemo, useState } from 'react'
import { useParams } from 'wouter'
import { getErrorMessage, isNotFoundError } from '@/api/apiProblem'
import { getDataOwnerKey, useSession } from '@/api/session'
import { readInspectionDraft, type InspectionDraft } from '@/lib/inspectionDrafts'
import { parseId, useQueryParams } from '@/lib/route'
import { useText } from '@/lib/text'
import { vehicleQuery } from '@/offline/queries'
import { ErrorNotice, Page, Skeleton } from '@/ui/Page'
import { useVehicle } from './api'
import { HistorySection } from './history/HistorySection'
import { VehicleInspectionForm } from './VehicleInspectionForm'
import styles from './VehiclePage.module.css'

/** Values of a save that the person corrects in a new form. `n` counts the corrections, so that each correction gets its own form. */
interface Correction {
  vehicle: number
  n: number
  draft: InspectionDraft
}

export function prefetch(queries: QueryClient, vehicle: number): void {
  void queries.prefetchQuery(vehicleQuery(vehicle, parseId(new URLSearchParams(window.location.search).get('yard'))))
}

/** Inspection screen of one vehicle. */
export default function VehiclePage() {
  const t = useText()
  const id = parseId(useParams<{ id: string }>().id) ?? 0
  const yard = parseId(useQueryParams().get('yard'))
  const session = useSession()
  const [correction, setCorrection] = useState<Correction | null>(null)
  if (correction !== null && correction.vehicle !== id) setCorrection(null)
  const restored = useMemo(() => (session === null ? undefined : readInspectionDraft(getDataOwnerKey(session.user), id)?.replaces), [session, id])
  const vehicle = useVehicle(id, yard, correction === null ? restored : correction.draft.replaces)
  // The first form is rendered in a transition, which does not block input.
  const hasVehicle = useDeferredValue(vehicle.data !== undefined, false)
  return (
    <Page title={t('vehicle.title')} subtitle={<span className={styles.compact} />}>
      {(vehicle.isPending || (vehicle.data && !hasVehicle)) && (
        <>
          <p role="status">{t('vehicle.loading')}</p>
          <Skeleton rows={3} height={150} label={t('vehicle.loading')} onRetry={() => void vehicle.refetch()} />
        </>
      )}
      {vehicle.isError && !vehicle.data && <ErrorNotice isMissing={isNotFoundError(vehicle.error)} text={getErrorMessage(vehicle.error, t)} onRetry={() => void vehicle.refetch()} />}
      {vehicle.data && hasVehicle && session && (
        <VehicleInspectionForm key={`${id} ${correction?.n ?? 0}`} vehicle={vehicle.data} yard={yard} user={session.user} correction={correction?.draft ?? null}
          onCorrect={(draft) => setCorrection({ vehicle: id, n: (correction?.n ?? 0) + 1, draft })}>
          <HistorySection vehicle={vehicle.data} />
        </VehicleInspectionForm>
      )}
    </Page>
  )
}
