import { createFormDraftHook } from '@/api/formDrafts'
import { getErrorMessage } from '@/api/apiProblem'
import type { Vehicle } from '@/api/types'
import { countPages, PAGE_SIZE } from '@/lib/pagination'
import { parseId } from '@/lib/route'
import { IconButton } from '@/ui/Button'
import { Select } from '@/ui/Field'
import { MonospaceVin } from '@/ui/MonospaceVin'
import { EmptyState, ErrorNotice, Skeleton } from '@/ui/Page'
import { Pager } from '@/ui/Pager'
import { PrintedRangeLine } from '@/ui/PrintedRangeLine'
import { SearchBox } from '@/ui/SearchBox'
import { VehicleStatusBadge } from '@/ui/Status'
import { useAllCampaigns, useCampaignVehicles } from './api'
import { useManageText } from './text'
import { useSelectionFromVehicleList } from './useSelectionFromVehicleList'
import { EditVehicleDialog } from './EditVehicleDialog'
import styles from './VehicleEditor.module.css'

const SEARCH_DEBOUNCE_MS = 250

interface SearchDraft {
  campaign: number | null
  search: string
  page: number
  /** Vehicle that is open in the edit dialog; `null` while the dialog is closed. */
  edited: Vehicle | null
}
const useSearchDraft = createFormDraftHook<SearchDraft>({ campaign: null, search: '', page: 1, edited: null })

/** Tool that searches the vehicles of a campaign and opens one vehicle for editing. */
export function VehicleEditor({ yard }: { yard: number | null }) {
  const t = useManageText()
  const [draft, setDraft] = useSearchDraft()
  useSelectionFromVehicleList('vehicle', ({ vins, campaign: chosen }) => setDraft({ campaign: chosen, search: vins[0] ?? '', page: 1, edited: null }))
  const { campaign, search, page, edited } = draft
  const change = (part: Partial<SearchDraft>) => setDraft({ ...draft, ...part })
  const choices = useAllCampaigns()
  const vehicles = useCampaignVehicles(campaign, search, page, yard)
  const rows = campaign === null ? undefined : vehicles.data?.vehicles
  return (
    <>
      <div className={styles.finder}>
        <Select label={t('editor.campaign')} value={campaign ?? ''} onChange={(event) => change({ campaign: parseId(event.target.value), page: 1 })}>
          <option value="">{t('editor.choose')}</option>
          {choices.data?.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
        <SearchBox label={t('editor.search')} value={search} debounceMs={SEARCH_DEBOUNCE_MS} onChange={(text) => change({ search: text, page: 1 })} />
      </div>
      {campaign === null && <EmptyState icon="pencil" text={t('editor.chooseFirst')} />}
      {campaign !== null && vehicles.isPending && <Skeleton rows={3} height={56} label={t('vehicles.loading')} onRetry={() => void vehicles.refetch()} />}
      {vehicles.isError && <ErrorNotice text={getErrorMessage(vehicles.error, t)} onRetry={() => void vehicles.refetch()} />}
      {vehicles.data?.meta.total_count === 0 && <EmptyState icon="list" text={t('vehicles.noMatch')} />}
      {vehicles.data && <PrintedRangeLine from={(page - 1) * PAGE_SIZE} count={vehicles.data.vehicles.length} total={vehicles.data.meta.total_count} />}
      <ul className={styles.found}>
        {rows?.map((vehicle) => (
          <li key={vehicle.id} className={styles.vehicle}>
            <MonospaceVin vin={vehicle.vin_number} />
            <span>{vehicle.parking_space}</span>
            <VehicleStatusBadge status={vehicle.status} inspected={vehicle.inspected} />
            <IconButton icon="pencil" label={t('editor.edit', { vin: vehicle.vin_number })} onClick={() => change({ edited: vehicle })} />
          </li>
        ))}
      </ul>
      {campaign !== null && vehicles.data && <Pager label={t('editor.title')} page={page} pages={countPages(vehicles.data.meta.total_count)} onPage={(next) => change({ page: next })} />}
      {edited && <EditVehicleDialog key={edited.id} vehicle={edited} onClose={() => change({ edited: null })} />}
    </>
  )
}
