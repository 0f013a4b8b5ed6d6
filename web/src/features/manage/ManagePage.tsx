import { useParams } from 'wouter'
import { idFrom, navigate } from '@/lib/route'
import { LinkButton } from '@/ui/Button'
import { Select } from '@/ui/Field'
import { Page } from '@/ui/Page'
import { useYardChoices } from './api'
import { CsvEditor } from './CsvEditor'
import { Fold, useFolds } from './Fold'
import { History } from './History'
import { ManagedCampaigns } from './ManagedCampaigns'
import { SpaceManager } from './SpaceManager'
import { StatusManager } from './StatusManager'
import { useManageText } from './text'
import { VehicleEditor } from './VehicleEditor'
import styles from './ManagePage.module.css'

/** What team leaders and supervisors do with campaigns: create, edit many vehicles, look after, delete. */
export default function ManagePage() {
  const t = useManageText()
  const yard = idFrom(useParams<{ id?: string }>().id)
  const fold = useFolds()
  return (
    <Page title={t('manage.title')}>
      <div className={styles.start}>
        <LinkButton to="/import" icon="plus" kind="primary" big>
          {t('manage.create')}
        </LinkButton>
        <span className={styles.or}>{t('manage.or')}</span>
        <YardChoice yard={yard} />
      </div>
      <section className={styles.tools} aria-label={t('manage.tools')} key={yard ?? 'all'}>
        <Fold title={t('editor.title')} icon="pencil" {...fold('vehicle')}>
          <VehicleEditor yard={yard} />
        </Fold>
        <Fold title={t('csv.title')} icon="sheet" {...fold('csv')}>
          <CsvEditor />
        </Fold>
        <Fold title={t('bulk.statusTitle')} icon="double-check" {...fold('status')}>
          <StatusManager yard={yard} />
        </Fold>
        <Fold title={t('bulk.spaceTitle')} icon="grid" {...fold('space')}>
          <SpaceManager yard={yard} />
        </Fold>
        <Fold title={t('history.title')} icon="undo" {...fold('history')}>
          <History />
        </Fold>
      </section>
      <h2>{t('manage.review')}</h2>
      <ManagedCampaigns yard={yard} />
    </Page>
  )
}

/** The yard that the tools and the list are about. */
function YardChoice({ yard }: { yard: number | null }) {
  const t = useManageText()
  return (
    <div className={styles.yard}>
      <Select label={t('manage.yard')} value={yard ?? ''} onChange={(event) => navigate(event.target.value === '' ? '/campaign-list' : `/campaign-list/${event.target.value}`)}>
        <option value="">{t('manage.allYards')}</option>
        {useYardChoices().data?.map(({ id, name }) => (
          <option key={id} value={id}>
            {t('yard.named', { name })}
          </option>
        ))}
      </Select>
    </div>
  )
}
