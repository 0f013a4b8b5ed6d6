import { wordsFor } from '@/api/problem'
import { pageCount } from '@/lib/pages'
import { pageFrom, setQuery, useQueryParams } from '@/lib/route'
import { Button } from '@/ui/Button'
import { Select, TextField } from '@/ui/Field'
import { Empty, Failure, Page, Skeleton } from '@/ui/Page'
import { Pager } from '@/ui/Pager'
import { SearchBox } from '@/ui/SearchBox'
import { useAudit, type AuditFilter } from './api'
import { EventTable } from './EventTable'
import { KINDS } from './events'
import { useAuditText } from './text'
import styles from './LogsAuditPage.module.css'

const SEARCH_REST = 250
const CLEARED = { kind: null, hmc: null, from: null, to: null, search: null, page: null }

function useFilter(): AuditFilter {
  const query = useQueryParams()
  const text = (name: string) => query.get(name) ?? ''
  return { kind: text('kind'), hmc: text('hmc'), from: text('from'), to: text('to'), search: text('search'), page: pageFrom(query) }
}

/** Who did what and when, for the developer account. */
export default function LogsAuditPage() {
  const t = useAuditText()
  const filter = useFilter()
  const filtered = [filter.kind, filter.hmc, filter.from, filter.to, filter.search].some((value) => value !== '')
  const audit = useAudit(filter)
  const events = audit.data?.events
  return (
    <Page title={t('audit.title')}>
      <Filters filter={filter} filtered={filtered} />
      {audit.isError && <Failure text={wordsFor(audit.error, t)} onRetry={() => void audit.refetch()} />}
      {audit.isPending && <Skeleton rows={6} height={56} label={t('common.loading')} />}
      {audit.data?.meta.total_count === 0 && <Empty icon="log" text={t(filtered ? 'audit.noMatch' : 'audit.none')} />}
      {events && events.length > 0 && <EventTable events={events} />}
      {audit.data && <Pager page={filter.page} pages={pageCount(audit.data.meta.total_count, audit.data.meta.per_page)} onPage={(page) => setQuery({ page })} />}
    </Page>
  )
}

function Filters({ filter, filtered }: { filter: AuditFilter; filtered: boolean }) {
  const t = useAuditText()
  return (
    <section className={styles.filters} aria-label={t('audit.filters')}>
      <div className={styles.search}>
        <SearchBox label={t('audit.search')} value={filter.search} rest={SEARCH_REST} onChange={(search) => setQuery({ search, page: null })} />
      </div>
      <Select label={t('audit.kind')} value={filter.kind} onChange={(event) => setQuery({ kind: event.target.value, page: null })}>
        <option value="">{t('audit.everyKind')}</option>
        {KINDS.map((kind) => (
          <option key={kind} value={kind}>
            {t(`kind.${kind}`)}
          </option>
        ))}
      </Select>
      <TextField label={t('audit.hmc')} value={filter.hmc} autoComplete="off" autoCapitalize="none" spellCheck={false} onChange={(event) => setQuery({ hmc: event.target.value, page: null })} />
      <TextField label={t('audit.from')} type="date" value={filter.from} max={filter.to || undefined} onChange={(event) => setQuery({ from: event.target.value, page: null })} />
      <TextField label={t('audit.to')} type="date" value={filter.to} min={filter.from || undefined} onChange={(event) => setQuery({ to: event.target.value, page: null })} />
      {filtered && <Button icon="close" onClick={() => setQuery(CLEARED)}>{t('audit.clear')}</Button>}
    </section>
  )
}
