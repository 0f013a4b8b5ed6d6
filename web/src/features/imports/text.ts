import { defineFeatureText } from '@/lib/text/defineFeatureText'

const mix = {
  'import.cancel': 'Cancel import',
  'import.cancelled': 'Importação cancelada. Nada foi importado.',
  'import.notCancelled': 'Não foi possível cancelar a importação. {why}',
  'import.correct': 'Download the spreadsheet with errors marked',
  'import.correctHint': 'Corrija as células marcadas e envie esse arquivo. A coluna Errors é ignorada.',
  'import.sheetGone': 'Não foi possível baixar a planilha. {why}',
  'import.errorsFile': 'import-errors.csv',
  'import.drop': 'Solte o arquivo aqui',
  'import.sevenColumns': 'The seven columns',
  'import.sheetRules': 'Aba Sheet1, com os nomes das colunas na primeira linha. Nenhuma outra coluna.',
  'import.example': 'Example',
  'import.firstRow': 'basta na primeira linha',
  'import.optional': 'pode ficar vazia',
  'import.asText': 'como texto, com os zeros',
  'import.last': 'Last imports',
  'import.history': 'History and undo',
  'import.noneYet': 'Nenhuma importação nos últimos 90 dias.',
  'import.undone': 'desfeita',
  'import.deleted': 'excluída',
}

export type ImportTextKey = keyof typeof mix

export const { catalogues, useFeatureText: useImportText } = defineFeatureText(
  mix,
  {
    'import.cancelled': 'Import cancelled. Nothing was imported.',
    'import.notCancelled': 'Could not cancel the import. {why}',
    'import.correctHint': 'Correct the marked cells and upload that file. The Errors column is ignored.',
    'import.sheetGone': 'Could not download the spreadsheet. {why}',
    'import.drop': 'Drop the file here',
    'import.sheetRules': 'The sheet is named Sheet1 and has the column names in its first row. No other columns are allowed.',
    'import.firstRow': 'only needed in the first row',
    'import.optional': 'may be empty',
    'import.asText': 'as text, with leading zeros',
    'import.noneYet': 'No imports in the last 90 days.',
    'import.undone': 'undone',
    'import.deleted': 'deleted',
  },
  {
    'import.cancel': 'Cancelar importação',
    'import.sevenColumns': 'As sete colunas',
    'import.example': 'Exemplo',
    'import.last': 'Últimas importações',
    'import.history': 'Histórico e desfazer',
    'import.correct': 'Baixar a planilha com os erros marcados',
    'import.errorsFile': 'erros-importacao.csv',
  },
)
