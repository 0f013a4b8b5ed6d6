const natural = new Intl.Collator('pt-BR', { numeric: true })

/** Compares names as people count: A-2 before A-10. */
export const naturally = (a: string, b: string): number => natural.compare(a, b)

const DASH = '-'
const HIDDEN = [DASH, '0']

/** Whether a yard is one that is picked and looked at; '-' and '0' only group what stands nowhere. */
export const isShownYard = ({ name }: { name: string }): boolean => !HIDDEN.includes(name)

export const isDash = (name: string): boolean => name === DASH
