import { createArrayGuard, isRecord } from './json'
import { readStoredJson, writeStoredJson } from './storage'

const MAX_NOTES = 3
const MAX_CAMPAIGNS = 20

/** Operator notes that a person has saved in one campaign on this device, the latest first. */
interface CampaignNotes {
  campaign: number
  notes: string[]
}

const isTexts = createArrayGuard((value): value is string => typeof value === 'string')
const isStored = createArrayGuard((value): value is CampaignNotes => isRecord(value) && typeof value.campaign === 'number' && isTexts(value.notes))

const nameOf = (user: string) => `notes:${user}`
const readAll = (user: string): CampaignNotes[] => readStoredJson(localStorage, nameOf(user), isStored) ?? []

/** Returns the latest distinct operator notes that a person has saved in a campaign on this device, the latest first. */
export const readRecentNotes = (user: string, campaign: number): string[] => readAll(user).find((one) => one.campaign === campaign)?.notes ?? []

/** Stores an operator note that a person has saved in a campaign. Ignores a blank note. */
export function recordRecentNote(user: string, campaign: number, note: string): void {
  const text = note.trim()
  if (text === '') return
  const stored = readAll(user)
  const earlier = stored.find((one) => one.campaign === campaign)?.notes ?? []
  const notes = [text, ...earlier.filter((other) => other !== text)].slice(0, MAX_NOTES)
  const others = stored.filter((one) => one.campaign !== campaign)
  writeStoredJson(localStorage, nameOf(user), [{ campaign, notes }, ...others].slice(0, MAX_CAMPAIGNS))
}
