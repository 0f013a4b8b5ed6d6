import { createLazyGetter } from './createLazyGetter'

const natural = createLazyGetter(() => new Intl.Collator('pt-BR', { numeric: true }))

/** Compares names in natural order, with A-2 before A-10. */
export const compareNamesNaturally = (a: string, b: string): number => natural().compare(a, b)

const DASH = '-'
const HIDDEN = [DASH, '0']

/**
 * Returns whether a yard is shown in lists. The yards '-' and '0' are hidden, because they only group parking spaces without a real yard.
 */
export const isVisibleYard = ({ name }: { name: string }): boolean => !HIDDEN.includes(name)

export const isYardWithoutName = (name: string): boolean => name === DASH
