import { lazy, type ComponentType } from 'react'
import { isSupervisor, mayManage } from '@/lib/roles'
import type { Key } from '@/lib/text'
import type { IconName } from '@/ui/Icon'
import { page } from './page'

export const SignInPage = lazy(() => import('@/features/auth/SignInPage'))

export interface Screen {
  path: string
  Page: ComponentType
  /** Who may stay; others are sent elsewhere. */
  allow?: (userType: string, developer: boolean) => boolean
  elsewhere?: string
  /** Whether it is shown without a session as well. */
  open?: boolean
}

const onlyDeveloper = (_: string, developer: boolean): boolean => developer

const campaign = page(() => import('@/features/campaigns/CampaignPage'))
const list = page(() => import('@/features/vehicles/VehicleListPage'))
const vehicle = page(() => import('@/features/vehicles/VehiclePage'))

/** The screens of the daily work. */
export const WORK = [campaign, list, vehicle]

/** Every route inside the page frame; each is loaded when it is first shown. */
export const SCREENS: Screen[] = [
  { path: '/campaign-home', Page: lazy(() => import('@/features/campaigns/HomePage')) },
  { path: '/yard', Page: lazy(() => import('@/features/yards/YardPickerPage')) },
  { path: '/yard/:id', Page: lazy(() => import('@/features/campaigns/YardCampaignsPage')) },
  { path: '/campaign/:id', Page: campaign.Page },
  { path: '/campaign/:id/vehicles', Page: list.Page },
  { path: '/campaign/:id/walk', Page: lazy(() => import('@/features/vehicles/WalkPage')) },
  { path: '/vehicle/:id', Page: vehicle.Page },
  { path: '/campaign-list/:id?', Page: lazy(() => import('@/features/manage/ManagePage')), allow: mayManage, elsewhere: '/campaign-home' },
  { path: '/user-management', Page: lazy(() => import('@/features/users/UserManagementPage')), allow: isSupervisor },
  { path: '/logs-audit', Page: lazy(() => import('@/features/audit/LogsAuditPage')), allow: onlyDeveloper },
  { path: '/developer', Page: lazy(() => import('@/features/audit/DeveloperPage')), allow: onlyDeveloper },
  { path: '/outbox', Page: lazy(() => import('@/features/outbox/OutboxPage')) },
  { path: '/conflicts', Page: lazy(() => import('@/features/conflicts/ConflictsPage')), allow: mayManage, elsewhere: '/campaign-home' },
  { path: '/account', Page: lazy(() => import('@/features/account/AccountPage')) },
  { path: '/privacy-policy', Page: lazy(() => import('@/features/policies/PrivacyPage')), open: true },
  { path: '/terms-service', Page: lazy(() => import('@/features/policies/TermsPage')), open: true },
  { path: '/import', Page: lazy(() => import('@/features/imports/ImportPage')), allow: mayManage, elsewhere: '/campaign-home' },
]

export interface Entry {
  label: Key
  icon: IconName
  to: string
  allow?: (userType: string, developer: boolean) => boolean
}

export const MENU: Entry[] = [
  { label: 'menu.home', icon: 'home', to: '/campaign-home' },
  { label: 'menu.manage', icon: 'grid', to: '/campaign-list', allow: mayManage },
  { label: 'menu.users', icon: 'people', to: '/user-management', allow: isSupervisor },
  { label: 'menu.audit', icon: 'log', to: '/logs-audit', allow: onlyDeveloper },
]

/** Entries beyond those of every day, below a heading of their own. */
export const MORE: Entry[] = [
  { label: 'menu.import', icon: 'upload', to: '/import', allow: mayManage },
  { label: 'menu.outbox', icon: 'phone', to: '/outbox' },
  { label: 'menu.account', icon: 'people', to: '/account' },
]

/** Entries below the way out: what everybody may read, signed in or not. */
export const POLICIES: Entry[] = [
  { label: 'menu.privacy', icon: 'shield', to: '/privacy-policy' },
  { label: 'menu.terms', icon: 'sheet', to: '/terms-service' },
]
