const ZONE = 'Etc/GMT+3' // POSIX sign: three hours behind UTC, without daylight saving

const date = new Intl.DateTimeFormat('pt-BR', { timeZone: ZONE, day: '2-digit', month: '2-digit', year: 'numeric' })
const time = new Intl.DateTimeFormat('pt-BR', { timeZone: ZONE, hour: '2-digit', minute: '2-digit', second: '2-digit' })

export const formatDate = (at: string | Date): string => date.format(new Date(at))
export const formatTime = (at: string | Date): string => time.format(new Date(at))

/** Formats a time for the log calls of the API: day/month/year 'ás' hh:mm:ss at UTC-3. */
export const formatLogTimestamp = (at: Date): string => `${formatDate(at)} ás ${formatTime(at)}`

const integer = new Intl.NumberFormat('pt-BR', { useGrouping: true })

/** Formats a count with narrow spaces between groups of digits, as `1 240`, in every language. */
export const formatCount = (value: number): string => integer.format(value).replaceAll('.', '\u202f')

const tenths = new Intl.NumberFormat('pt-BR', { minimumFractionDigits: 1, maximumFractionDigits: 1 })

/** Formats a size in megabytes, as `1,2 MB`. */
export const formatMegabytes = (bytes: number): string => `${tenths.format(Math.max(bytes, 50_000) / 1_000_000)} MB`
