import { saveBlobAsFile } from '@/api/files'
import { getErrorMessage, ApiProblem } from '@/api/apiProblem'
import { useProductName } from '@/api/product'
import { buildCsv } from '@/lib/csv'
import { translateServerMessage } from '@/lib/translateServerMessage'
import type { TextKey } from '@/lib/text'
import { Button } from '@/ui/Button'
import { Alert } from '@/ui/Page'
import { getUploadRejection, useDownloadRejectedWorkbook, useDownloadWorkbookTemplate, type RejectedRow } from './api'
import columns from './columns.svg'
import { useImportText, type ImportTextKey } from './text'
import styles from './RejectedUploadNotice.module.css'

const SHEET = 50
const COLUMNS = 56
const TEXTS: Record<number, ImportTextKey | TextKey> = { 50: 'import.sheet', 51: 'import.damaged', 52: 'file.tooLarge', 53: 'file.onlyXlsx', 54: 'import.nameTaken', 55: 'import.empty', 56: 'import.columns', 57: 'import.badRows' }

/** Shows why the server rejected an uploaded workbook, and the steps to correct the workbook. */
export function RejectedUploadNotice({ error }: { error: Error }) {
  const t = useImportText()
  const product = useProductName()
  const { code, rows, workbook } = getUploadRejection(error)
  const hasWrongSheetName = code === SHEET || /worksheet/i.test(error.message)
  const key = TEXTS[hasWrongSheetName ? SHEET : (code ?? 0)]
  const answered = error instanceof ApiProblem && error.status > 0
  return (
    <Alert kind="error">
      <p>{key ? t(key, { product }) : t('import.failed')}</p>
      {!key && !answered && <p>{getErrorMessage(error, t)}</p>}
      {code === COLUMNS && <ColumnHelp />}
      {workbook !== null && <Corrections id={workbook} />}
      {rows.length > 0 && <BadRows rows={rows} />}
    </Alert>
  )
}

/** Button that downloads the rejected workbook with its errors marked, to be corrected and uploaded again. */
function Corrections({ id }: { id: string }) {
  const t = useImportText()
  const download = useDownloadRejectedWorkbook()
  return (
    <div className={styles.help}>
      <p>{t('import.correctHint')}</p>
      <Button kind="primary" icon="download" busy={download.isPending} onClick={() => download.mutate(id)}>
        {t('import.correct')}
      </Button>
      {download.isError && <p role="alert">{t('import.sheetGone', { why: getErrorMessage(download.error, t) })}</p>}
    </div>
  )
}

function ColumnHelp() {
  const t = useImportText()
  const template = useDownloadWorkbookTemplate()
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

function BadRows({ rows }: { rows: RejectedRow[] }) {
  const t = useImportText()
  const save = () => {
    const translated = rows.map((row) => ({ ...row, message: translateServerMessage(row.message) }))
    const csv = buildRejectedRowsCsv(translated, [t('import.row'), t('import.column'), t('import.problem')])
    saveBlobAsFile(new Blob([csv], { type: 'text/csv;charset=utf-8' }), t('import.errorsFile'))
  }
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
                <td>{translateServerMessage(message)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Button icon="download" onClick={save}>
        {t('import.downloadErrors')}
      </Button>
    </>
  )
}

/** Returns a CSV file of rejected rows with the given headings. */
export const buildRejectedRowsCsv = (rows: RejectedRow[], head: string[]): string => buildCsv([head, ...rows.map(({ row, column, message }) => [String(row), column, message])])
