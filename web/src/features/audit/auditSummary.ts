import type { AuditEvent, Campaign } from '@/api/types'
import { parseAuditSubject } from './auditSubjects'

/** Part of a summary that names the event's vehicle or campaign, with the path of its page. */
export interface SummaryLink {
  name: string
  path: string
  /** Position of the name among its occurrences in the English summary, as `findOccurrences` returns them. */
  occurrence: number
}

/** Patterns of the server's English summaries of vehicle events. The groups are the VIN, the words after it, and the name of the campaign. */
const VEHICLE_SUMMARY = /^(\S+(?: \S+)?)( (?:of|in) )(.+)(?: saved as | entered as |: conflict on )/
/** Patterns of the server's English summaries of campaign events. The groups are the words before the name of the campaign, and the name. */
const CAMPAIGN_SUMMARIES = [/^(campaign (?:\d+ is )?")(.+)"/, /^(exported \d+ vehicles of )(.+) as /, /^(imported )(.+) with \d+ vehicles from /]
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u

/**
 * Returns the positions of a name in a text. A part of a longer word or number is no occurrence. Returns only the occurrences after an
 * opening quote if there are any.
 */
function findOccurrences(text: string, name: string): number[] {
  const found: number[] = []
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (![text.charAt(at - 1), text.charAt(at + name.length)].some((next) => LETTER_OR_DIGIT.test(next))) found.push(at)
  }
  const quoted = found.filter((at) => text.charAt(at - 1) === '"')
  return quoted.length > 0 ? quoted : found
}

/** Returns the campaign of this name that already existed at the time of an event; undefined when the list lacks such a campaign. */
const findCampaignAt = (campaigns: readonly Campaign[], name: string, at: string) =>
  campaigns.find((campaign) => campaign.name === name && Date.parse(campaign.created_at) <= Date.parse(at))

/**
 * Returns the links that the summary of an event contains: the VIN to the vehicle, the campaign's name to the campaign. The name in a
 * vehicle event is a link only if `campaigns` contains the campaign.
 */
export function findSummaryLinks({ at, subject, summary }: AuditEvent, campaigns: readonly Campaign[]): SummaryLink[] {
  const parsed = parseAuditSubject(subject)
  if (parsed?.kind === 'vehicle') {
    const [, vin, between, name] = VEHICLE_SUMMARY.exec(summary) ?? []
    if (vin === undefined || between === undefined || name === undefined) return []
    const campaign = findCampaignAt(campaigns, name, at)
    return [linkAt(summary, 0, vin, `/vehicle/${parsed.id}`), ...(campaign ? [linkAt(summary, vin.length + between.length, name, `/campaign/${campaign.id}`)] : [])]
  }
  if (parsed?.kind !== 'campaign') return []
  const [, before, name] = CAMPAIGN_SUMMARIES.map((pattern) => pattern.exec(summary)).find((found) => found !== null) ?? []
  return before === undefined || name === undefined ? [] : [linkAt(summary, before.length, name, `/campaign/${parsed.id}`)]
}

const linkAt = (summary: string, at: number, name: string, path: string): SummaryLink => ({ name, path, occurrence: findOccurrences(summary, name).indexOf(at) })

/**
 * Splits a summary, in English or translated, at the names of links. A name that the text contains several times, such as a number or a
 * file name, is the link at the same occurrence as in English, else at the last. Omits links whose names the text lacks.
 */
export function splitAtLinks(text: string, links: readonly SummaryLink[]): (string | SummaryLink)[] {
  const parts: (string | SummaryLink)[] = []
  let end = 0
  for (const link of links) {
    const found = findOccurrences(text, link.name)
    const start = found[link.occurrence] ?? found.at(-1)
    if (start === undefined || start < end) continue
    parts.push(text.slice(end, start), link)
    end = start + link.name.length
  }
  return [...parts, text.slice(end)].filter((part) => part !== '')
}
