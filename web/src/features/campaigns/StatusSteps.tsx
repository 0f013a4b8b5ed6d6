import { useState } from 'react'
import { wordsFor } from '@/api/problem'
import { useSession } from '@/api/session'
import type { Campaign } from '@/api/types'
import { Button } from '@/ui/Button'
import { Confirm } from '@/ui/Dialog'
import { Note } from '@/ui/Page'
import { toast } from '@/ui/Toast'
import { useSetCampaignStatus } from './api'
import { HeldByPhones } from './HeldByPhones'
import { stepsFrom, type Step } from './steps'
import { useCampaignsText } from './text'
import styles from './CampaignPage.module.css'

/** Takes a campaign on in its life: to review, back, to its end, and from there again. */
export function StatusSteps({ campaign }: { campaign: Campaign }) {
  const t = useCampaignsText()
  const steps = stepsFrom(campaign.status, useSession()?.user.user_type ?? '')
  const [closing, setClosing] = useState<Step | null>(null)
  const set = useSetCampaignStatus()
  if (steps.length === 0) return null

  const take = ({ to }: Step) => set.mutate({ id: campaign.id, status: to }, {
    onSuccess: ({ status }) => toast('success', t('step.done', { status })),
    onSettled: () => setClosing(null),
  })
  return (
    <section className={styles.steps} aria-label={t('step.title')}>
      {steps.map((step) => (
        <Button key={step.label} busy={set.isPending && set.variables.status === step.to} disabled={set.isPending} onClick={() => (step.to === 'Closed' ? setClosing(step) : take(step))}>
          {t(step.label)}
        </Button>
      ))}
      {set.error && <Note kind="error">{wordsFor(set.error, t)}</Note>}
      {closing && (
        <Confirm question={t('step.closeQuestion', { name: campaign.name })} busy={set.isPending} onYes={() => take(closing)} onNo={() => setClosing(null)}>
          <p>{t('step.closeText')}</p>
          <HeldByPhones campaign={campaign.id} />
        </Confirm>
      )}
    </section>
  )
}
