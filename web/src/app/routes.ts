import { lazy, type ComponentType } from 'react'
import { isSupervisor, mayManageCampaigns } from '@/lib/roles'
import type { TextKey } from '@/lib/text'
import type { IconName } from '@/ui/Icon'
import { lazyPage, withOutbox } from './lazyPage'

export const SignInPage = lazy(() => import('@/features/auth/SignInPage'))
export const NewPasswordPage = lazy(() => import('@/features/account/NewPasswordPage'))

/** Page of the app, with the roles that may open it. */
export interface AppRoute {
  path: string
  Page: ComponentType
  /** Returns whether a person may open the page. Other people are redirected to `elsewhere`. */
  allow?: (userType: string, developer: boolean) => boolean
  elsewhere?: string
  /** Whether the page is shown without a session as well. */
  isPublic?: boolean
}

const onlyDeveloper = (_: string, developer: boolean): boolean => developer

const campaign = lazyPage(() => import('@/features/campaigns/CampaignPage'))
const list = lazyPage(withOutbox(() => import('@/features/vehicles/VehicleListPage')))
const vehicle = lazyPage(withOutbox(() => import('@/features/vehicles/VehiclePage')))

/** Pages that inspectors use in a yard: campaign, vehicle list and vehicle. */
export const INSPECTION_PAGES = [campaign, list, vehicle]

/** Pages inside the layout. The code of a page is loaded when the page is first shown. */
export const ROUTES: AppRoute[] = [
  { path: '/campaign-home', Page: lazy(() => import('@/features/campaigns/HomePage')) },
  { path: '/yard', Page: lazy(() => import('@/features/yards/YardPickerPage')) },
  { path: '/yard/:id', Page: lazy(() => import('@/features/campaigns/YardCampaignsPage')) },
  { path: '/campaign/:id', Page: campaign.Page },
  { path: '/campaign/:id/vehicles', Page: list.Page },
  { path: '/campaign/:id/walk', Page: lazy(withOutbox(() => import('@/features/vehicles/WalkPage'))) },
  { path: '/vehicle/:id', Page: vehicle.Page },
  { path: '/campaign-list/:id?', Page: lazy(() => import('@/features/manage/ManagePage')), allow: mayManageCampaigns, elsewhere: '/campaign-home' },
  { path: '/user-management', Page: lazy(() => import('@/features/users/UserManagementPage')), allow: isSupervisor },
  { path: '/logs-audit', Page: lazy(() => import('@/features/audit/LogsAuditPage')), allow: onlyDeveloper },
  { path: '/developer', Page: lazy(() => import('@/features/audit/DeveloperPage')), allow: onlyDeveloper },
  { path: '/outbox', Page: lazy(withOutbox(() => import('@/features/outbox/OutboxPage'))) },
  { path: '/conflicts', Page: lazy(() => import('@/features/conflicts/ConflictsPage')), allow: mayManageCampaigns, elsewhere: '/campaign-home' },
  { path: '/account', Page: lazy(() => import('@/features/account/AccountPage')) },
  { path: '/privacy-policy', Page: lazy(() => import('@/features/policies/PrivacyPage')), isPublic: true },
  { path: '/terms-service', Page: lazy(() => import('@/features/policies/TermsPage')), isPublic: true },
  { path: '/import', Page: lazy(() => import('@/features/imports/ImportPage')), allow: mayManageCampaigns, elsewhere: '/campaign-home' },
]

/** A link in the menu, with the rule for who sees the link. */
export interface MenuEntry {
  label: TextKey
  /** Shorter label for the rail (the menu at the left edge of a wide window). The label of the menu is used when absent. */
  short?: TextKey
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
export const MORE_MENU_ENTRIES: MenuEntry[] = [
  { label: 'menu.import', short: 'menu.importShort', icon: 'plus', to: '/import', allow: mayManageCampaigns },
  { label: 'menu.conflicts', icon: 'split', to: '/conflicts', allow: mayManageCampaigns },
  { label: 'menu.outbox', icon: 'phone', to: '/outbox' },
  { label: 'menu.account', icon: 'person', to: '/account' },
]

/** Returns the entries that a person may see. */
export const allowedEntries = (entries: MenuEntry[], userType: string, developer: boolean): MenuEntry[] => entries.filter(({ allow }) => allow?.(userType, developer) ?? true)

/** Links to the policies, below the entry that signs out. */
export const POLICY_MENU_ENTRIES: MenuEntry[] = [
  { label: 'menu.privacy', icon: 'shield', to: '/privacy-policy' },
  { label: 'menu.terms', icon: 'sheet', to: '/terms-service' },
]
