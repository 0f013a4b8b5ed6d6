import { EmptyState, Page } from '@/ui/Page'
import { useAuditText } from './text'

/**
 * Placeholder page for the developer account. Shows only the text 'Em progresso' (in progress), which the product specification requires.
 */
export default function DeveloperPage() {
  const t = useAuditText()
  return (
    <Page title={t('developer.title')} narrow>
      <EmptyState icon="code" text={t('developer.text')} />
    </Page>
  )
}
