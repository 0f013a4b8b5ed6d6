import { draftOf } from '@/api/drafts'
import { wordsFor } from '@/api/problem'
import type { Vehicle } from '@/api/types'
import { pageCount } from '@/lib/pages'
import { idFrom } from '@/lib/route'
import { IconButton } from '@/ui/Button'
import { Select } from '@/ui/Field'
import { Empty, Failure, Skeleton } from '@/ui/Page'
import { Pager } from '@/ui/Pager'
import { SearchBox } from '@/ui/SearchBox'
import { VehicleStatusBadge } from '@/ui/Status'
import { useCampaignChoices, useVehiclesOf } from './api'
import { useManageText } from './text'
import { VehicleDialog } from './VehicleDialog'
import styles from './ManagePage.module.css'

const SEARCH_REST = 250

interface Finding {
  campaign: number | null
  search: string
  page: number
  /** The vehicle that is being edited. */
  edited: Vehicle | null
}
const useFinding = draftOf<Finding>({ campaign: null, search: '', page: 1, edited: null })

/** Finds one vehicle of a campaign and edits it. */
export function VehicleEditor({ yard }: { yard: number | null }) {
  const t = useManageText()
  const [finding, setFinding] = useFinding()
  const { campaign, search, page, edited } = finding
  const change = (part: Partial<Finding>) => setFinding({ ...finding, ...part })
  const choices = useCampaignChoices()
  const vehicles = useVehiclesOf(campaign, search, page, yard)
  const rows = campaign === null ? undefined : vehicles.data?.vehicles
  return (
    <>
      <div className={styles.finder}>
        <Select label={t('editor.campaign')} value={campaign ?? ''} onChange={(event) => change({ campaign: idFrom(event.target.value), page: 1 })}>
          <option value="">{t('editor.choose')}</option>
          {choices.data?.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
        <SearchBox label={t('editor.search')} value={search} rest={SEARCH_REST} onChange={(text) => change({ search: text, page: 1 })} />
      </div>
      {campaign === null && <Empty icon="pencil" text={t('editor.chooseFirst')} />}
      {campaign !== null && vehicles.isPending && <Skeleton rows={3} height={56} label={t('vehicles.loading')} />}
      {vehicles.isError && <Failure text={wordsFor(vehicles.error, t)} onRetry={() => void vehicles.refetch()} />}
      {vehicles.data?.meta.total_count === 0 && <Empty icon="list" text={t('vehicles.noMatch')} />}
      <ul className={styles.found}>
        {rows?.map((vehicle) => (
          <li key={vehicle.id} className={styles.vehicle}>
            <strong className="mono">{vehicle.vin_number}</strong>
            <span>{vehicle.parking_space}</span>
            <VehicleStatusBadge status={vehicle.status} inspected={vehicle.inspected} />
            <IconButton icon="pencil" label={t('editor.edit', { vin: vehicle.vin_number })} onClick={() => change({ edited: vehicle })} />
          </li>
        ))}
      </ul>
      {campaign !== null && vehicles.data && <Pager label={t('editor.title')} page={page} pages={pageCount(vehicles.data.meta.total_count)} onPage={(next) => change({ page: next })} />}
      {edited && <VehicleDialog key={edited.id} vehicle={edited} onClose={() => change({ edited: null })} />}
    </>
  )
}
