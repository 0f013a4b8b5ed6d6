import { featureText } from '@/lib/text/feature'

const mix = {
  'conflicts.title': 'Fields to decide',
  'conflicts.explain': 'Duas pessoas mudaram o mesmo campo do mesmo veículo. Os dois valores estão guardados; escolha qual vale.',
  'conflicts.none': 'Nada a decidir. O que duas pessoas disserem de modo diferente aparece aqui.',
  'conflicts.tabs': 'Conflicts',
  'conflicts.open': 'Open',
  'conflicts.settled': 'Settled',
  'conflicts.noneSettled': 'Nada foi decidido ainda.',
  'conflicts.take': 'Keep this',
  'conflicts.takeLabel': 'Keep "{value}" of {hmc} for {vin}',
  'conflicts.shown': 'Shown meanwhile',
  'conflicts.chosen': 'Chosen by {hmc}',
  'conflicts.seen': 'Antes: {value}',
  'conflicts.when': '{hmc}, {date} {time}',
  'conflicts.phoneTime': 'Relógio do telefone: {date} {time}',
  'conflicts.empty': '(empty)',
  'conflicts.onlySupervisor': 'Este campo é decidido por um supervisor.',
  'conflicts.done': '{vin}: decidido.',
  'conflicts.before': 'Outra pessoa já decidiu ou mudou este veículo.',
}

export type ConflictsKey = keyof typeof mix

export const { catalogues, useFeatureText: useConflictsText } = featureText(
  mix,
  {
    'conflicts.explain': 'Two people changed the same field of the same vehicle. Both values are kept; choose which holds.',
    'conflicts.none': 'Nothing to decide. What two people say differently shows here.',
    'conflicts.noneSettled': 'Nothing was decided yet.',
    'conflicts.seen': 'Before: {value}',
    'conflicts.phoneTime': 'Clock of the phone: {date} {time}',
    'conflicts.onlySupervisor': 'This field is decided by a supervisor.',
    'conflicts.done': '{vin}: decided.',
    'conflicts.before': 'Somebody else has decided already or changed this vehicle.',
  },
  {
    'conflicts.title': 'Campos a decidir',
    'conflicts.tabs': 'Conflitos',
    'conflicts.open': 'Abertos',
    'conflicts.settled': 'Decididos',
    'conflicts.take': 'Vale este',
    'conflicts.takeLabel': 'Vale "{value}" de {hmc} para {vin}',
    'conflicts.shown': 'Mostrado por enquanto',
    'conflicts.chosen': 'Escolhido por {hmc}',
    'conflicts.empty': '(vazio)',
  },
)
