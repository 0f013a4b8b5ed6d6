import type { SessionUser } from '@/api/session'
import { useMediaQuery } from '@/lib/useMediaQuery'
import { Breadcrumb } from './Breadcrumb'
import { HeaderSearch } from './HeaderSearch'
import { KeyboardShortcuts } from './KeyboardShortcuts'

/** The parts of the header that only wide windows have: breadcrumb, search over the open campaigns, and keyboard shortcuts. */
export function HeaderTools({ user, path }: { user: SessionUser; path: string }) {
  const isWide = useMediaQuery('(min-width: 1280px)')
  const hasKeyboard = useMediaQuery('(pointer: fine)')
  return (
    <>
      <Breadcrumb path={path} />
      {isWide && <HeaderSearch path={path} />}
      {hasKeyboard && <KeyboardShortcuts key={path} userType={user.user_type} />}
    </>
  )
}
