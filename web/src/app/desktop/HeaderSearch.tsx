import { useEffect, useId, useRef, useState, type FocusEvent, type KeyboardEvent } from 'react'
import { getErrorMessage } from '@/api/apiProblem'
import { listenForShortcuts } from '@/lib/listenForShortcuts'
import { Link, navigate } from '@/lib/route'
import { Icon } from '@/ui/Icon'
import { Spinner } from '@/ui/Page'
import { ParkingSpaceSign } from '@/ui/ParkingSpaceSign'
import { VehicleStatusBadge } from '@/ui/Status'
import { Button } from '@/ui/Button'
import type { FoundVehicle } from './rankFoundVehicles'
import type { VehicleSearchResult } from './searchVehicles'
import { useDesktopText } from './text'
import { useCurrentPageCampaignId } from './useCurrentPageCampaignId'
import { MIN_SEARCH_LENGTH, useVehicleSearch, type VehicleSearchState } from './useVehicleSearch'
import styles from './HeaderSearch.module.css'

const COMPARED_DIGITS = 4

/** Search field for a VIN or a parking space in the open campaigns. Each result opens the vehicle. */
export function HeaderSearch({ path }: { path: string }) {
  const t = useDesktopText()
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [active, setActive] = useState(0)
  const search = useVehicleSearch(text, isOpen, useCurrentPageCampaignId(path))
  const vehicles = search.found?.vehicles ?? []
  const chosen = vehicles[active]
  const isShown = isOpen && search.typed !== ''
  useEffect(() => listenForShortcuts({ '/': () => field.current?.focus() }, isSlashKeyFree), [])

  const close = () => {
    setOpen(false)
    setText('')
    field.current?.blur()
  }
  const type = (typed: string) => {
    setText(typed)
    setActive(0)
    setOpen(true)
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') close()
    else if (event.key === 'Enter' && chosen !== undefined) {
      navigate(`/vehicle/${chosen.id}`)
      close()
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const step = event.key === 'ArrowDown' ? 1 : -1
      setActive((active + step + vehicles.length) % Math.max(vehicles.length, 1))
    } else return
    event.preventDefault()
  }
  const leave = ({ currentTarget, relatedTarget }: FocusEvent) => {
    if (!currentTarget.contains(relatedTarget)) setOpen(false)
  }
  const searchAll = () => {
    search.searchAll()
    field.current?.focus() // the button goes while the search runs
  }
  return (
    <div className={styles.search} role="search" aria-label={t('find.label')} onBlur={leave}>
      <Icon name="search" size={18} />
      <input ref={field} className={styles.field} type="text" role="combobox" aria-label={t('find.label')} aria-expanded={isShown} aria-controls={id} aria-autocomplete="list"
        aria-activedescendant={isShown && chosen !== undefined ? `${id}-${chosen.id}` : undefined} placeholder={t('find.label')} value={text} autoComplete="off" spellCheck={false} enterKeyHint="search"
        onFocus={() => setOpen(true)} onChange={(event) => type(event.target.value)} onKeyDown={press} />
      <kbd aria-hidden="true">/</kbd>
      <div className={styles.results} hidden={!isShown}>
        <SearchState search={search} />
        <div id={id} role="listbox" aria-label={t('find.results')}>
          {vehicles.map((vehicle, index) => (
            <Result key={vehicle.id} id={`${id}-${vehicle.id}`} vehicle={vehicle} selected={index === active} onChoose={close} />
          ))}
        </div>
        {search.found !== undefined && search.found.searched < search.found.open && <SearchAll found={search.found} onClick={searchAll} />}
      </div>
    </div>
  )
}

/** Line above the results: how many vehicles were found, that the search still runs, or why it failed. */
function SearchState({ search: { typed, isLong, isLoading, found, error, retry } }: { search: VehicleSearchState }) {
  const t = useDesktopText()
  if (error !== null) {
    return (
      <div className={styles.message} role="alert">
        <p>{t('find.failed', { why: getErrorMessage(error, t) })}</p>
        <Button onClick={retry}>{t('common.tryAgain')}</Button>
      </div>
    )
  }
  return (
    <p className={styles.message} role="status">
      {isLoading && <Spinner />}
      {!isLong ? t('find.short', { n: MIN_SEARCH_LENGTH }) : found === undefined ? t('find.loading') : <Summary found={found} search={typed} />}
    </p>
  )
}

/** States how many vehicles were found. If none was found and not all open campaigns were searched, states how many were searched. */
function Summary({ found: { vehicles, total, searched, open }, search }: { found: VehicleSearchResult; search: string }) {
  const t = useDesktopText()
  if (total === 0) return searched < open ? t('find.noneYet', { search, n: searched, total: open }) : t('find.none', { search })
  return total > vehicles.length ? t('find.first', { n: vehicles.length }) : t('find.count', { n: total })
}

/** Button that searches all open campaigns, with the number of campaigns searched so far. */
function SearchAll({ found: { total, searched, open }, onClick }: { found: VehicleSearchResult; onClick: () => void }) {
  const t = useDesktopText()
  return (
    <div className={styles.message}>
      {total > 0 && <p>{t('find.some', { n: searched, total: open })}</p>}
      <Button onClick={onClick}>{t('find.all')}</Button>
    </div>
  )
}

/** Returns whether the key '/' focuses the header search: on devices with a mouse, unless the page has a search field of its own. */
const isSlashKeyFree = (): boolean => window.matchMedia('(pointer: fine)').matches && document.querySelector('main [role=search]') === null

function Result({ id, vehicle, selected, onChoose }: { id: string; vehicle: FoundVehicle; selected: boolean; onChoose: () => void }) {
  const { vin, space, status, inspected, campaign } = vehicle
  return (
    <Link href={`/vehicle/${vehicle.id}`} id={id} role="option" aria-selected={selected} tabIndex={-1} className={styles.result} onClick={onChoose}>
      <span className={styles.place}>
        <ParkingSpaceSign space={space} size="small" />
      </span>
      <span className={`${styles.vin} mono`}>
        {vin.slice(0, -COMPARED_DIGITS)}
        <strong>{vin.slice(-COMPARED_DIGITS)}</strong>
      </span>
      <span className={`${styles.campaign} ellipsis`} title={campaign}>
        {campaign}
      </span>
      <VehicleStatusBadge status={status} inspected={inspected} />
    </Link>
  )
}
