import { defineFeatureText } from '@/lib/text/defineFeatureText'

const mix = {
  'history.scanned': 'scanned',
  'history.typed': 'typed',
  'history.withoutScan': 'without scan',
  'history.csv': 'CSV file {file}',
  'history.csvPlain': 'CSV file',
  'history.imported': 'Imported',
  'history.importedFrom': 'Imported from {file}',
  'history.inspected': 'Inspected without changes',
  'history.resolved': 'Conflict resolved',
  'history.unchanged': 'Conflict resolved, first value kept',
  'history.conflict': 'Conflict',
  'history.stored': 'stored first',
  'history.entered': 'in this save',
  'history.deviceTime': 'Hora do aparelho: {date} {time}',
}

export const { catalogues, useFeatureText: useVehicleHistoryText } = defineFeatureText(
  mix,
  {
    'history.deviceTime': 'Device time: {date} {time}',
  },
  {
    'history.scanned': 'lido',
    'history.typed': 'digitado',
    'history.withoutScan': 'sem leitura',
    'history.csv': 'arquivo CSV {file}',
    'history.csvPlain': 'arquivo CSV',
    'history.imported': 'Importado',
    'history.importedFrom': 'Importado de {file}',
    'history.inspected': 'Inspecionado sem alterações',
    'history.resolved': 'Conflito resolvido',
    'history.unchanged': 'Conflito resolvido, ficou o valor salvo primeiro',
    'history.conflict': 'Conflito',
    'history.stored': 'salvo primeiro',
    'history.entered': 'nesta inspeção',
  },
)
