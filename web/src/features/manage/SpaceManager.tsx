import { draftOf } from '@/api/drafts'
import { wordsFor } from '@/api/problem'
import type { BulkSpaces } from '@/api/types'
import { idFrom } from '@/lib/route'
import { count } from '@/lib/time'
import { Button } from '@/ui/Button'
import { TextArea } from '@/ui/Field'
import { Note } from '@/ui/Page'
import { toast } from '@/ui/Toast'
import { useSpaceChange, useSpacePreview } from './api'
import { MOST_LINES, spacesIn } from './lines'
import { doneWords, Preview, Result } from './Preview'
import { Scope } from './Scope'
import { useManageText } from './text'
import { useRested } from './useRested'
import { WrongLines } from './WrongLines'
import styles from './ManagePage.module.css'

const useEntry = draftOf({ text: '', scope: '' })

/** Moves a pasted list of vehicles to other parking spaces. */
export function SpaceManager({ yard }: { yard: number | null }) {
  const t = useManageText()
  const [entry, setEntry] = useEntry()
  const { text, scope } = entry
  const rested = useRested(text)
  const change = useSpaceChange()

  const { rows, wrong } = spacesIn(text)
  const ready = rows.length > 0 && rows.length <= MOST_LINES && wrong.length === 0
  const body: BulkSpaces = { rows, yard, campaign_id: idFrom(scope) }
  const preview = useSpacePreview(ready && text === rested ? body : null)
  const execute = () => change.mutate(body, {
    onSuccess: (result) => {
      toast('success', doneWords(result, t))
      if (result.not_found.length > 0) toast('info', t('bulk.some'))
      setEntry({ ...entry, text: '' })
    },
    onError: () => toast('error', t('bulk.spaceFailed')),
  })
  return (
    <div className={styles.tool}>
      <div className={styles.entry}>
        <Scope value={scope} onChange={(campaign) => setEntry({ ...entry, scope: campaign })} />
        <TextArea label={t('bulk.rows')} hint={`${t('bulk.rowsHint')} ${t('bulk.lines', { n: count(rows.length + wrong.length) })}`} placeholder="HB20 000123 A-12" value={text} rows={5} spellCheck={false}
          error={rows.length > MOST_LINES ? t('bulk.tooMany', { n: count(MOST_LINES) }) : null}
          onChange={(event) => {
            change.reset()
            setEntry({ ...entry, text: event.target.value })
          }} />
        {wrong.length > 0 && <WrongLines lines={wrong.map(({ line, problem }) => t('bulk.line', { line, problem: t(problem) }))} total={wrong.length} />}
      </div>
      <div className={styles.outcome}>
        <Preview kind="move" status="" preview={preview}
          waiting={wrong.length > 0 ? 'bulk.repairFirst' : rows.length === 0 ? 'bulk.nothing' : null} />
        {change.data && <Result result={change.data} />}
        {change.error && <Note kind="error">{`${t('bulk.spaceFailed')}. ${wordsFor(change.error, t)}`}</Note>}
        <Button kind="primary" big wide disabled={!ready} busy={change.isPending} onClick={execute}>
          {t('bulk.execute')}
        </Button>
      </div>
    </div>
  )
}
