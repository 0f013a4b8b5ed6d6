import { defineFeatureText } from '@/lib/text/defineFeatureText'

export const { catalogues, useFeatureText: useOcrText } = defineFeatureText(
  {
    'read.title': 'Read label',
    'read.loading': 'Preparando a leitura da etiqueta...',
    'read.reading': 'Lendo a etiqueta...',
    'read.confirm': 'É este o veículo?',
    'read.use': 'Use this vehicle',
    'read.pick': 'Escolha o veículo que está diante de você.',
    'read.at': 'na vaga {space}',
    'read.none': 'Nenhum texto legível.',
    'read.unknown': 'Nenhum veículo da campanha corresponde a "{text}".',
    'read.advice': 'Aproxime a câmera, evite reflexos e leia novamente, ou use Manual.',
    'read.again': 'Read again',
    'read.offline': 'A leitura de etiquetas ainda não está neste aparelho. Conecte-se uma vez para baixá-la, ou use Manual.',
    'read.failed': 'A leitura da etiqueta parou. Tente novamente, ou use Manual.',
  },
  {
    'read.loading': 'Preparing to read the label...',
    'read.reading': 'Reading the label...',
    'read.confirm': 'Is this the vehicle?',
    'read.pick': 'Choose the vehicle in front of you.',
    'read.at': 'at {space}',
    'read.none': 'No readable text.',
    'read.unknown': 'No vehicle of the campaign matches "{text}".',
    'read.advice': 'Move closer, avoid reflections and read again, or use Manual.',
    'read.offline': 'Label reading is not on this device yet. Connect once to download it, or use Manual.',
    'read.failed': 'Label reading stopped. Try again, or use Manual.',
  },
  {
    'read.title': 'Ler etiqueta',
    'read.use': 'Usar este veículo',
    'read.again': 'Ler novamente',
  },
)
