import type { User } from '@/api/types'
import { ACCESS_LEVELS } from '@/lib/roles'
import { compareNamesNaturally } from '@/lib/yards'

const DAY_MS = 86_400_000
export const DAYS_UNTIL_INACTIVE = 30

/**
 * Filters by sign-in: `never` for users who never signed in, `silent` for users whose last sign-in is more than `DAYS_UNTIL_INACTIVE` days
 * ago.
 */
export const SIGN_IN_FILTERS = ['never', 'silent'] as const
export type SignInFilter = (typeof SIGN_IN_FILTERS)[number]

export const USER_SORT_COLUMNS = ['hmc', 'level', 'created', 'login'] as const
export type UserSortColumn = (typeof USER_SORT_COLUMNS)[number]

export interface UserListSettings {
  search: string
  /** Access level to list; `null` for all levels. */
  level: User['user_type'] | null
  signIn: SignInFilter | null
  /** Column to sort by; `null` for the order in which the server lists the users. */
  sort: UserSortColumn | null
  descending: boolean
}

/** Reads the search, the filters and the order of the user list from the query of the URL. */
export function parseUserListSettings(query: URLSearchParams): UserListSettings {
  const sort = query.get('sort') ?? ''
  const descending = sort.startsWith('-')
  const column = descending ? sort.slice(1) : sort
  return {
    search: query.get('search') ?? '',
    level: ACCESS_LEVELS.find((type) => type === query.get('level')) ?? null,
    signIn: SIGN_IN_FILTERS.find((filter) => filter === query.get('signin')) ?? null,
    sort: USER_SORT_COLUMNS.find((known) => known === column) ?? null,
    descending,
  }
}

export const matchesSignInFilter = ({ last_login_at: at }: User, filter: SignInFilter, now: number): boolean =>
  filter === 'never' ? !at : Boolean(at) && now - Date.parse(at ?? '') > DAYS_UNTIL_INACTIVE * DAY_MS

const level = ({ user_type }: User) => ACCESS_LEVELS.indexOf(user_type)
const COMPARE: Record<UserSortColumn, (a: User, b: User) => number> = {
  hmc: (a, b) => compareNamesNaturally(a.hmc, b.hmc),
  level: (a, b) => level(a) - level(b),
  created: (a, b) => a.created_at.localeCompare(b.created_at),
  login: (a, b) => (a.last_login_at ?? '').localeCompare(b.last_login_at ?? ''),
}

/**
 * Returns the users that match the search and the filters, in the chosen order. Users with equal values stay in the order of their login
 * names (HMCs).
 */
export function filterAndSortUsers(users: User[], { search, level: wanted, signIn, sort, descending }: UserListSettings, now: number): User[] {
  const text = search.trim().toLowerCase()
  const found = users.filter((user) =>
    user.hmc.toLowerCase().includes(text) && (wanted === null || user.user_type === wanted) && (signIn === null || matchesSignInFilter(user, signIn, now)))
  if (sort === null) return found
  return found.toSorted((a, b) => (descending ? -1 : 1) * COMPARE[sort](a, b) || COMPARE.hmc(a, b))
}

/**
 * Returns the `sort` parameter of the URL after a click on a column's heading. The order changes from ascending to descending, and then
 * to the unsorted list (`null`).
 */
export function getNextUserSortParam({ sort, descending }: UserListSettings, column: UserSortColumn): string | null {
  if (sort !== column) return column
  return descending ? null : `-${column}`
}
