import { useEffect, useEffectEvent, useState } from 'react'
import { draftOf } from '@/api/drafts'
import { wordsFor } from '@/api/problem'
import { inWords } from '@/lib/inWords'
import { count } from '@/lib/time'
import { Button } from '@/ui/Button'
import { DropZone } from '@/ui/DropZone'
import { Note } from '@/ui/Page'
import { toast } from '@/ui/Toast'
import { useCsvChange, useCsvCheck } from './api'
import { complaintAboutCsv, errorsOf, mayExecute, type CsvError } from './csv'
import { CsvPreview } from './CsvPreview'
import { useManageText, type ManageKey } from './text'
import { WrongLines } from './WrongLines'
import styles from './ManagePage.module.css'

const useFile = draftOf<File | null>(null)

/** Changes vehicles as a CSV file says, after showing what it would change. */
export function CsvEditor() {
  const t = useManageText()
  const [file, setFile] = useFile()
  const [complaint, setComplaint] = useState<ManageKey | null>(null)
  const check = useCsvCheck()
  const change = useCsvChange()

  const clear = () => {
    setFile(null)
    setComplaint(null)
    check.reset()
    change.reset()
  }
  const look = (chosen: File) => check.mutate(chosen, { onError: () => toast('error', t('csv.unreadable')) })
  const choose = (chosen: File) => {
    clear()
    const wrong = complaintAboutCsv(chosen)
    setComplaint(wrong)
    if (wrong !== null) return void toast('error', t(wrong))
    setFile(chosen)
    look(chosen)
  }
  const checkAgain = useEffectEvent(() => file !== null && look(file))
  useEffect(() => void checkAgain(), [])
  const execute = (chosen: File) => change.mutate(chosen, {
    onSuccess: ({ updated }) => {
      toast('success', doneWords(updated, t))
      setFile(null)
      check.reset()
    },
    onError: () => toast('error', t('csv.notExecuted')),
  })
  const linesOf = (errors: CsvError[]) => errors.map(({ line, message }) => (message.startsWith(`line ${line} `) ? inWords(message) : t('bulk.line', { line, problem: inWords(message) })))
  const refused = errorsOf(change.error)
  const ready = file !== null && check.isSuccess && mayExecute(check.data)
  return (
    <div className={styles.tool}>
      <div className={styles.entry}>
        <DropZone label={t('csv.file')} accept=".csv" title={file?.name ?? t('csv.choose')} hint={t(file === null ? 'csv.limits' : 'import.another')} disabled={change.isPending} onChoose={choose} />
        <p className="quiet">{t('csv.columns')}</p>
        {complaint !== null && <Note kind="error">{t(complaint)}</Note>}
        {check.isError && <Note kind="error">{`${t('csv.unreadable')} ${wordsFor(check.error, t)}`}</Note>}
        {check.data && check.data.total_errors > 0 && <WrongLines lines={linesOf(check.data.errors)} total={check.data.total_errors} />}
      </div>
      <div className={styles.outcome}>
        <div className={styles.preview}>
          <h3>{t('bulk.preview')}</h3>
          {check.isPending && <p role="status">{t('bulk.checking')}</p>}
          {check.data ? <CsvPreview result={check.data} /> : !check.isPending && <p className="quiet">{t('csv.nothing')}</p>}
        </div>
        {change.data && <Note kind="success">{doneWords(change.data.updated, t)}</Note>}
        {change.error && <Note kind="error">{`${t('csv.notExecuted')}. ${wordsFor(change.error, t)}`}</Note>}
        {refused.length > 0 && <WrongLines lines={linesOf(refused)} total={refused.length} />}
        <Button kind="primary" big wide disabled={!ready} busy={change.isPending} onClick={() => file !== null && execute(file)}>
          {t('bulk.execute')}
        </Button>
        <Button wide disabled={(file === null && complaint === null && change.data === undefined) || change.isPending} onClick={clear}>
          {t('csv.clear')}
        </Button>
      </div>
    </div>
  )
}

const doneWords = (updated: number, t: ReturnType<typeof useManageText>) => t(updated === 1 ? 'csv.doneOne' : 'csv.done', { n: count(updated) })
