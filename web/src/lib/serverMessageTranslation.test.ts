import { expect, test } from 'vitest'
import { translateServerMessageToLanguage } from './serverMessageTranslation'

test.each([
  ['Parking Space is a date or a time: 01/mar. Format the column as text and type the space again.', 'Parking Space é uma data ou hora: 01/mar. Formate a coluna como texto e digite a vaga novamente.'],
  ['Row 3: The parking space can have at most 40 characters.', 'Linha 3: A vaga pode ter no máximo 40 caracteres.'],
  ['Excel turned this into a date. Format the column as text and type it again.', 'O Excel transformou isto em uma data. Formate a coluna como texto e digite novamente.'],
  ['The password needs at least 8 characters.', 'A senha precisa ter pelo menos 8 caracteres.'],
  ['The HMC can have at most 64 characters.', 'O HMC pode ter no máximo 64 caracteres.'],
  ['The yard 19 does not exist.', 'O pátio 19 não existe.'],
  ['The name is missing. The model type has more than 120 characters.', 'Falta o nome. O tipo de modelo tem mais de 120 caracteres.'],
  ['The status of a campaign cannot change from Closed to Ready to Start.', 'O status de uma campanha não pode mudar de Encerrada para Pronta para iniciar.'],
  ['Your access level does not allow changing the parking space.', 'Seu nível de acesso não permite alterar a vaga.'],
  ['Your access level does not allow changing the due date.', 'Seu nível de acesso não permite alterar o prazo.'],
  ['3 vehicles move to a space that belongs to no yard: 7-1, 8-2, 9-3 ….', '3 veículos vão para uma vaga que não pertence a nenhum pátio: 7-1, 8-2, 9-3 ….'],
  ['Wrong columns in row 1. Missing: Part. Not expected: Colour, Size.', 'Colunas erradas na linha 1. Faltam: Part. Não esperadas: Colour, Size.'],
  ['Parking Space: dashes replaced with hyphens (2).', 'Parking Space: travessões trocados por hifens (2).'],
  ['campaign "Airbag": name, part, status from Ongoing to Closed, as its vehicles show', 'campanha "Airbag": o nome, a peça, status de Em andamento para Encerrada, conforme os veículos'],
  ['opened home, 2 more times within a minute', 'abriu home, repetido 2× em um minuto'],
  ['HB20 000001 in Airbag: conflict on parking_space resolved', 'HB20 000001 em Airbag: conflito resolvido (a vaga)'],
])('"%s" in Portuguese', (english, words) => {
  expect(translateServerMessageToLanguage('pt-BR', english)).toBe(words)
  expect(translateServerMessageToLanguage('default', english)).toBe(words)
  expect(translateServerMessageToLanguage('en', english)).toBe(english)
})

test('the name of a field before a complete sentence is left out', () => {
  const sentence = 'vin_number: Serial Number is missing.'
  expect(translateServerMessageToLanguage('pt-BR', sentence)).toBe('Falta Serial Number.')
  expect(translateServerMessageToLanguage('en', sentence)).toBe('Serial Number is missing.')
  expect(translateServerMessageToLanguage('en', 'page: must be between 0 and 10')).toBe('page: must be between 0 and 10')
})

test('a sentence that the specification quotes stays English in the default mix', () => {
  const sentence = 'Failed to select document. File size should not exceed 5MB.'
  expect(translateServerMessageToLanguage('default', sentence)).toBe(sentence)
  expect(translateServerMessageToLanguage('pt-BR', sentence)).toBe('Não foi possível usar o arquivo. O tamanho máximo é 5 MB.')
})

test('an unknown sentence stays in English, without the name of its field', () => {
  for (const language of ['default', 'pt-BR']) {
    expect(translateServerMessageToLanguage(language, 'quite something else')).toBe('quite something else')
    expect(translateServerMessageToLanguage(language, 'name: Quite something else.')).toBe('Quite something else.')
  }
})
