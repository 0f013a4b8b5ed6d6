import { defineFeatureText } from '@/lib/text/defineFeatureText'

const mix = {
  'history.of': 'History of {hmc}',
  'history.none': 'Ainda sem registros.',
  'history.close': 'Close',
  'history.level': 'Access level',
  'history.nobody': 'not signed in',
  'history.bulk.status': 'Bulk change of the status of {n} {n|vehicle|vehicles}',
  'history.bulk.space': '{n} {n|vehicle|vehicles} moved by a bulk change',
  'history.bulk.file': '{n} {n|vehicle|vehicles} changed by a CSV file',
  'history.bulk.undo': 'Bulk change undone, {n} {n|vehicle|vehicles} restored',
}

export const { catalogues, useFeatureText: useUserHistoryText } = defineFeatureText(
  mix,
  { 'history.none': 'No entries yet.' },
  {
    'history.of': 'Histórico de {hmc}',
    'history.close': 'Fechar',
    'history.level': 'Nível de acesso',
    'history.nobody': 'sem entrar',
    'history.bulk.status': 'Alteração em massa do status de {n} {n|veículo|veículos}',
    'history.bulk.space': '{n} {n|veículo movido|veículos movidos} por alteração em massa',
    'history.bulk.file': '{n} {n|veículo alterado|veículos alterados} por um arquivo CSV',
    'history.bulk.undo': 'Alteração em massa desfeita, {n} {n|veículo restaurado|veículos restaurados}',
  },
)
