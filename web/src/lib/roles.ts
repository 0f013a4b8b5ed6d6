import type { Key } from './text'

const LABELS: Record<string, Key> = { admin: 'role.admin', tm: 'role.tm', op: 'role.op' }

export const USER_TYPES = ['admin', 'tm', 'op'] as const

/** The catalogue key of an access level; unknown levels have none and are shown raw. */
export const roleKey = (userType: string): Key | null => LABELS[userType] ?? null

export const mayManage = (userType: string): boolean => userType === 'admin' || userType === 'tm'
export const isSupervisor = (userType: string): boolean => userType === 'admin'
