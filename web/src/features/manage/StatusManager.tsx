import { draftOf } from '@/api/drafts'
import { wordsFor } from '@/api/problem'
import type { BulkStatus } from '@/api/types'
import { idFrom } from '@/lib/route'
import { statusIn, STATUSES } from '@/lib/status'
import { count } from '@/lib/time'
import { Button } from '@/ui/Button'
import { Select, TextArea } from '@/ui/Field'
import { Note } from '@/ui/Page'
import { toast } from '@/ui/Toast'
import { useStatusChange, useStatusPreview } from './api'
import { MOST_LINES, vinsIn } from './lines'
import { someStayed } from './outcome'
import { doneWords, Preview, Result } from './Preview'
import { Scope } from './Scope'
import { useManageText } from './text'
import { useRested } from './useRested'
import styles from './ManagePage.module.css'

const NOTHING = { text: '', action: 'insert' as 'insert' | 'remove', status: '', scope: '' }
const useEntry = draftOf(NOTHING)

/** Sets or clears the status of a pasted list of vehicles. */
export function StatusManager({ yard }: { yard: number | null }) {
  const t = useManageText()
  const [entry, setEntry] = useEntry()
  const { text, action, status, scope } = entry
  const rested = useRested(text)
  const change = useStatusChange()

  const vins = vinsIn(text)
  const chosen = action === 'remove' || statusIn(status) !== ''
  const ready = vins.length > 0 && vins.length <= MOST_LINES && chosen
  const bodyOf = (list: string[]): BulkStatus => ({
    vins: list, action, yard, campaign_id: idFrom(scope), ...(action === 'insert' ? { status: statusIn(status) } : {}),
  })
  const preview = useStatusPreview(ready && text === rested ? bodyOf(vins) : null)
  const execute = () => change.mutate(bodyOf(vins), {
    onSuccess: (result) => {
      toast('success', doneWords(result, t))
      if (action === 'insert' && someStayed(result)) toast('info', t('bulk.already'))
      if (result.not_found.length > 0 || (action === 'remove' && someStayed(result))) toast('info', t('bulk.some'))
      setEntry({ ...entry, text: '' })
    },
    onError: () => toast('error', t('bulk.statusFailed')),
  })
  return (
    <div className={styles.tool}>
      <div className={styles.entry}>
        <fieldset className={styles.actions}>
          <legend>{t('bulk.action')}</legend>
          {(['insert', 'remove'] as const).map((choice) => (
            <label key={choice} className={styles.radio}>
              <input type="radio" name="bulk-action" checked={action === choice} onChange={() => setEntry({ ...entry, action: choice })} />
              {t(choice === 'insert' ? 'bulk.insert' : 'bulk.remove')}
            </label>
          ))}
        </fieldset>
        {action === 'insert' ? (
          <Select label={t('vehicles.status')} value={status} onChange={(event) => setEntry({ ...entry, status: event.target.value })}>
            <option value="">{t('bulk.chooseStatus')}</option>
            {STATUSES.map((choice) => (
              <option key={choice}>{choice}</option>
            ))}
          </Select>
        ) : (
          <p className="quiet">{t('bulk.removeHint')}</p>
        )}
        <Scope value={scope} onChange={(campaign) => setEntry({ ...entry, scope: campaign })} />
        <TextArea label={t('bulk.vins')} hint={`${t('bulk.vinsHint')} ${t('bulk.lines', { n: count(vins.length) })}`} value={text} rows={5} spellCheck={false}
          error={vins.length > MOST_LINES ? t('bulk.tooMany', { n: count(MOST_LINES) }) : null}
          onChange={(event) => {
            change.reset()
            setEntry({ ...entry, text: event.target.value })
          }} />
      </div>
      <div className={styles.outcome}>
        <Preview kind={action} status={status} preview={preview}
          waiting={vins.length === 0 ? 'bulk.nothing' : chosen ? null : 'bulk.chooseFirst'} />
        {change.data && <Result result={change.data} />}
        {change.error && <Note kind="error">{`${t('bulk.statusFailed')}. ${wordsFor(change.error, t)}`}</Note>}
        <Button kind="primary" big wide disabled={!ready} busy={change.isPending} onClick={execute}>
          {t('bulk.execute')}
        </Button>
      </div>
    </div>
  )
}
