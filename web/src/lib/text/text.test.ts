import { afterEach, expect, test } from 'vitest'
import { catalogue as mixed, type TextKey } from './default'
import { catalogue as english } from './en'
import { catalogue as portuguese } from './pt-BR'
import { setLanguage, translate } from '.'

const holes = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([hole]) => hole).toSorted()
const keys = Object.keys(mixed) as TextKey[]

afterEach(() => setLanguage('default'))

test.each([
  ['English', english],
  ['Portuguese', portuguese],
])('%s fills the same holes as the mix', (_, catalogue) => {
  expect(keys.filter((key) => holes(catalogue[key]).join() !== holes(mixed[key]).join())).toEqual([])
})

test('full English has no Portuguese letters and no text of the mix that has', () => {
  expect(keys.filter((key) => /[ãõçáéíóúâêô]/i.test(english[key]))).toEqual([])
})

test('the words of the specification are in the mix', () => {
  expect(translate('signIn.invalid', { n: 4 })).toBe('Invalid credentials. You have more 4 attempt(s).')
  expect(translate('vehicle.savedNext')).toBe('O veículo foi inspecionado, redirecionando para o próximo...')
})

test('a chosen language is remembered', async () => {
  await setLanguage('pt-BR')
  expect([translate('vehicle.cancel'), localStorage.getItem('language'), document.documentElement.lang]).toEqual(['Cancelar', 'pt-BR', 'pt-BR'])
})
