import { featureText } from '@/lib/text/feature'

const mix = {
  'strip.title': 'Progress',
  'strip.vehicles': 'vehicles inspected',
  'strip.yards': 'Progress per yard',
  'strip.yard': 'Yard {name}: {done} of {total} inspected',
  'export.vehicles': 'Export Vehicles List Data',
  'step.title': 'Change status',
  'step.review': 'Send to review',
  'step.resume': 'Back to ongoing',
  'step.close': 'Close campaign',
  'step.reopen': 'Reopen campaign',
  'step.closeQuestion': 'Close campaign "{name}"?',
  'step.closeText': 'Seus veículos não poderão mais ser inspecionados até que um supervisor a reabra.',
  'step.done': 'Status da campanha: {status}.',
}

export type CampaignsKey = keyof typeof mix

export const { catalogues, useFeatureText: useCampaignsText } = featureText(
  mix,
  {
    'step.closeText': 'Its vehicles can no longer be inspected until a supervisor reopens it.',
    'step.done': 'Campaign status: {status}.',
  },
  {
    'strip.title': 'Progresso',
    'strip.vehicles': 'veículos inspecionados',
    'strip.yards': 'Progresso por pátio',
    'strip.yard': 'Pátio {name}: {done} de {total} inspecionados',
    'export.vehicles': 'Exportar dados da lista de veículos',
    'step.title': 'Alterar status',
    'step.review': 'Enviar para revisão',
    'step.resume': 'Voltar a em andamento',
    'step.close': 'Encerrar campanha',
    'step.reopen': 'Reabrir campanha',
    'step.closeQuestion': 'Encerrar a campanha "{name}"?',
  },
)
