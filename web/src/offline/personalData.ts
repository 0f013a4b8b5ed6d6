import { openDatabase } from './database'
import { loadOutbox } from './outbox/store'
import { deleteAllSnapshots } from './snapshots/store'

/**
 * Deletes the data that this browser stores for a signed-out person, and the snapshots (vehicle lists stored for offline use) of all
 * people. Unsent saves stay, encrypted, until the person signs in again.
 */
export async function deletePersonalData(owner: string): Promise<void> {
  for (const name of Object.keys(localStorage)) if (name.split(':')[1] === owner) localStorage.removeItem(name)
  await deleteAllSnapshots()
  const database = await openDatabase()
  const sent = (await database?.getAllFromIndex('outbox', 'owner', owner))?.filter(({ state }) => state === 'done') ?? []
  for (const { seq } of sent) await database?.delete('outbox', seq)
  await loadOutbox()
}
