import type { Page } from '@playwright/test'

/** A save as stored in the page's database. */
export interface StoredSave {
  seq: number
  id: string
  owner: string
  state: string
  at: number
  sealed: number[]
}

/** Returns the database, local storage and session storage of the browser as one text, each byte as one character. */
export const readAllStorage = (page: Page): Promise<string> =>
  page.evaluate(() => new Promise<string>((resolve, reject) => {
    const opening = indexedDB.open('patio')
    opening.addEventListener('error', () => reject(opening.error ?? new Error('not opened')))
    opening.addEventListener('success', () => {
      const database = opening.result
      const reading = database.transaction([...database.objectStoreNames])
      const all = [...database.objectStoreNames].map((store) => reading.objectStore(store).getAll())
      reading.addEventListener('complete', () => {
        database.close()
        const asText = (_: string, value: unknown) => (value instanceof Uint8Array ? new TextDecoder('latin1').decode(value) : value)
        resolve([JSON.stringify(all.map(({ result }) => result as unknown), asText), JSON.stringify(localStorage), JSON.stringify(sessionStorage)].join('\n'))
      })
    })
  }))

/** Returns the saves of all people in the page's database. */
export const readStoredSaves = (page: Page): Promise<StoredSave[]> =>
  page.evaluate(() => new Promise<StoredSave[]>((resolve) => {
    const opening = indexedDB.open('patio')
    opening.addEventListener('success', () => {
      const reading = opening.result.transaction('outbox').objectStore('outbox').getAll()
      reading.addEventListener('success', () => {
        opening.result.close()
        resolve((reading.result as (Omit<StoredSave, 'sealed'> & { sealed: Uint8Array })[]).map((record) => ({ ...record, sealed: [...record.sealed] })))
      })
    })
  }))

/** Writes a save directly into the page's database. */
export const writeSave = (page: Page, save: StoredSave): Promise<void> =>
  page.evaluate((record) => new Promise<void>((resolve) => {
    const opening = indexedDB.open('patio')
    opening.addEventListener('success', () => {
      const writing = opening.result.transaction('outbox', 'readwrite')
      writing.objectStore('outbox').put({ ...record, sealed: new Uint8Array(record.sealed) })
      writing.addEventListener('complete', () => {
        opening.result.close()
        resolve()
      })
    })
  }), save)
