import { useState } from 'react'
import type { UserUpdate } from '@/api/types'
import { showToast } from '@/ui/Toast'
import { useEditUser, useUsers } from './api'
import { useUsersText, type UsersTextKey } from './text'

interface Change {
  /** Id of the chosen user as text; empty when no user is chosen. */
  user: string
  /** Text key of the error in the typed values; `null` when the values can be sent. */
  complaint: UsersTextKey | null
  change: UserUpdate
  done: UsersTextKey
}

/**
 * Manages the form of a panel that changes one field of one user. Returns the error and busy states of the form, and a function that
 * submits the change. Calls `clear` after a successful change.
 */
export function useSubmitUserChange(clear: () => void) {
  const t = useUsersText()
  const users = useUsers()
  const edit = useEditUser()
  const [complaint, setComplaint] = useState<UsersTextKey | null>(null)

  const submit = ({ user: chosen, complaint: wrong, change, done }: Change) => {
    const user = users.data?.find(({ id }) => String(id) === chosen)
    const found = wrong ?? (user === undefined ? 'users.unknown' : null)
    setComplaint(found)
    if (found !== null || user === undefined) return
    edit.mutate({ user, change }, {
      onSuccess: () => {
        clear()
        showToast('success', t(done))
      },
    })
  }
  return { complaint, submit, error: edit.error, busy: edit.isPending }
}
