/**
 * Sentences of the server in Portuguese. `{1}`, `{2}` … stand for what changes; it is taken over, in Portuguese where
 * `WORDS` has it.
 */
const SENTENCES: [english: string, portuguese: string][] = [
  // Rows of lists, before what is wrong with them
  ['row {1}: vin and parking_space are needed', 'Linha {1}: informe o VIN e a vaga.'],
  ['row {1}: {2}', 'Linha {1}: {2}'],
  // Signing in and accounts
  ['many people are signing in at this moment; try again in a moment', 'Muitas pessoas estão entrando. Tente novamente em instantes.'],
  ['the old password is wrong', 'A senha atual está incorreta.'],
  ['sign in to do this', 'Entre para continuar.'],
  ['your role does not allow this', 'Seu nível de acesso não permite esta ação.'],
  ['your role does not allow to change it', 'Seu nível de acesso não permite alterar este campo.'],
  ['your role does not allow to change {1}', 'Seu nível de acesso não permite alterar {1}.'],
  ['your role may not change {1}', 'Seu nível de acesso não permite alterar {1}.'],
  ['user {1} does not exist', 'Usuário não encontrado.'],
  ['another user has this hmc already', 'Este HMC já está em uso. Escolha outro.'],
  ['this hmc is reserved', 'Este HMC é reservado. Escolha outro.'],
  ['user 1 is reserved', 'Este usuário é reservado e não pode ser alterado.'],
  ['the last supervisor must stay one', 'É preciso haver pelo menos um supervisor.'],
  ['your own password is changed under My account, with the old one', 'A própria senha é alterada em Minha conta, com a senha atual.'],
  ['you cannot delete your own account', 'Você não pode excluir a própria conta.'],
  ['the password must not be easy to guess; take several words, or a longer one', 'A senha é fácil de adivinhar. Use várias palavras ou uma senha mais longa.'],
  ['the password must not be the hmc', 'A senha não pode ser igual ao HMC.'],
  ['{1} must have at least {2} characters', '{1} precisa ter pelo menos {2} caracteres.'],
  ['{1} must have at most {2} characters', '{1} pode ter no máximo {2} caracteres.'],
  ['{1} must not have control characters', '{1} tem caracteres não permitidos.'],
  ['{1} must not be blank', '{1} não pode ficar em branco.'],
  ['{1} must not mix letters of several scripts, as some of them look the same', '{1} não pode misturar letras de alfabetos diferentes, pois algumas parecem iguais.'],
  // Campaigns
  ['campaign {1} does not exist', 'Campanha não encontrada. Talvez tenha sido excluída.'],
  ['another campaign is named "{1}"', 'Já existe uma campanha com o nome "{1}".'],
  ['your role does not allow to move a campaign from {1} to {2}', 'Seu nível de acesso não permite mudar uma campanha de {1} para {2}.'],
  ['a campaign cannot go from {1} to {2}', 'Uma campanha não pode mudar de {1} para {2}.'],
  ['campaign {1} is no draft any more', 'Esta importação já foi concluída.'],
  ['this import id was used for another campaign', 'Esta importação já foi usada para outra campanha.'],
  // Vehicles
  ['vehicle {1} does not exist', 'Veículo não encontrado. Talvez tenha sido excluído.'],
  ['vehicle {1} is at version {2} by now', 'Outra pessoa salvou este veículo antes.'],
  ['a vehicle that is `{1}` cannot become `{2}` here', 'O status não pode mudar de {1} para {2}.'],
  ['campaign `{1}` is closed; a supervisor can reopen it', 'A campanha {1} está encerrada. Peça a um supervisor para reabri-la.'],
  ['another vehicle of this campaign is `{1}` already', 'Outro veículo desta campanha já tem o VIN {1}.'],
  ['this idempotency key belongs to another save', 'Este envio já foi feito com outros valores.'],
  ['job {1} does not exist; jobs are kept for 90 days', 'Esta alteração não pode mais ser desfeita. O histórico é mantido por 90 dias.'],
  ['conflict {1} does not exist', 'Conflito não encontrado. Talvez já tenha sido resolvido.'],
  ['you have {1} open conflicts; a team leader has to settle some of them first', 'Você tem {1} conflitos abertos. Peça a um líder de equipe para resolver alguns.'],
  ['conflict {1} is settled', 'Este conflito já foi resolvido.'],
  ['this job changed supervisor notes; a supervisor can undo it', 'Esta alteração inclui observações do supervisor. Só um supervisor pode desfazer.'],
  ['the campaigns of this job were deleted', 'As campanhas desta alteração foram excluídas.'],
  ['there is no such status', 'Este status não existe.'],
  ['at most {1} vehicles in one call', 'No máximo {1} veículos por vez.'],
  // Spaces and identifiers, also behind the number of a row or the name of a field
  ['`{1}` is not a model code and a serial number separated by one space', '`{1}` não é um código de modelo e um número de série separados por um espaço.'],
  ['{1} holds the character {2}; letters, digits, \'.\', \'/\' and \'-\' are allowed', '{1} tem o caractere {2}; são permitidos letras, números, ".", "/" e "-".'],
  ['{1} holds neither letters nor digits', '{1} não tem letras nem números.'],
  ['{1}`{2}` is a date or a time, which a spreadsheet program makes of a space; format the column as text and type the space again', '{1}`{2}` é uma data ou hora, em que o programa de planilhas transformou a vaga. Formate a coluna como texto e digite a vaga novamente.'],
  // Sheets
  ['{1} differs from the first row; a file holds one campaign', '{1} é diferente da primeira linha; um arquivo tem uma só campanha.'],
  ['Campaign is missing; the first row names the campaign', 'Falta Campaign; a primeira linha dá o nome da campanha.'],
  ['the same vehicle stands in row {1}', 'O mesmo veículo está na linha {1}.'],
  ['{1}Excel turned this into {2}. Format the column as text and type it again.', '{1}O Excel transformou isto em {2}. Formate a coluna como texto e digite novamente.'],
  ['{1}Excel shows this as {2}. Format the column as text and type it again.', '{1}O Excel mostra isto como {2}. Formate a coluna como texto e digite novamente.'],
  ['{1} is a number with more than 15 digits, of which a spreadsheet loses some; enter it as text', '{1} é um número com mais de 15 dígitos, e a planilha perde alguns; digite-o como texto.'],
  ['{1} is no number that can be shown', '{1} não é um número que possa ser mostrado.'],
  ['{1} refers to a text that the workbook does not hold', '{1} aponta para um texto que o arquivo não tem.'],
  ['{1} holds the error {2}', '{1} tem o erro {2}.'],
  ['{1} holds a number that cannot be read', '{1} tem um número que não pode ser lido.'],
  ['{1} holds a value of an unknown kind', '{1} tem um valor de tipo desconhecido.'],
  ['{1} holds a date that does not exist', '{1} tem uma data que não existe.'],
  ['{1} holds a length of time that does not exist', '{1} tem uma duração que não existe.'],
  ['holds a value, but row 1 gives the column no name', 'Há um valor, mas a linha 1 não dá nome à coluna.'],
  ['The sheet \'Sheet1\' is hidden in the workbook; its vehicles were read all the same.', "A planilha 'Sheet1' está oculta no arquivo; os veículos foram lidos mesmo assim."],
  ['{1}: long dashes made hyphens.', '{1}: travessões viraram hífens.'],
  ['{1}: unusual blanks or characters replaced.', '{1}: espaços ou caracteres incomuns foram trocados.'],
  // CSV files
  ['the file is empty', 'O arquivo está vazio.'],
  ['The file holds no row that changes a vehicle.', 'O arquivo não tem nenhuma linha que altere um veículo.'],
  ['the header in line {1} names the column {2} twice', 'O cabeçalho na linha {1} tem a coluna {2} duas vezes.'],
  ['the header in line {1} lacks the column {2}', 'No cabeçalho da linha {1} falta a coluna {2}.'],
  ['line {1} opens a quote that is never closed', 'A linha {1} abre aspas que nunca são fechadas.'],
  ['the file is written in UTF-16; save it as CSV UTF-8', 'O arquivo está em UTF-16. Salve-o como CSV UTF-8.'],
  ['line {1} is not written in UTF-8; save the file as CSV UTF-8', 'A linha {1} não está em UTF-8. Salve o arquivo como CSV UTF-8.'],
  ['no header was found within the first {1} lines: it names Model Code and Serial Number', 'Não há cabeçalho nas primeiras {1} linhas: ele tem Model Code e Serial Number.'],
  ['a file changes {1} vehicles at most; split it', 'Um arquivo altera no máximo {1} veículos. Divida-o.'],
  ['line {1} has more values than the header has columns: `{2}`', 'A linha {1} tem mais valores que o cabeçalho tem colunas: `{2}`'],
  ['line {1} requires both Model Code and Serial Number', 'A linha {1} precisa de Model Code e Serial Number.'],
  ['the vehicle {1} stands in line {2} already', 'O veículo {1} já está na linha {2}.'],
  ['Supervisor Notes may be written by supervisors only', 'Supervisor Notes só pode ser escrito por supervisores.'],
  ['Parking Space is empty', 'Parking Space está vazio.'],
  ['Status `{1}` is none of {2}', 'Status `{1}` não é nenhum destes: {2}.'],
  ['the campaign {1} of the vehicle {2} is closed', 'A campanha {1} do veículo {2} está encerrada.'],
  ['the vehicle {1} does not exist', 'O veículo {1} não existe.'],
  ['The file is not in UTF-8; it was read as Windows-1252, which Excel writes.', 'O arquivo não está em UTF-8; foi lido como Windows-1252, que o Excel grava.'],
  // Warnings of bulk changes
  ['One line repeats a vehicle that is named before; it counts once.', 'Uma linha repete um veículo já citado; ele conta uma vez.'],
  ['{1} lines repeat a vehicle that is named before; each vehicle counts once.', '{1} linhas repetem um veículo já citado; cada um conta uma vez.'],
  ['One vehicle moves to a space that belongs to no yard: {1}.', 'Um veículo vai para uma vaga que não pertence a nenhum pátio: {1}.'],
  ['{1} vehicles move to a space that belongs to no yard: {2}.', '{1} veículos vão para vagas que não pertencem a nenhum pátio: {2}.'],
  ['One vehicle moves to a space that belongs to a yard that no screen shows: {1}.', 'Um veículo vai para uma vaga de um pátio que nenhuma tela mostra: {1}.'],
  ['{1} vehicles move to a space that belongs to a yard that no screen shows: {2}.', '{1} veículos vão para vagas de um pátio que nenhuma tela mostra: {2}.'],
  ['One vehicle keeps its supervisor notes; only a supervisor can clear them.', 'Um veículo mantém as observações do supervisor; só um supervisor pode limpá-las.'],
  ['{1} vehicles keep their supervisor notes; only a supervisor can clear them.', '{1} veículos mantêm as observações do supervisor; só um supervisor pode limpá-las.'],
  // Imports and files
  ['there is no such upload', 'Este envio não existe mais.'],
  ['this upload is being imported already', 'Este arquivo já está sendo importado.'],
  ['too many files are being imported; try again in a moment', 'Há muitas importações em andamento. Tente novamente em instantes.'],
  ['the import was given up', 'A importação foi interrompida. Nada foi importado. Tente novamente.'],
  ['Patio was too busy to finish the import; nothing of it was kept, try again', 'O servidor estava ocupado demais para concluir a importação. Nada foi importado. Tente novamente.'],
  ['the import was cancelled; nothing of it was kept', 'Importação cancelada. Nada foi importado.'],
  ['the import is a campaign already; delete the campaign or undo the import', 'A importação já terminou. Para revertê-la, desfaça-a no histórico.'],
  ['the import is being cancelled; ask again in a moment', 'A importação está sendo cancelada. Aguarde um instante.'],
  ['there is no such sheet; refused sheets are kept for three days', 'A planilha não está mais disponível. Planilhas com erros são mantidas por três dias.'],
  ['the upload stood still for too long', 'O envio parou. Tente novamente com uma conexão melhor.'],
  ['the form holds no such file', 'Nenhum arquivo foi enviado. Escolha um arquivo e tente novamente.'],
  ['the body came too slowly', 'O envio foi lento demais. Tente novamente com uma conexão melhor.'],
  ['the body broke off', 'O envio foi interrompido. Tente novamente.'],
  ['the body is larger than {1} bytes', 'Os dados são grandes demais para enviar.'],
  ['The workbook cannot be read: {1}.', 'A planilha não pode ser lida. O arquivo está danificado ou é grande demais.'],
  // Any call
  ['too many sign-ins from this address; try again in a moment', 'Muitas entradas a partir desta rede. Tente novamente em instantes.'],
  ['too much is asked at once; try again in a moment', 'O servidor está sobrecarregado. Tente novamente em instantes.'],
  ['a part of the product cannot be reached; try again in a moment', 'O servidor está temporariamente indisponível. Tente novamente em instantes.'],
  ['the call took too long', 'O servidor demorou demais para responder. Tente novamente.'],
  ['this contradicts what is there', 'Há dados mais novos. Recarregue e tente novamente.'],
  ['there is no such thing', 'Não encontrado. Talvez tenha sido excluído.'],
  ['a rule forbids this', 'Isto não é permitido aqui.'],
  ['something went wrong on our side', 'Algo deu errado. Tente novamente.'],
  // What may be wrong with any field
  ['{1} is longer than {2} characters', '{1} tem mais de {2} caracteres.'],
  ['{1} is missing', 'Falta {1}.'],
  ['{1} is too long', '{1} é longo demais.'],
  ['{1} holds a control character', '{1} tem um caractere que não pode ser mostrado.'],
  ['{1} holds the control character {2}', '{1} tem um caractere que não pode ser mostrado.'],
  ['{1} holds a character that cannot be printed', '{1} tem um caractere que não pode ser mostrado.'],
  ['{1} holds a line break or an invisible mark that changes the direction of writing', '{1} tem uma quebra de linha ou um caractere invisível.'],
  ['{1} holds a line break', '{1} tem uma quebra de linha.'],
  ['{1} {2} does not exist', '{1} {2} não existe.'],
]

/** Parts of sentences. Columns of sheets keep their names, which stand so in the files. */
const WORDS: Record<string, string> = {
  'the password': 'A senha', password: 'A senha', hmc: 'O HMC', 'the parking space': 'a vaga', parking_space: 'a vaga', vin_number: 'o VIN',
  'the supervisor notes': 'as observações do supervisor', admin_notes: 'as observações do supervisor', operator_notes: 'as observações',
  'the status': 'o status', status: 'o status', yard: 'o pátio', name: 'o nome', search: 'a busca', Closed: 'Encerrada', Ongoing: 'Em andamento',
  Ready: 'Pronta para iniciar', 'Pending Review': 'Revisão pendente', 'a date': 'uma data', 'a time': 'uma hora', 'a truth value': 'um valor lógico',
  'a percentage': 'uma porcentagem', 'a number with an exponent': 'um número com expoente', 'a fraction': 'uma fração', 'an amount of money': 'um valor em dinheiro',
}

const HOLE = /\{(\d)\}/g

interface Sentence {
  pattern: RegExp
  /** Which holes the pattern's groups fill. */
  holes: number[]
  /** The sentence in Portuguese, with the same holes. */
  words: string
}

let known: Sentence[] | null = null

function sentences(): Sentence[] {
  known ??= SENTENCES.map(([english, words]) => {
    const text = english.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`)
    return { pattern: new RegExp(`^${text.replaceAll(HOLE, '([^]*?)')}$`), holes: [...english.matchAll(HOLE)].map(([, n]) => Number(n)), words }
  })
  return known
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const FIELD = /^(?:base\.)?([a-z_]+): ([^]+)$/

/** A sentence of the server in Portuguese, or null when it is not known here. */
export function portuguese(sentence: string): string | null {
  const [, field, why] = FIELD.exec(sentence) ?? []
  if (field !== undefined && why !== undefined) return portuguese(why) ?? portuguese(`${field} ${why}`)
  for (const { pattern, holes, words } of sentences()) {
    const found = pattern.exec(sentence)
    if (found === null) continue
    const filled = new Map(holes.map((hole, index) => [hole, wordIn(found[index + 1] ?? '')]))
    return capital(words.replaceAll(HOLE, (_, n: string) => filled.get(Number(n)) ?? ''))
  }
  return null
}

/** What fills a hole: a word of ours, a sentence by itself, or as it is. */
function wordIn(text: string): string {
  const core = text.trim()
  return text.replace(core, () => WORDS[core] ?? (core.includes(' ') ? portuguese(core) : null) ?? core)
}

/** The specification quotes these in English for the mix of both languages. */
const QUOTED = /^line \d+ requires both Model Code and Serial Number$/

/** A sentence of the server in the language of the page; one that is not known here stays as it comes. */
export function sentenceIn(language: string, sentence: string): string {
  if (language === 'en' || (language === 'default' && QUOTED.test(sentence))) return sentence
  return portuguese(sentence) ?? sentence
}
