import type { TextKey } from './text'

const LABELS: Record<string, TextKey> = { admin: 'role.admin', tm: 'role.tm', op: 'role.op' }

export const ACCESS_LEVELS = ['admin', 'tm', 'op'] as const

/** Returns the text key of an access level's label, or null for an unknown access level. */
export const getAccessLevelTextKey = (userType: string): TextKey | null => LABELS[userType] ?? null

export const mayManageCampaigns = (userType: string): boolean => userType === 'admin' || userType === 'tm'
export const isSupervisor = (userType: string): boolean => userType === 'admin'
