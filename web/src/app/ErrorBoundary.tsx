import { Component, type ReactNode } from 'react'
import { translate } from '@/lib/text'
import { ErrorNotice, Page } from '@/ui/Page'

/** Shows an error page when a page fails to render, for instance because its code could not be loaded. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override render() {
    if (!this.state.failed) return this.props.children
    return (
      <Page title={translate('crash.title')} narrow>
        <ErrorNotice text={translate('crash.text')} onRetry={() => window.location.reload()} />
      </Page>
    )
  }
}
