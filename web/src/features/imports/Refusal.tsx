import { saveAs } from '@/api/files'
import { Problem, wordsFor } from '@/api/problem'
import { useProductName } from '@/api/product'
import { inWords } from '@/lib/inWords'
import { useText, type Key } from '@/lib/text'
import { Button } from '@/ui/Button'
import { Note } from '@/ui/Page'
import { refusalOf, useRejectedSheet, useTemplate, type BadRow } from './api'
import columns from './columns.svg'
import { useImportText } from './text'
import styles from './ImportPage.module.css'

const SHEET = 50
const COLUMNS = 56
const TEXTS: Record<number, Key> = { 50: 'import.sheet', 51: 'import.damaged', 52: 'import.tooLarge', 53: 'import.onlyXlsx', 54: 'import.nameTaken', 55: 'import.empty', 56: 'import.columns', 57: 'import.badRows' }

/** Why a workbook was not taken, and what to do about it. */
export function Refusal({ error }: { error: Error }) {
  const t = useText()
  const product = useProductName()
  const { code, rows, sheet: kept } = refusalOf(error)
  const sheet = code === SHEET || /worksheet/i.test(error.message)
  const key = TEXTS[sheet ? SHEET : (code ?? 0)]
  const answered = error instanceof Problem && error.status > 0
  return (
    <Note kind="error">
      <p>{key ? t(key, { product }) : t('import.failed')}</p>
      {!key && !answered && <p>{wordsFor(error, t)}</p>}
      {code === COLUMNS && <ColumnHelp />}
      {kept !== null && <Corrections id={kept} />}
      {rows.length > 0 && <BadRows rows={rows} />}
    </Note>
  )
}

/** The refused sheet itself, to be corrected in place. */
function Corrections({ id }: { id: string }) {
  const t = useImportText()
  const sheet = useRejectedSheet()
  return (
    <div className={styles.help}>
      <p>{t('import.correctHint')}</p>
      <Button kind="primary" icon="download" busy={sheet.isPending} onClick={() => sheet.mutate(id)}>
        {t('import.correct')}
      </Button>
      {sheet.isError && <p role="alert">{t('import.sheetGone', { why: wordsFor(sheet.error, t) })}</p>}
    </div>
  )
}

function ColumnHelp() {
  const t = useText()
  const template = useTemplate()
  return (
    <div className={styles.help}>
      <a href={columns} target="_blank" rel="noreferrer">
        {t('import.columnsImage')}
      </a>
      <Button icon="download" busy={template.isPending} onClick={() => template.mutate()}>
        {t('import.template')}
      </Button>
    </div>
  )
}

function BadRows({ rows }: { rows: BadRow[] }) {
  const t = useText()
  return (
    <>
      <div className={styles.bad} role="region" aria-label={t('import.badRowsList')} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t('import.row')}</th>
              <th scope="col">{t('import.column')}</th>
              <th scope="col">{t('import.problem')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ row, column, message }) => (
              <tr key={`${row} ${column} ${message}`}>
                <td>{row}</td>
                <td>{column}</td>
                <td>{inWords(message)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Button icon="download" onClick={() => saveAs(new Blob([csvOf(rows)], { type: 'text/csv' }), 'import-errors.csv')}>
        {t('import.downloadErrors')}
      </Button>
    </>
  )
}

/** The bad rows as CSV; a text that a spreadsheet would take for a formula is made harmless. */
export function csvOf(rows: BadRow[]): string {
  const cell = (text: string) => `"${(/^[=+\-@]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`
  const lines = rows.map(({ row, column, message }) => [String(row), cell(column), cell(message)].join(','))
  return ['Row,Column,Problem', ...lines].join('\r\n')
}
