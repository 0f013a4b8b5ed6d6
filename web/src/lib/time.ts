const ZONE = 'Etc/GMT+3' // POSIX sign: three hours behind UTC, without daylight saving

const date = new Intl.DateTimeFormat('pt-BR', { timeZone: ZONE, day: '2-digit', month: '2-digit', year: 'numeric' })
const time = new Intl.DateTimeFormat('pt-BR', { timeZone: ZONE, hour: '2-digit', minute: '2-digit', second: '2-digit' })

export const dateOf = (at: string | Date): string => date.format(new Date(at))
export const timeOf = (at: string | Date): string => time.format(new Date(at))

/** The timestamp of the log calls: day/month/year 'ás' hh:mm:ss at UTC-3. */
export const logTimestamp = (at: Date): string => `${dateOf(at)} ás ${timeOf(at)}`

const integer = new Intl.NumberFormat('pt-BR', { useGrouping: true })

/** A count with thin groups, `1 240`, the same in every language. */
export const count = (value: number): string => integer.format(value).replaceAll('.', '\u202f')

const tenths = new Intl.NumberFormat('pt-BR', { minimumFractionDigits: 1, maximumFractionDigits: 1 })

/** A size as a phone's settings show it: `1,2 MB`. */
export const megabytes = (bytes: number): string => `${tenths.format(Math.max(bytes, 50_000) / 1_000_000)} MB`
