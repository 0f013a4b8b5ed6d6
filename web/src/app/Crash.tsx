import { Component, type ReactNode } from 'react'
import { translate } from '@/lib/text'
import { Failure, Page } from '@/ui/Page'

/** What is shown when a screen itself fails, for instance because its code could not be loaded. */
export class Crash extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override render() {
    if (!this.state.failed) return this.props.children
    return (
      <Page title={translate('crash.title')} narrow>
        <Failure text={translate('crash.text')} onRetry={() => window.location.reload()} />
      </Page>
    )
  }
}
