import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useId, useRef, useState, type FocusEvent, type KeyboardEvent } from 'react'
import { queryKeys } from '@/api/queryKeys'
import { getErrorMessage } from '@/api/apiProblem'
import { Link, navigate } from '@/lib/route'
import { Icon } from '@/ui/Icon'
import { Spinner } from '@/ui/Page'
import { ParkingSpaceSign } from '@/ui/ParkingSpaceSign'
import { VehicleStatusBadge } from '@/ui/Status'
import { Button } from '@/ui/Button'
import { searchVehicles, type FoundVehicle } from './searchVehicles'
import { listenForShortcuts } from './shortcuts'
import { useDesktopText } from './text'
import styles from './HeaderSearch.module.css'

const DEBOUNCE_MS = 250
const MIN_LENGTH = 2
const COMPARED_DIGITS = 4

/** Search field for a VIN or a parking space in the open campaigns. Each result opens the vehicle. */
export function HeaderSearch() {
  const t = useDesktopText()
  const queries = useQueryClient()
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [active, setActive] = useState(0)
  const typed = text.trim()
  const search = useDebounced(typed)
  const isLong = typed.length >= MIN_LENGTH
  const result = useQuery({
    queryKey: queryKeys.vehiclesEverywhere(search),
    queryFn: ({ signal }) => searchVehicles(queries, search, signal),
    enabled: isOpen && search.length >= MIN_LENGTH,
    retry: false,
  })
  const isLoading = isLong && (search !== typed || result.isFetching)
  const vehicles = isLong && !isLoading ? (result.data?.vehicles ?? []) : []
  const chosen = vehicles[active]
  useEffect(() => listenForShortcuts({ '/': () => field.current?.focus() }, isSlashKeyFree), [])

  const close = () => {
    setOpen(false)
    setText('')
    field.current?.blur()
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
  const isShown = isOpen && typed !== ''
  return (
    <div className={styles.search} role="search" aria-label={t('find.label')} onBlur={leave}>
      <Icon name="search" size={18} />
      <input ref={field} className={styles.field} type="text" role="combobox" aria-label={t('find.label')} aria-expanded={isShown} aria-controls={id} aria-autocomplete="list"
        aria-activedescendant={isShown && chosen !== undefined ? `${id}-${chosen.id}` : undefined} placeholder={t('find.label')} value={text} autoComplete="off" spellCheck={false} enterKeyHint="search"
        onFocus={() => setOpen(true)}
        onChange={(event) => {
          setText(event.target.value)
          setActive(0)
          setOpen(true)
        }}
        onKeyDown={press} />
      <kbd aria-hidden="true">/</kbd>
      <div className={styles.results} hidden={!isShown}>
        {isLong && result.isError && !isLoading ? (
          <div className={styles.message} role="alert">
            <p>{t('find.failed', { why: getErrorMessage(result.error, t) })}</p>
            <Button onClick={() => void result.refetch()}>{t('common.tryAgain')}</Button>
          </div>
        ) : (
          <p className={styles.message} role="status">
            {isLoading && <Spinner />}
            {!isLong ? t('find.short', { n: MIN_LENGTH }) : isLoading ? t('find.loading') : vehicles.length === 0 ? t('find.none', { search: typed }) : t('find.count', { n: vehicles.length })}
          </p>
        )}
        <div id={id} role="listbox" aria-label={t('find.results')}>
          {vehicles.map((vehicle, index) => (
            <Result key={vehicle.id} id={`${id}-${vehicle.id}`} vehicle={vehicle} selected={index === active} onChoose={close} />
          ))}
        </div>
        {result.data && isLong && !isLoading && result.data.open > result.data.searched && (
          <p className={styles.message}>{t('find.newest', { n: result.data.searched, total: result.data.open })}</p>
        )}
      </div>
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

/** Returns the debounced text: a change takes effect after a pause in typing, so that not every key press starts a search. */
function useDebounced(text: string): string {
  const [rested, setRested] = useState(text)
  useEffect(() => {
    const timer = setTimeout(setRested, DEBOUNCE_MS, text)
    return () => clearTimeout(timer)
  }, [text])
  return rested
}
