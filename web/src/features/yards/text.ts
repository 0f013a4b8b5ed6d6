import { defineFeatureText } from '@/lib/text/defineFeatureText'

const mix = {
  'yards.left': '{n} left',
  'yards.done': 'done',
  'yards.people': 'Here now: {people}',
  'yards.empty': '{n|1 yard without vehicles|{n} yards without vehicles}',
}

export const { catalogues, useFeatureText: useYardsText } = defineFeatureText(
  mix,
  {},
  {
    'yards.left': '{n|falta 1|faltam {n}}',
    'yards.done': 'concluído',
    'yards.people': 'Aqui agora: {people}',
    'yards.empty': '{n|1 pátio sem veículos|{n} pátios sem veículos}',
  },
)
