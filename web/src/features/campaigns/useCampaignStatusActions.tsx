import { useState, type ReactNode } from 'react'
import { getErrorMessage } from '@/api/apiProblem'
import { useSession } from '@/api/session'
import type { Campaign } from '@/api/types'
import type { ActionMenuItem } from '@/ui/ActionMenu'
import { ConfirmDialog } from '@/ui/Dialog'
import { Alert } from '@/ui/Page'
import { getCampaignStatusTextKey } from '@/ui/Status'
import { showToast } from '@/ui/Toast'
import { useSetCampaignStatus } from './api'
import { PendingSavesOnDevicesWarning } from './PendingSavesOnDevicesWarning'
import { listStatusTransitions, type StatusTransition } from './statusTransitions'
import { useCampaignsText } from './text'

const ICONS = { Ongoing: 'play', 'Pending Review': 'eye', Closed: 'check' } as const

/**
 * Provides the status changes of a campaign as menu actions: send for review, resume, close, reopen. `elements` contains the confirmation
 * dialog for closing and the error message.
 */
export function useCampaignStatusActions(campaign: Campaign): { actions: ActionMenuItem[]; isBusy: boolean; elements: ReactNode } {
  const t = useCampaignsText()
  const steps = listStatusTransitions(campaign.status, useSession()?.user.user_type ?? '')
  const [closing, setClosing] = useState<StatusTransition | null>(null)
  const set = useSetCampaignStatus()

  const labelOf = (status: string) => {
    const key = getCampaignStatusTextKey(status)
    return key === undefined ? status : t(key)
  }
  const take = ({ to }: StatusTransition) => set.mutate({ id: campaign.id, status: to }, {
    onSuccess: ({ status }) => showToast('success', t('step.done', { status: labelOf(status) })),
    onSettled: () => setClosing(null),
  })
  const actions = steps.map((step): ActionMenuItem => ({
    icon: step.to === 'Ready' ? 'ring' : ICONS[step.to], text: t(step.label), label: t(step.label), danger: step.to === 'Closed', disabled: set.isPending,
    onSelect: () => (step.to === 'Closed' ? setClosing(step) : take(step)),
  }))
  const elements = (
    <>
      {set.error && <Alert kind="error">{getErrorMessage(set.error, t)}</Alert>}
      {closing && (
        <ConfirmDialog question={t('step.closeQuestion', { name: campaign.name })} busy={set.isPending} onYes={() => take(closing)} onNo={() => setClosing(null)}>
          <p>{t('step.closeText')}</p>
          <PendingSavesOnDevicesWarning campaign={campaign.id} />
        </ConfirmDialog>
      )}
    </>
  )
  return { actions, isBusy: set.isPending, elements }
}
