import type { CampaignStatus } from '@/api/types'
import { isSupervisor, mayManageCampaigns } from '@/lib/roles'
import type { CampaignsTextKey } from './text'

export interface StatusTransition {
  to: CampaignStatus
  label: CampaignsTextKey
}

const REVIEW: StatusTransition = { to: 'Pending Review', label: 'step.review' }
const RESUME: StatusTransition = { to: 'Ongoing', label: 'step.resume' }
const CLOSE: StatusTransition = { to: 'Closed', label: 'step.close' }
const REOPEN: StatusTransition = { to: 'Ongoing', label: 'step.reopen' }

/** Lists the status changes that this access level may make from the campaign's current status, except starting the campaign. */
export function listStatusTransitions(status: CampaignStatus, userType: string): StatusTransition[] {
  if (!mayManageCampaigns(userType)) return []
  if (status === 'Ongoing') return [REVIEW, CLOSE]
  if (status === 'Pending Review') return [RESUME, CLOSE]
  return status === 'Closed' && isSupervisor(userType) ? [REOPEN] : []
}
