import { defineFeatureText } from '@/lib/text/defineFeatureText'

export const { catalogues, useFeatureText: useTimelineText } = defineFeatureText(
  {
    'history.title': 'History',
    'history.loading': 'Loading history...',
    'history.notLoaded': 'Não foi possível carregar o histórico. {why}',
    'history.partNotLoaded': 'Não foi possível carregar o histórico.',
    'history.offline': 'O histórico não está disponível offline. Conecte-se para vê-lo.',
    'history.none': 'Ainda sem alterações.',
    'history.older': 'Show older',
    'history.to': 'to',
    'history.empty': 'empty',
    'history.automatic': 'automatic',
    'history.bulk': 'bulk change',
  },
  {
    'history.notLoaded': 'Could not load the history. {why}',
    'history.partNotLoaded': 'Could not load the history.',
    'history.offline': 'The history is not available offline. Connect to the internet to see it.',
    'history.none': 'No changes yet.',
  },
  {
    'history.title': 'Histórico',
    'history.loading': 'Carregando o histórico...',
    'history.older': 'Mostrar anteriores',
    'history.to': 'para',
    'history.empty': 'vazio',
    'history.automatic': 'automático',
    'history.bulk': 'alteração em massa',
  },
)
