import { lazy } from 'react'
import { runWhenIdle } from '@/lib/runWhenIdle'
import { isSupervisor, mayManageCampaigns } from '@/lib/roles'
import type { TextKey } from '@/lib/text'
import type { IconName } from '@/ui/Icon'
import { lazyPage, withOutboxContext, type LazyPage } from './lazyPage'

const signIn = lazyPage(() => import('@/features/auth/SignInPage'))
export const SignInPage = signIn.Page
export const NewPasswordPage = lazy(() => import('@/features/account/NewPasswordPage'))

/** Page of the app, with the roles that may open it. */
export interface AppRoute extends LazyPage {
  path: string
  /** Returns whether a person may open the page. Other people are redirected to `elsewhere`. */
  allow?: (userType: string, developer: boolean) => boolean
  elsewhere?: string
  /** Whether the page is shown without a session as well. */
  isPublic?: boolean
}

const onlyDeveloper = (_: string, developer: boolean): boolean => developer

const home = lazyPage(() => import('@/features/campaigns/HomePage'))
const campaign = lazyPage(() => import('@/features/campaigns/CampaignPage'))
const list = lazyPage(withOutboxContext(() => import('@/features/vehicles/VehicleListPage')))
const vehicle = lazyPage(withOutboxContext(() => import('@/features/vehicles/VehiclePage')))

/** Pages that inspectors use in a yard: campaign picker, campaign, vehicle list and vehicle. */
export const INSPECTION_PAGES = [home, campaign, list, vehicle]

/** Pages inside the layout. The code of a page is loaded when the page is first shown. */
export const ROUTES: AppRoute[] = [
  { path: '/campaign-home', ...home },
  { path: '/yard', ...lazyPage(() => import('@/features/yards/YardPickerPage')) },
  { path: '/yard/:id', ...lazyPage(() => import('@/features/campaigns/YardCampaignsPage')) },
  { path: '/campaign/:id', ...campaign },
  { path: '/campaign/:id/vehicles', ...list },
  { path: '/campaign/:id/walk', ...lazyPage(withOutboxContext(() => import('@/features/vehicles/WalkPage'))) },
  { path: '/vehicle/:id', ...vehicle },
  { path: '/campaign-list/:id?', ...lazyPage(() => import('@/features/manage/ManagePage')), allow: mayManageCampaigns, elsewhere: '/campaign-home' },
  { path: '/user-management', ...lazyPage(() => import('@/features/users/UserManagementPage')), allow: isSupervisor },
  { path: '/logs-audit', ...lazyPage(() => import('@/features/audit/LogsAuditPage')), allow: onlyDeveloper },
  { path: '/developer', ...lazyPage(() => import('@/features/audit/DeveloperPage')), allow: onlyDeveloper },
  { path: '/outbox', ...lazyPage(withOutboxContext(() => import('@/features/outbox/OutboxPage'))) },
  { path: '/conflicts', ...lazyPage(() => import('@/features/conflicts/ConflictsPage')), allow: mayManageCampaigns, elsewhere: '/campaign-home' },
  { path: '/account', ...lazyPage(() => import('@/features/account/AccountPage')) },
  { path: '/privacy-policy', ...lazyPage(() => import('@/features/policies/PrivacyPage')), isPublic: true },
  { path: '/terms-service', ...lazyPage(() => import('@/features/policies/TermsPage')), isPublic: true },
  { path: '/import', ...lazyPage(() => import('@/features/imports/ImportPage')), allow: mayManageCampaigns, elsewhere: '/campaign-home' },
]

/** Returns whether a path belongs to a route, whose segments may be parameters (`:id`) and optional parameters (`:id?`). */
const matches = (route: string, path: string): boolean => new RegExp(`^${route.replace(/\/:\w+\?/, '(/[^/]+)?').replace(/:\w+/, '[^/]+')}$`).test(path)

/**
 * Loads the code of the page that a person sees first at a path: the sign-in for a person without a session, unless the page is public.
 * After the sign-in's code, also loads the home page's code, so that the home page opens without a placeholder.
 */
export async function loadFirstPage(path: string, isSignedIn: boolean): Promise<void> {
  const route = ROUTES.find((one) => matches(one.path, path))
  if (route !== undefined && (isSignedIn || route.isPublic)) return void (await route.load())
  await signIn.load()
  runWhenIdle(() => void home.load().catch(() => undefined))
}

/** A link in the menu, with the rule for who sees the link. */
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

/** Menu entries that are used less often, below a heading of their own. */
export const SECONDARY_MENU_ENTRIES: MenuEntry[] = [
  { label: 'menu.import', icon: 'plus', to: '/import', allow: mayManageCampaigns },
  { label: 'menu.conflicts', icon: 'split', to: '/conflicts', allow: mayManageCampaigns },
  { label: 'menu.outbox', icon: 'phone', to: '/outbox' },
  { label: 'menu.account', icon: 'person', to: '/account' },
]

/** Returns the entries that a person may see. */
export const filterMenuEntries = (entries: MenuEntry[], userType: string, developer: boolean): MenuEntry[] => entries.filter(({ allow }) => allow?.(userType, developer) ?? true)

/** Links to the policies, below the entry that signs out. */
export const LEGAL_MENU_ENTRIES: MenuEntry[] = [
  { label: 'menu.privacy', icon: 'shield', to: '/privacy-policy' },
  { label: 'menu.terms', icon: 'sheet', to: '/terms-service' },
]
