import { useEffect } from 'react'
import { useParams } from 'wouter'
import { createFormDraftHook } from '@/api/formDrafts'
import { publishDroppedFile } from '@/lib/droppedFile'
import { useMediaQuery } from '@/lib/useMediaQuery'
import { buildPath, parseId, navigate, setQueryParams, useQueryParams } from '@/lib/route'
import { LinkButton } from '@/ui/Button'
import { Select } from '@/ui/Field'
import { Page } from '@/ui/Page'
import { PageDropTarget } from '@/ui/PageDropTarget'
import { showToast } from '@/ui/Toast'
import { useAllYards } from './api'
import { CsvUpdateTool } from './CsvUpdateTool'
import { JobHistoryList } from './JobHistoryList'
import { ManagedCampaignList } from './ManagedCampaignList'
import { BulkParkingSpaceEditor } from './BulkParkingSpaceEditor'
import { BulkStatusEditor } from './BulkStatusEditor'
import { useManagePageText } from './pageText'
import { useManageText } from './text'
import { ToolAccordion, type ManagePageTool } from './ToolAccordion'
import { ManageToolTabs } from './ManageToolTabs'
import { VehicleEditor } from './VehicleEditor'
import styles from './CampaignManagementPage.module.css'

const LIST = 'campaigns'
const CSV = 'csv'

/**
 * Names of the tools that the person has opened. The names are kept when the session expires, so that the tools are open again after the
 * same person signs in.
 */
const useOpened = createFormDraftHook<readonly string[]>([])

/** Screen for team leaders and supervisors: the campaigns first, then the tools that change vehicles in bulk. */
export default function CampaignManagementPage() {
  const t = useManagePageText()
  const yard = parseId(useParams<{ id?: string }>().id)
  const isWide = useMediaQuery('(min-width: 900px)')
  const open = (file: File) => {
    const name = file.name.toLowerCase()
    if (!/\.(csv|xlsx)$/.test(name)) return void showToast('error', t('manage.dropWrong'))
    publishDroppedFile(file)
    if (name.endsWith('.xlsx')) navigate('/import')
    else setQueryParams({ tool: CSV })
  }
  return (
    <Page title={t('manage.title')} besideTitle={
      <div className={styles.start}>
        <LinkButton to="/import" icon="plus" kind="primary" big={!isWide}>
          {t('manage.create')}
        </LinkButton>
        <span className={styles.or}>{t('manage.or')}</span>
        <YardChoice yard={yard} />
      </div>
    }>
      <Tools key={yard ?? 'all'} yard={yard} />
      <PageDropTarget title={t('manage.drop')} offers={[t('manage.dropCsv'), t('manage.dropXlsx')]} onFile={open} />
    </Page>
  )
}

/**
 * Campaign list and tools of the page. On wide screens, each of them is a tab; on phones, the tools are sections below the list. The URL
 * contains the name of the open tab or section.
 */
function Tools({ yard }: { yard: number | null }) {
  const t = useManageText()
  const p = useManagePageText()
  const isWide = useMediaQuery('(min-width: 900px)')
  const named = useQueryParams().get('tool')
  const [opened, setOpened] = useOpened()
  const setOpen = (name: string, open: boolean) =>
    setOpened((before) => (open === before.includes(name) ? before : open ? [...before, name] : before.filter((other) => other !== name)))
  const tools: ManagePageTool[] = [
    { name: 'vehicle', title: t('editor.title'), about: p('editor.about'), icon: 'pencil', content: <VehicleEditor yard={yard} /> },
    { name: CSV, title: t('csv.title'), about: p('csv.about'), icon: 'sheet', content: <CsvUpdateTool /> },
    { name: 'status', title: t('bulk.statusTitle'), about: p('bulk.statusAbout'), icon: 'double-check', content: <BulkStatusEditor yard={yard} /> },
    { name: 'space', title: t('bulk.spaceTitle'), about: p('bulk.spaceAbout'), icon: 'grid', content: <BulkParkingSpaceEditor yard={yard} /> },
    { name: 'history', title: t('history.title'), about: p('history.about'), icon: 'undo', isList: true, content: <JobHistoryList /> },
  ]
  useScrollToFold(isWide ? null : named)
  if (isWide) {
    const list: ManagePageTool = { name: LIST, title: p('manage.review'), about: p('manage.reviewAbout'), icon: 'list', isList: true, content: <ManagedCampaignList yard={yard} /> }
    const all = [list, ...tools]
    return (
      <ManageToolTabs label={p('manage.tools')} tools={all} current={all.find(({ name }) => name === named)?.name ?? LIST} isKept={(name) => opened.includes(name)} onChoose={(name) => {
        setOpen(name, true)
        setQueryParams({ tool: name === LIST ? null : name })
      }} />
    )
  }
  return (
    <>
      <div className={styles.listHead}>
        <h2>{p('manage.review')}</h2>
        <a className={styles.jump} href="#tools">
          {p('manage.tools')}
        </a>
      </div>
      <ManagedCampaignList yard={yard} />
      <section id="tools" className={styles.tools} aria-label={p('manage.tools')}>
        <ToolAccordion tools={tools} isOpen={(name) => name === named || opened.includes(name)} onToggle={(name, open) => {
          setOpen(name, open)
          if (!open && name === named) setQueryParams({ tool: null })
        }} />
      </section>
    </>
  )
}

/** Scrolls to the open section that the URL names, because the sections are below the campaign list. */
function useScrollToFold(named: string | null): void {
  useEffect(() => {
    if (named !== null) document.querySelector('#tools > details[open]')?.scrollIntoView()
  }, [named])
}

/** Select for the yard to which the campaign list and the tools are limited. Changing the yard does not close the open tool. */
function YardChoice({ yard }: { yard: number | null }) {
  const t = useManagePageText()
  const tool = useQueryParams().get('tool')
  const choose = (id: string) => navigate(buildPath(id === '' ? '/campaign-list' : `/campaign-list/${id}`, { tool }))
  return (
    <div className={styles.yard}>
      <Select label={t('manage.yard')} value={yard ?? ''} onChange={(event) => choose(event.target.value)}>
        <option value="">{t('manage.allYards')}</option>
        {useAllYards().data?.map(({ id, name }) => (
          <option key={id} value={id}>
            {t('yard.named', { name })}
          </option>
        ))}
      </Select>
    </div>
  )
}
