import { EmptyNotice, Page } from '@/ui/Page'
import { useAuditText } from './text'

/** Placeholder page for the developer account, as the specification requires ('Em progresso'). */
export default function DeveloperPage() {
  const t = useAuditText()
  return (
    <Page title={t('developer.title')} narrow>
      <EmptyNotice icon="code" text={t('developer.text')} />
    </Page>
  )
}
