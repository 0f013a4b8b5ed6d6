import type { AuditEvent, Campaign } from '@/api/types'
import { parseAuditSubject } from './auditSubjects'

/** Part of a summary that names the event's vehicle or campaign, with the path of its page. */
export interface SummaryLink {
  name: string
  path: string
}

/** Patterns of the server's English summaries of vehicle events. The groups are the VIN and the name of the campaign. */
const VEHICLE_SUMMARY = /^(\S+(?: \S+)?) (?:of|in) (.+)(?: saved as | entered as |: conflict on )/
/** Patterns of the server's English summaries of campaign events. The group is the name of the campaign. */
const CAMPAIGN_SUMMARIES = [/^campaign (?:\d+ is )?"(.+)"/, /^exported \d+ vehicles of (.+) as /, /^imported (.+) with \d+ vehicles from /]

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
    const [, vin, name] = VEHICLE_SUMMARY.exec(summary) ?? []
    if (vin === undefined || name === undefined) return []
    const campaign = findCampaignAt(campaigns, name, at)
    return [{ name: vin, path: `/vehicle/${parsed.id}` }, ...(campaign ? [{ name, path: `/campaign/${campaign.id}` }] : [])]
  }
  if (parsed?.kind !== 'campaign') return []
  const name = CAMPAIGN_SUMMARIES.map((pattern) => pattern.exec(summary)?.[1]).find((found) => found !== undefined)
  return name === undefined ? [] : [{ name, path: `/campaign/${parsed.id}` }]
}

/** Splits a text at the names of links, which the text contains in the given order. Omits links whose names the text lacks. */
export function splitAtLinks(text: string, links: readonly SummaryLink[]): (string | SummaryLink)[] {
  const parts: (string | SummaryLink)[] = []
  let rest = text
  for (const link of links) {
    const start = rest.indexOf(link.name)
    if (start < 0) continue
    parts.push(rest.slice(0, start), link)
    rest = rest.slice(start + link.name.length)
  }
  return [...parts, rest].filter((part) => part !== '')
}
