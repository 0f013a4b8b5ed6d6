import { useEffect, useState, type ComponentType } from 'react'
import { ErrorNotice, Skeleton } from './Page'
import { useTimelineText } from './TimelineText'

interface LazyTimelineProps<P extends object> {
  /** Loads the code of the timeline. Must be the same function on every render. */
  load: () => Promise<ComponentType<P>>
  props: P
  isOnline: boolean
}

/** Timeline whose code is loaded on first render. When loading fails, an error with a retry button replaces the timeline. */
export function LazyTimeline<P extends object>({ load, props, isOnline }: LazyTimelineProps<P>) {
  const t = useTimelineText()
  const [attempt, setAttempt] = useState(1)
  const [failedAttempt, setFailedAttempt] = useState(0)
  const [part, setPart] = useState<{ Timeline: ComponentType<P> } | null>(null)
  useEffect(() => {
    load().then((Timeline) => setPart({ Timeline }), () => setFailedAttempt(attempt))
  }, [load, attempt])
  if (part !== null) return <part.Timeline {...props} />
  if (failedAttempt < attempt) return <Skeleton rows={3} height={64} label={t('history.loading')} />
  return <ErrorNotice kind="warning" text={t(isOnline ? 'history.partNotLoaded' : 'history.offline')} onRetry={() => setAttempt(attempt + 1)} />
}
