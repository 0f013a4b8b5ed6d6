import type { CampaignStatus } from '@/api/types'
import { isSupervisor, mayManage } from '@/lib/roles'
import type { CampaignsKey } from './text'

export interface Step {
  to: CampaignStatus
  label: CampaignsKey
}

const REVIEW: Step = { to: 'Pending Review', label: 'step.review' }
const RESUME: Step = { to: 'Ongoing', label: 'step.resume' }
const CLOSE: Step = { to: 'Closed', label: 'step.close' }
const REOPEN: Step = { to: 'Ongoing', label: 'step.reopen' }

/** Where this access level may take a campaign from its status; starting one is not among these. */
export function stepsFrom(status: CampaignStatus, userType: string): Step[] {
  if (!mayManage(userType)) return []
  if (status === 'Ongoing') return [REVIEW, CLOSE]
  if (status === 'Pending Review') return [RESUME, CLOSE]
  return status === 'Closed' && isSupervisor(userType) ? [REOPEN] : []
}
