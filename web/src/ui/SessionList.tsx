import { formatTimeAgo, useCurrentTime } from '@/lib/timeAgo'
import { useLanguage } from '@/lib/text'
import { defineFeatureText } from '@/lib/text/defineFeatureText'
import { formatDate, formatHourMinute } from '@/lib/format'
import { Button } from './Button'
import { Alert, ErrorNotice, Skeleton } from './Page'
import styles from './SessionList.module.css'

const mix = {
  'sessions.explain': 'Ao encerrar, o aparelho sai na próxima conexão e perde os dados offline e os rascunhos. Os envios pendentes ficam nele, cifrados, até a pessoa entrar novamente.',
  'sessions.unknown': 'Unknown device',
  'sessions.device': '{browser} on {system}',
  'sessions.this': 'this device',
  'sessions.since': 'Desde {date} {time}',
  'sessions.used': 'Último uso {age}',
  'sessions.end': 'End',
  'sessions.endLabel': 'End the session on {device}',
  'sessions.endOthers': 'End all others',
  'sessions.endAll': 'End all',
  'sessions.none': 'Nenhuma sessão aberta.',
  'sessions.notLoaded': 'Não foi possível carregar as sessões.',
  'sessions.notEnded': 'Não foi possível encerrar a sessão. {why}',
  'sessions.ended': 'Sessão encerrada.',
  'sessions.allEnded': 'Sessões encerradas.',
}

export const { catalogues, useFeatureText: useSessionsText } = defineFeatureText(
  mix,
  {
    'sessions.explain': 'Ending a session signs that device out when it is next online and removes its offline data and drafts. Pending saves stay on it, encrypted, until the person signs in again.',
    'sessions.since': 'Since {date} {time}',
    'sessions.used': 'Last used {age}',
    'sessions.none': 'No open sessions.',
    'sessions.notLoaded': 'Could not load the sessions.',
    'sessions.notEnded': 'Could not end the session. {why}',
    'sessions.ended': 'Session ended.',
    'sessions.allEnded': 'Sessions ended.',
  },
  {
    'sessions.unknown': 'Aparelho desconhecido',
    'sessions.this': 'este aparelho',
    'sessions.end': 'Encerrar',
    'sessions.device': '{browser} no {system}',
    'sessions.endLabel': 'Encerrar a sessão em {device}',
    'sessions.endOthers': 'Encerrar todas as outras',
    'sessions.endAll': 'Encerrar todas',
  },
)

export interface ListedSession {
  id: string
  /** Whether this is the session of the current page. */
  current: boolean
  device: string
  address: string
  created_at: string
  last_used_at: string
}

interface SessionListProps {
  /** Open sessions to list; `undefined` while the sessions are loading. */
  sessions: ListedSession[] | undefined
  failed: boolean
  /** Id of the session that is being ended; `null` while all sessions except the current session are being ended, `undefined` when idle. */
  ending: string | null | undefined
  /** Error message of the last attempt to end a session; `null` when the attempt did not fail. */
  why: string | null
  onRetry: () => void
  /** Ends the session with this id; with `null`, ends all sessions except the current session. */
  onEnd: (session: string | null) => void
}

/** List of the open sessions of one person, with buttons to end one session or all sessions except the current session. */
export function SessionList({ sessions, failed, ending, why, onRetry, onEnd }: SessionListProps) {
  const t = useSessionsText()
  if (failed) return <ErrorNotice text={t('sessions.notLoaded')} onRetry={onRetry} />
  if (sessions === undefined) return <Skeleton rows={2} height={60} label={t('common.loading')} />
  if (sessions.length === 0) return <p className="quiet">{t('sessions.none')}</p>
  const others = sessions.filter(({ current }) => !current)
  return (
    <>
      <ul className={styles.list}>
        {sessions.map((session) => (
          <Session key={session.id} session={session} busy={ending === session.id} onEnd={() => onEnd(session.id)} />
        ))}
      </ul>
      {why !== null && <Alert kind="error">{t('sessions.notEnded', { why })}</Alert>}
      {others.length > 0 && (
        <>
          <p className="quiet">{t('sessions.explain')}</p>
          <div className={styles.all}>
            <Button icon="out" data-danger busy={ending === null} onClick={() => onEnd(null)}>
              {t(others.length < sessions.length ? 'sessions.endOthers' : 'sessions.endAll')}
            </Button>
          </div>
        </>
      )}
    </>
  )
}

function Session({ session: { current, device, address, created_at, last_used_at }, busy, onEnd }: { session: ListedSession; busy: boolean; onEnd: () => void }) {
  const t = useSessionsText()
  const language = useLanguage()
  const now = useCurrentTime()
  const [browser, system] = device.split(' on ')
  const name = device === '' ? t('sessions.unknown') : browser && system ? t('sessions.device', { browser, system }) : device
  return (
    <li className={styles.session}>
      <div>
        <strong>{name}</strong>
        {current && <span className="quiet"> ({t('sessions.this')})</span>}
        <p className="quiet">{[t('sessions.since', { date: formatDate(created_at), time: formatHourMinute(created_at) }), address].filter(Boolean).join(' · ')}</p>
        <p className="quiet">{t('sessions.used', { age: formatTimeAgo(current ? now : Date.parse(last_used_at), now, language) })}</p>
      </div>
      {!current && (
        <Button busy={busy} aria-label={t('sessions.endLabel', { device: [name, address].filter(Boolean).join(', ') })} onClick={onEnd}>
          {t('sessions.end')}
        </Button>
      )}
    </li>
  )
}
