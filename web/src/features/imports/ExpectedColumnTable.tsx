import { getErrorMessage } from '@/api/apiProblem'
import { Button } from '@/ui/Button'
import { Alert } from '@/ui/Page'
import { useDownloadWorkbookTemplate } from './api'
import { useImportText, type ImportTextKey } from './text'
import styles from './ExpectedColumnTable.module.css'

/** Columns of a campaign workbook in order, with their required names and an example. */
const COLUMNS: { name: string; example: string; note?: ImportTextKey }[] = [
  { name: 'Campaign', example: 'Airbag 2026', note: 'import.firstRow' },
  { name: 'Part', example: 'Airbag', note: 'import.firstRow' },
  { name: 'Description', example: 'Check label', note: 'import.firstRow' },
  { name: 'Model Type', example: 'Hatch', note: 'import.optional' },
  { name: 'Model Code', example: 'HB20' },
  { name: 'Serial Number', example: '000123', note: 'import.asText' },
  { name: 'Parking Space', example: 'A-2' },
]
const LETTERS = 'ABCDEFG'

/** Table of the seven columns that a workbook needs, with an example file to download. */
export function ExpectedColumnTable() {
  const t = useImportText()
  const template = useDownloadWorkbookTemplate()
  return (
    <section className={styles.columns} aria-label={t('import.sevenColumns')}>
      <h2>{t('import.sevenColumns')}</h2>
      <p className="quiet">{t('import.sheetRules')}</p>
      <table className={styles.seven}>
        <caption className="sr-only">{t('import.sevenColumns')}</caption>
        <thead>
          <tr>
            <th scope="col">#</th>
            <th scope="col">{t('import.column')}</th>
            <th scope="col">{t('import.example')}</th>
          </tr>
        </thead>
        <tbody>
          {COLUMNS.map(({ name, example, note }, index) => (
            <tr key={name}>
              <td className={styles.letter}>{LETTERS[index]}</td>
              <th scope="row">{name}</th>
              <td>
                {example} {note && <span className="quiet">{t(note)}</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Button icon="download" wide busy={template.isPending} onClick={() => template.mutate()}>
        {t('import.template')}
      </Button>
      {template.isError && <Alert kind="error">{getErrorMessage(template.error, t)}</Alert>}
    </section>
  )
}
