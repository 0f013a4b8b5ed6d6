import { act } from '@testing-library/react'
import { getCurrentDataOwnerKey } from '@/api/session'
import { outboxState, type OutboxEntry } from '@/offline/outbox'
import { createSaveRequest } from './outboxTabs'

/** Puts unsent first inspections of the signed-in person into the outbox, one per entry. */
export function holdInspections(...places: { campaign: number; yard: number }[]): void {
  const saves = places.map(({ campaign, yard }, index): OutboxEntry => ({
    ...createSaveRequest(index + 1), seq: index, id: `${index}`, key: `${index}`, device_time: '', at: 1, mode: 'keep', state: 'waiting', conflicts: [], done_at: null, reason: null,
    campaign, stands_in: yard, inspected: false,
  }))
  act(() => outboxState.set({ ...outboxState.get(), owner: getCurrentDataOwnerKey(), pending: new Map(saves.map((save) => [save.vehicle, [save]])) }))
}
