import { defineFeatureText } from '@/lib/text/defineFeatureText'

export type DesktopTextKey = keyof typeof mix

const mix = {
  'rail.label': 'Sections',
  'trail.label': 'You are here',
  'find.label': 'Find a VIN or parking space',
  'find.results': 'Vehicles found',
  'find.count': '{n} {n|vehicle|vehicles} found',
  'find.loading': 'Buscando nas campanhas abertas...',
  'find.none': 'Nenhum veículo com "{search}" nas campanhas abertas.',
  'find.short': 'Digite pelo menos {n} caracteres.',
  'find.failed': 'Não foi possível buscar. {why}',
  'find.newest': 'Busca nas {n} campanhas abertas mais novas, de {total}.',
  'keys.title': 'Keyboard shortcuts',
  'keys.search': 'Search',
  'keys.help': 'Show all keys',
  'keys.home': 'Go to Home',
  'keys.manage': 'Go to Manage Campaigns',
  'keys.conflicts': 'Go to Conflicts',
  'keys.escape': 'Close, or leave a field',
  'keys.off': 'Os atalhos podem ser desativados no menu.',
  'keys.then': 'then',
}

export const { catalogues, useFeatureText: useDesktopText } = defineFeatureText(
  mix,
  {
    'find.loading': 'Searching the open campaigns...',
    'find.none': 'No vehicle matches "{search}" in the open campaigns.',
    'find.short': 'Type at least {n} characters.',
    'find.failed': 'Could not search. {why}',
    'find.newest': 'Searches the newest {n} of {total} open campaigns.',
    'keys.off': 'Shortcuts can be turned off in the menu.',
  },
  {
    'rail.label': 'Seções',
    'trail.label': 'Você está aqui',
    'find.label': 'Buscar VIN ou vaga',
    'find.results': 'Veículos encontrados',
    'find.count': '{n} {n|veículo encontrado|veículos encontrados}',
    'keys.title': 'Atalhos de teclado',
    'keys.search': 'Buscar',
    'keys.help': 'Mostrar os atalhos',
    'keys.home': 'Ir para o início',
    'keys.manage': 'Ir para gerenciar campanhas',
    'keys.conflicts': 'Ir para conflitos',
    'keys.escape': 'Fechar, ou sair de um campo',
    'keys.then': 'e depois',
  },
)
