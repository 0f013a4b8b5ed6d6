import { useEffect, useRef, useState, type ComponentType, type ReactNode, type Ref } from 'react'
import { Button } from './Button'
import { ErrorNotice, Skeleton } from './Page'
import { TimelineFooter } from './Timeline'
import { useTimelineText } from './TimelineText'

/** Load state of one page of timeline events. */
interface TimelineQuery<E> {
  page: { events: readonly E[]; next?: string | null } | undefined
  isPending: boolean
  isOffline: boolean
  /** Reason why the page cannot be loaded; `null` without an error. */
  why: string | null
  onRetry: () => void
}

interface TimelinePageProps<E> {
  query: TimelineQuery<E>
  /** Whether this page is below a page with newer events. */
  isOlder: boolean
  Item: ComponentType<{ event: E; ref?: Ref<HTMLLIElement> | undefined }>
  keyOf: (event: E, index: number) => string
  /** Renders the next page of older events. `before` is the position at which that page starts. */
  renderPage: (before: string) => ReactNode
}

/** One page of a timeline, newest event first, with a button that adds the next page. */
export function TimelinePage<E>({ query, isOlder, Item, keyOf, renderPage }: TimelinePageProps<E>) {
  const t = useTimelineText()
  const [hasOlder, setHasOlder] = useState(false)
  const first = useRef<HTMLLIElement>(null)
  const { events, next } = query.page ?? {}
  const isLoaded = events !== undefined
  useEffect(() => {
    if (isOlder && isLoaded) first.current?.focus() // the focused button that loaded this page was removed
  }, [isOlder, isLoaded])
  return (
    <>
      {events?.map((event, index) => (
        <Item key={keyOf(event, index)} ref={index === 0 ? first : undefined} event={event} />
      ))}
      {events?.length === 0 && !isOlder && <li className="quiet">{t('history.none')}</li>}
      <LoadingState {...query} />
      {next && hasOlder && renderPage(next)}
      {next && !hasOlder && (
        <TimelineFooter>
          <Button onClick={() => setHasOlder(true)}>{t('history.older')}</Button>
        </TimelineFooter>
      )}
    </>
  )
}

/** Placeholder while a page loads, or the reason why it cannot be loaded. */
function LoadingState({ isPending, isOffline, why, onRetry }: Omit<TimelineQuery<unknown>, 'page'>) {
  const t = useTimelineText()
  if (why === null && !isPending) return null
  const text = isOffline ? t('history.offline') : why !== null ? t('history.notLoaded', { why }) : null
  return (
    <TimelineFooter>
      {text === null ? <Skeleton rows={3} height={64} label={t('history.loading')} onRetry={onRetry} /> : <ErrorNotice kind="warning" text={text} onRetry={onRetry} />}
    </TimelineFooter>
  )
}
