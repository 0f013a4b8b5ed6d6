import { defineFeatureText } from '@/lib/text/defineFeatureText'

const mix = {
  'history.name': 'Name',
  'history.image': 'Image',
  'history.status': 'Status',
  'history.import': 'Imported with {n} {n|vehicle|vehicles}',
  'history.statusSet': 'Status {status} set on {n} {n|vehicle|vehicles}',
  'history.statusRemoved': 'Status removed from {n} {n|vehicle|vehicles}',
  'history.moved': '{n} {n|vehicle|vehicles} moved',
  'history.file': '{n} {n|vehicle|vehicles} changed by {file}',
  'history.csv': 'a CSV file',
  'history.undone': 'Bulk change undone, {n} {n|vehicle|vehicles} restored',
}

export const { catalogues, useFeatureText: useCampaignHistoryText } = defineFeatureText(
  mix,
  {
  },
  {
    'history.name': 'Nome',
    'history.image': 'Imagem',
    'history.import': 'Importada com {n} {n|veículo|veículos}',
    'history.statusSet': 'Status {status} definido em {n} {n|veículo|veículos}',
    'history.statusRemoved': 'Status removido de {n} {n|veículo|veículos}',
    'history.moved': '{n} {n|veículo movido|veículos movidos}',
    'history.file': '{n} {n|veículo alterado|veículos alterados} por {file}',
    'history.csv': 'um arquivo CSV',
    'history.undone': 'Alteração em massa desfeita, {n} {n|veículo restaurado|veículos restaurados}',
  },
)
