import { featureText } from '@/lib/text/feature'

const mix = {
  'import.cancel': 'Cancel import',
  'import.cancelled': 'Importação cancelada. Nada foi guardado.',
  'import.notCancelled': 'A importação não pôde ser cancelada. {why}',
  'import.correct': 'Download the sheet with its errors',
  'import.correctHint': 'Corrija as células marcadas e envie o mesmo arquivo de novo; a coluna Errors é ignorada.',
  'import.sheetGone': 'A planilha não pôde ser baixada. {why}',
}

export type ImportKey = keyof typeof mix

export const { catalogues, useFeatureText: useImportText } = featureText(
  mix,
  {
    'import.cancelled': 'Import cancelled. Nothing was kept.',
    'import.notCancelled': 'The import could not be cancelled. {why}',
    'import.correctHint': 'Correct the marked cells and send the same file again; the Errors column is ignored.',
    'import.sheetGone': 'The sheet could not be downloaded. {why}',
  },
  {
    'import.cancel': 'Cancelar importação',
    'import.correct': 'Baixar a planilha com os erros',
  },
)
