import { lazy, type ComponentType } from 'react'
import { isSupervisor, mayManage } from '@/lib/roles'
import type { Key } from '@/lib/text'

export const SignInPage = lazy(() => import('@/features/auth/SignInPage'))

interface Screen {
  path: string
  Page: ComponentType
  /** Who may stay; others are sent elsewhere. */
  allow?: (userType: string) => boolean
  elsewhere?: string
}

/** Every route inside the page frame; each is loaded when it is first shown. */
export const SCREENS: Screen[] = [
  { path: '/campaign-home', Page: lazy(() => import('@/features/campaigns/HomePage')) },
  { path: '/yard', Page: lazy(() => import('@/features/yards/YardPickerPage')) },
  { path: '/yard/:id', Page: lazy(() => import('@/features/campaigns/YardCampaignsPage')) },
  { path: '/campaign/:id', Page: lazy(() => import('@/features/campaigns/CampaignPage')) },
  { path: '/campaign/:id/vehicles', Page: lazy(() => import('@/features/vehicles/VehicleListPage')) },
  { path: '/vehicle/:id', Page: lazy(() => import('@/features/vehicles/VehiclePage')) },
  { path: '/campaign-list/:id?', Page: lazy(() => import('@/features/manage/ManagePage')), allow: mayManage, elsewhere: '/campaign-home' },
  { path: '/user-management', Page: lazy(() => import('@/features/users/UserManagementPage')), allow: isSupervisor },
  { path: '/import', Page: lazy(() => import('@/features/imports/ImportPage')), allow: mayManage, elsewhere: '/campaign-home' },
]

interface Entry {
  label: Key
  icon: 'home' | 'grid' | 'people' | 'log' | 'shield' | 'upload'
  to: string
  allow?: (userType: string, developer: boolean) => boolean
}

export const MENU: Entry[] = [
  { label: 'menu.home', icon: 'home', to: '/campaign-home' },
  { label: 'menu.import', icon: 'upload', to: '/import', allow: mayManage },
  { label: 'menu.manage', icon: 'grid', to: '/campaign-list', allow: mayManage },
  { label: 'menu.users', icon: 'people', to: '/user-management', allow: isSupervisor },
]

