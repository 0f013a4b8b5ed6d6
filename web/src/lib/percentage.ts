const ALL = 100

/**
 * Formats a part of a total in whole percent, without the percent sign. A part that rounds to 0 is `<1`, and a part that rounds to 100 is
 * `>99`, so that neither reads as 'nothing' or 'everything'.
 */
export function formatPercentage(part: number, total: number): string {
  if (part <= 0 || total <= 0) return '0'
  if (part >= total) return String(ALL)
  const rounded = Math.round((ALL * part) / total)
  return rounded === 0 ? '<1' : rounded === ALL ? '>99' : String(rounded)
}
