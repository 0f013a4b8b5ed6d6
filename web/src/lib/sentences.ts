/** Sentences of the server in Portuguese; what stands in brackets is taken over. */
const SENTENCES: [RegExp, string][] = [
  [/^One line repeats a vehicle that is named before; it counts once\.$/, 'Uma linha repete um veículo já citado; ele conta uma vez.'],
  [/^(\d+) lines repeat a vehicle that is named before; each vehicle counts once\.$/, '$1 linhas repetem um veículo já citado; cada um conta uma vez.'],
  [/^One vehicle moves to a space that belongs to no yard: (.*)\.$/, 'Um veículo vai para uma vaga que não pertence a nenhum pátio: $1.'],
  [/^(\d+) vehicles move to a space that belongs to no yard: (.*)\.$/, '$1 veículos vão para vagas que não pertencem a nenhum pátio: $2.'],
  [/^One vehicle moves to a space that belongs to a yard that no screen shows: (.*)\.$/, 'Um veículo vai para uma vaga de um pátio que nenhuma tela mostra: $1.'],
  [/^(\d+) vehicles move to a space that belongs to a yard that no screen shows: (.*)\.$/, '$1 veículos vão para vagas de um pátio que nenhuma tela mostra: $2.'],
  [/^The file is not in UTF-8; it was read as Windows-1252, which Excel writes\.$/, 'O arquivo não está em UTF-8; foi lido como Windows-1252, que o Excel grava.'],
  [/^The sheet 'Sheet1' is hidden in the workbook; its vehicles were read all the same\.$/, "A planilha 'Sheet1' está oculta no arquivo; seus veículos foram lidos mesmo assim."],
  [/^(\d+) .*: long dashes made hyphens\.$/, '$1 valores: travessões viraram hífens.'],
  [/^(\d+) .*: unusual blanks or characters replaced\.$/, '$1 valores: espaços ou caracteres incomuns foram trocados.'],
]

/** A sentence of the server in the language of the page; one that is not known here stays as it comes. */
export function sentenceIn(language: string, sentence: string): string {
  const known = language.startsWith('pt') ? SENTENCES.find(([pattern]) => pattern.test(sentence)) : undefined
  return known === undefined ? sentence : sentence.replace(known[0], known[1])
}
