import type { CampaignStatus } from '@/api/types'
import { isSupervisor, mayManageCampaigns } from '@/lib/roles'
import type { CampaignsTextKey } from './text'

export interface StatusStep {
  to: CampaignStatus
  label: CampaignsTextKey
}

const REVIEW: StatusStep = { to: 'Pending Review', label: 'step.review' }
const RESUME: StatusStep = { to: 'Ongoing', label: 'step.resume' }
const CLOSE: StatusStep = { to: 'Closed', label: 'step.close' }
const REOPEN: StatusStep = { to: 'Ongoing', label: 'step.reopen' }

/** Lists the status changes that this access level may make from the campaign's current status, except starting the campaign. */
export function listStatusSteps(status: CampaignStatus, userType: string): StatusStep[] {
  if (!mayManageCampaigns(userType)) return []
  if (status === 'Ongoing') return [REVIEW, CLOSE]
  if (status === 'Pending Review') return [RESUME, CLOSE]
  return status === 'Closed' && isSupervisor(userType) ? [REOPEN] : []
}
