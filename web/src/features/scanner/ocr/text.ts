import { defineFeatureText } from '@/lib/text/defineFeatureText'

export const { catalogues, useFeatureText: useOcrText } = defineFeatureText(
  {
    'read.title': 'Read text',
    'read.loading': 'Preparando a leitura de texto...',
    'read.reading': 'Lendo o texto...',
    'read.confirm': 'É este o veículo?',
    'read.use': 'Use this vehicle',
    'read.pick': 'Escolha o veículo que está diante de você.',
    'read.at': 'na vaga {space}',
    'read.none': 'Nenhum texto legível.',
    'read.unknown': 'Nenhum veículo da campanha corresponde a "{text}".',
    'read.advice': 'Aproxime a câmera, evite reflexos e leia novamente, ou use Manual.',
    'read.again': 'Read again',
    'read.offline': 'A leitura de texto ainda não está neste aparelho. Conecte-se uma vez para baixá-la, ou use Manual.',
    'read.failed': 'A leitura de texto parou. Tente novamente, ou use Manual.',
  },
  {
    'read.loading': 'Preparing to read text...',
    'read.reading': 'Reading the text...',
    'read.confirm': 'Is this the vehicle?',
    'read.pick': 'Choose the vehicle in front of you.',
    'read.at': 'at {space}',
    'read.none': 'No readable text.',
    'read.unknown': 'No vehicle of the campaign matches "{text}".',
    'read.advice': 'Move closer, avoid reflections and read again, or use Manual.',
    'read.offline': 'Text reading is not on this device yet. Connect once to download it, or use Manual.',
    'read.failed': 'Text reading stopped. Try again, or use Manual.',
  },
  {
    'read.title': 'Ler texto',
    'read.use': 'Usar este veículo',
    'read.again': 'Ler novamente',
  },
)
