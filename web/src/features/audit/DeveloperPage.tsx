import { Empty, Page } from '@/ui/Page'
import { useAuditText } from './text'

/** A place for what is being made, seen only by the developer account. */
export default function DeveloperPage() {
  const t = useAuditText()
  return (
    <Page title={t('developer.title')} narrow>
      <Empty icon="code" text={t('developer.text')} />
    </Page>
  )
}
