import { expect, test } from 'vitest'
import { parseLiveEvent } from './liveEvents'

const row = { id: 7, vin_number: 'HB20 000007', parking_space: 'A-7', yard_group: 'A', id_yard: 2, status: 'ok', inspected: true, version: 3 }

test.each([
  ['vehicles', { campaign_id: 5, vehicles: [row] }],
  ['changed', { campaign_id: 5 }],
  ['campaign', { campaign_id: 5 }],
  ['pace', { campaign_id: 5, people: [], saves: 4 }],
  ['conflict', { id: 1, vin_number: 'HB20 000007', state: 'open' }],
])('an event of the kind %s is parsed', (kind, change) => {
  expect(parseLiveEvent({ event: kind, data: JSON.stringify(change) })).toEqual({ kind, change })
})

test.each([
  ['vehicles', '{"campaign_id":5,"vehicles":[{"id":7}]}'],
  ['vehicles', '{"campaign_id":5}'],
  ['changed', '{}'],
  ['pace', '{"campaign_id":"5","people":[]}'],
  ['conflict', 'not JSON'],
  ['a kind of a later version', '{"campaign_id":5}'],
])('an event of the kind %s with the data %s is ignored', (event, data) => {
  expect(parseLiveEvent({ event, data })).toBeNull()
})
