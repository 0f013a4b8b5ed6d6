import { disk } from './disk'
import { read } from './outbox/box'
import { forgetLists } from './taken/store'

/** Takes from this browser what a person leaves behind by signing out: all but saves that have not been sent. */
export async function forgetPerson(owner: string): Promise<void> {
  for (const name of Object.keys(localStorage)) if (name.split(':')[1] === owner) localStorage.removeItem(name)
  await forgetLists()
  const kept = await disk()
  const sent = (await kept?.getAllFromIndex('outbox', 'owner', owner))?.filter(({ state }) => state === 'done') ?? []
  for (const { seq } of sent) if (seq !== undefined) await kept?.delete('outbox', seq)
  await read()
}
