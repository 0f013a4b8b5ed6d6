import { lazy } from 'react'
import { runWhenIdle } from '@/lib/runWhenIdle'
import { isSupervisor, mayManageCampaigns } from '@/lib/roles'
import { parseId } from '@/lib/route'
import type { TextKey } from '@/lib/text'
import type { IconName } from '@/ui/Icon'
import { createLazyPage, withOutboxContext, type LazyPage } from './lazyPage'
import { queryClient } from './queryClient'

const signIn = createLazyPage(() => import('@/features/auth/SignInPage'))
export const SignInPage = signIn.Page
export const ForcedPasswordChangePage = lazy(() => import('@/features/account/ForcedPasswordChangePage'))

/** Page of the app with its URL path and access rule. */
export interface AppRoute extends LazyPage {
  path: string
  /** Returns whether a user may open the page; if absent, every signed-in user may. Other users are redirected to `elsewhere`. */
  allow?: (userType: string, developer: boolean) => boolean
  elsewhere?: string
  /** Whether the page is also available without a session. */
  isPublic?: boolean
}

const onlyDeveloper = (_: string, developer: boolean): boolean => developer

const home = createLazyPage(() => import('@/features/campaigns/HomePage'))
const campaign = createLazyPage(() => import('@/features/campaigns/CampaignPage'))
const list = createLazyPage(withOutboxContext(() => import('@/features/vehicles/VehicleListPage')))
const vehicle = createLazyPage(withOutboxContext(() => import('@/features/vehicles/VehiclePage')))

/** Pages that inspectors use in a yard: campaign picker, campaign, vehicle list and vehicle. */
export const INSPECTION_PAGES = [home, campaign, list, vehicle]

/** Routes of all pages except the sign-in page and the forced password change. The code of a page is loaded on first render. */
export const ROUTES: AppRoute[] = [
  { path: '/campaign-home', ...home },
  { path: '/yard', ...createLazyPage(() => import('@/features/yards/YardPickerPage')) },
  { path: '/yard/:id', ...createLazyPage(() => import('@/features/campaigns/YardCampaignsPage')) },
  { path: '/campaign/:id', ...campaign },
  { path: '/campaign/:id/vehicles', ...list },
  { path: '/campaign/:id/walk', ...createLazyPage(withOutboxContext(() => import('@/features/vehicles/WalkAndScanPage'))) },
  { path: '/vehicle/:id', ...vehicle },
  { path: '/campaign-list/:id?', ...createLazyPage(() => import('@/features/manage/CampaignManagementPage')), allow: mayManageCampaigns, elsewhere: '/campaign-home' },
  { path: '/user-management', ...createLazyPage(() => import('@/features/users/UserManagementPage')), allow: isSupervisor },
  { path: '/logs-audit', ...createLazyPage(() => import('@/features/audit/AuditLogPage')), allow: onlyDeveloper },
  { path: '/developer', ...createLazyPage(() => import('@/features/audit/DeveloperPage')), allow: onlyDeveloper },
  { path: '/outbox', ...createLazyPage(withOutboxContext(() => import('@/features/outbox/OutboxPage'))) },
  { path: '/conflicts', ...createLazyPage(() => import('@/features/conflicts/ConflictsPage')), allow: mayManageCampaigns, elsewhere: '/campaign-home' },
  { path: '/account', ...createLazyPage(() => import('@/features/account/AccountPage')) },
  { path: '/privacy-policy', ...createLazyPage(() => import('@/features/policies/PrivacyPage')), isPublic: true },
  { path: '/terms-service', ...createLazyPage(() => import('@/features/policies/TermsPage')), isPublic: true },
  { path: '/import', ...createLazyPage(() => import('@/features/imports/ImportPage')), allow: mayManageCampaigns, elsewhere: '/campaign-home' },
]

/**
 * Returns whether a path matches the pattern of a route. A segment of the pattern can be a parameter (`:id`) or an optional parameter
 * (`:id?`).
 */
const matches = (route: string, path: string): boolean => new RegExp(`^${route.replace(/\/:\w+\?/, '(/[^/]+)?').replace(/:\w+/, '[^/]+')}$`).test(path)

/**
 * Loads the code of the first page: the page at `path` if the visitor may open it, otherwise the sign-in page. Also begins to fetch the
 * data of the page. After the sign-in page, also loads the code of the home page, so that the home page opens without a placeholder.
 */
export async function loadInitialRoute(path: string, isSignedIn: boolean): Promise<void> {
  const route = ROUTES.find((one) => matches(one.path, path))
  if (route !== undefined && (isSignedIn || route.isPublic)) {
    const { prefetch } = await route.load()
    return prefetch?.(queryClient, parseId(path.split('/')[2]) ?? 0)
  }
  await signIn.load()
  runWhenIdle(() => void home.load().catch(() => undefined))
}

/** Link in the menu. `allow` returns whether a user sees the link; without `allow`, every user does. */
export interface MenuEntry {
  label: TextKey
  icon: IconName
  to: string
  allow?: (userType: string, developer: boolean) => boolean
}

export const MENU_ENTRIES: MenuEntry[] = [
  { label: 'menu.home', icon: 'home', to: '/campaign-home' },
  { label: 'menu.manage', icon: 'grid', to: '/campaign-list', allow: mayManageCampaigns },
  { label: 'menu.users', icon: 'people', to: '/user-management', allow: isSupervisor },
  { label: 'menu.audit', icon: 'log', to: '/logs-audit', allow: onlyDeveloper },
]

/** Less frequently used menu entries, shown below a separate heading or line. */
export const SECONDARY_MENU_ENTRIES: MenuEntry[] = [
  { label: 'menu.import', icon: 'plus', to: '/import', allow: mayManageCampaigns },
  { label: 'menu.conflicts', icon: 'split', to: '/conflicts', allow: mayManageCampaigns },
  { label: 'menu.outbox', icon: 'phone', to: '/outbox' },
  { label: 'menu.account', icon: 'person', to: '/account' },
]

/** Returns the menu entries that a user may see. */
export const listAllowedMenuEntries = (entries: MenuEntry[], userType: string, developer: boolean): MenuEntry[] => entries.filter(({ allow }) => allow?.(userType, developer) ?? true)

/** Menu links to the privacy policy and the terms of service, shown below the sign-out entry. */
export const LEGAL_MENU_ENTRIES: MenuEntry[] = [
  { label: 'menu.privacy', icon: 'shield', to: '/privacy-policy' },
  { label: 'menu.terms', icon: 'sheet', to: '/terms-service' },
]
