import { getErrorMessage } from '@/api/apiProblem'
import { countPages } from '@/lib/pagination'
import { parsePageNumber, setQueryParams, useQueryParams } from '@/lib/route'
import { Button } from '@/ui/Button'
import { Chip } from '@/ui/Chips'
import { Select, TextField } from '@/ui/Field'
import { EmptyState, ErrorNotice, Page, Skeleton } from '@/ui/Page'
import { Pager } from '@/ui/Pager'
import { PrintedRangeLine } from '@/ui/PrintedRangeLine'
import { SearchBox } from '@/ui/SearchBox'
import { useAuditEvents, type AuditFilter } from './api'
import { AuditEventTable } from './AuditEventTable'
import { AUDIT_EVENT_KINDS } from './auditEvents'
import { useAuditText } from './text'
import styles from './AuditLogPage.module.css'

const SEARCH_DEBOUNCE_MS = 250
const CLEARED = { kind: null, hmc: null, from: null, to: null, search: null, page: null }

function useFilter(): AuditFilter {
  const query = useQueryParams()
  const text = (name: string) => query.get(name) ?? ''
  return { kind: text('kind'), pageViews: text('page_views') === '1', hmc: text('hmc'), from: text('from'), to: text('to'), search: text('search'), page: parsePageNumber(query) }
}

/** Audit log screen of the developer account, with filters and pages. */
export default function AuditLogPage() {
  const t = useAuditText()
  const filter = useFilter()
  const filtered = [filter.kind, filter.hmc, filter.from, filter.to, filter.search].some((value) => value !== '')
  const audit = useAuditEvents(filter)
  const events = audit.data?.events
  return (
    <Page title={t('audit.title')}>
      <Filters filter={filter} filtered={filtered} />
      {audit.isError && <ErrorNotice text={getErrorMessage(audit.error, t)} onRetry={() => void audit.refetch()} />}
      {audit.isPending && <Skeleton rows={6} height={56} label={t('common.loading')} onRetry={() => void audit.refetch()} />}
      {audit.data?.meta.total_count === 0 && <EmptyState icon="log" text={t(filtered ? 'audit.noMatch' : 'audit.none')} />}
      {audit.data && <PrintedRangeLine from={(filter.page - 1) * audit.data.meta.per_page} count={audit.data.events.length} total={audit.data.meta.total_count} />}
      {events && events.length > 0 && <AuditEventTable events={events} />}
      {audit.data && <Pager page={filter.page} pages={countPages(audit.data.meta.total_count, audit.data.meta.per_page)} onPage={(page) => setQueryParams({ page })} />}
    </Page>
  )
}

function Filters({ filter, filtered }: { filter: AuditFilter; filtered: boolean }) {
  const t = useAuditText()
  return (
    <section className={styles.filters} aria-label={t('audit.filters')}>
      <div className={styles.search}>
        <SearchBox label={t('audit.search')} value={filter.search} debounceMs={SEARCH_DEBOUNCE_MS} onChange={(search) => setQueryParams({ search, page: null })} />
      </div>
      <Select label={t('audit.kind')} value={filter.kind} onChange={(event) => setQueryParams({ kind: event.target.value, page: null })}>
        <option value="">{t('audit.everyKind')}</option>
        {AUDIT_EVENT_KINDS.map((kind) => (
          <option key={kind} value={kind}>
            {t(`kind.${kind}`)}
          </option>
        ))}
      </Select>
      <TextField label={t('audit.hmc')} value={filter.hmc} autoComplete="off" autoCapitalize="none" spellCheck={false} onChange={(event) => setQueryParams({ hmc: event.target.value, page: null })} />
      <TextField label={t('audit.from')} type="date" value={filter.from} max={filter.to || undefined} onChange={(event) => setQueryParams({ from: event.target.value, page: null })} />
      <TextField label={t('audit.to')} type="date" value={filter.to} min={filter.from || undefined} onChange={(event) => setQueryParams({ to: event.target.value, page: null })} />
      <div className={styles.last}>
        {filter.kind === '' && <Chip text={t('audit.pageViews')} pressed={filter.pageViews} onPress={() => setQueryParams({ page_views: filter.pageViews ? null : 1, page: null })} />}
        {filtered && <Button icon="close" onClick={() => setQueryParams(CLEARED)}>{t('audit.clear')}</Button>}
      </div>
    </section>
  )
}
