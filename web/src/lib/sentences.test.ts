import { expect, test } from 'vitest'
import { sentenceIn } from './sentences'

test.each([
  ['Parking Space `01/mar` is a date or a time, which a spreadsheet program makes of a space; format the column as text and type the space again', 'Parking Space `01/mar` é uma data ou hora, em que o programa de planilhas transformou a vaga. Formate a coluna como texto e digite a vaga novamente.'],
  ['row 3: the parking space is longer than 40 characters', 'Linha 3: A vaga tem mais de 40 caracteres.'],
  ['vin_number: Serial Number is missing', 'Falta Serial Number.'],
  ['Excel turned this into a date. Format the column as text and type it again.', 'O Excel transformou isto em uma data. Formate a coluna como texto e digite novamente.'],
  ['the password must have at least 8 characters', 'A senha precisa ter pelo menos 8 caracteres.'],
  ['hmc must not mix letters of several scripts, as some of them look the same', 'O HMC não pode misturar letras de alfabetos diferentes, pois algumas parecem iguais.'],
  ['yard 19 does not exist', 'O pátio 19 não existe.'],
  ['a campaign cannot go from Closed to Ready', 'Uma campanha não pode mudar de Encerrada para Pronta para iniciar.'],
  ['3 vehicles move to a space that belongs to no yard: 7-1, 8-2, 9-3 ….', '3 veículos vão para vagas que não pertencem a nenhum pátio: 7-1, 8-2, 9-3 ….'],
])('"%s" in Portuguese', (english, words) => {
  expect(sentenceIn('pt-BR', english)).toBe(words)
  expect(sentenceIn('default', english)).toBe(words)
  expect(sentenceIn('en', english)).toBe(english)
})

test('a sentence that is not known stays as it comes', () => {
  expect(sentenceIn('pt-BR', 'quite something else')).toBe('quite something else')
})
