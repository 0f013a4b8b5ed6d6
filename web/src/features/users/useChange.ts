import { useState } from 'react'
import type { UserEdit } from '@/api/types'
import { toast } from '@/ui/Toast'
import { useEditUser, useUsers } from './api'
import { useUsersText, type UsersKey } from './text'

interface Change {
  /** The chosen user's id, as the list has it. */
  user: string
  /** What the entry lacks, or null when it may be sent. */
  complaint: UsersKey | null
  change: UserEdit
  done: UsersKey
}

/** One thing changed of one user. */
export function useChange(clear: () => void) {
  const t = useUsersText()
  const users = useUsers()
  const edit = useEditUser()
  const [complaint, setComplaint] = useState<UsersKey | null>(null)

  const submit = ({ user: chosen, complaint: wrong, change, done }: Change) => {
    const user = users.data?.find(({ id }) => String(id) === chosen)
    const found = wrong ?? (user === undefined ? 'users.unknown' : null)
    setComplaint(found)
    if (found !== null || user === undefined) return
    edit.mutate({ user, change }, {
      onSuccess: () => {
        clear()
        toast('success', t(done))
      },
    })
  }
  return { complaint, submit, error: edit.error, busy: edit.isPending }
}
