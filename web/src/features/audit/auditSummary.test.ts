import { expect, test } from 'vitest'
import type { Campaign } from '@/api/types'
import { createFake } from '@/testing/createFake'
import { findSummaryLinks, splitAtLinks } from './auditSummary'

const event = { id: 'vehicle-1', at: '2026-11-21T01:02:03Z', kind: 'vehicle-changed', subject: 'vehicle 12', summary: '' }
const airbag = createFake<Campaign>({ id: 5, name: 'Airbag', created_at: '2026-11-20T00:00:00Z' })

test('the VIN of a vehicle event links to the vehicle and the name of its campaign to the campaign', () => {
  for (const summary of ['CR2 000001 of Airbag saved as ok, scanned', 'CR2 000001 of Airbag entered as ng, in conflict with ok, typed', 'CR2 000001 in Airbag: conflict on status resolved']) {
    expect(findSummaryLinks({ ...event, summary }, [airbag])).toEqual([{ name: 'CR2 000001', path: '/vehicle/12' }, { name: 'Airbag', path: '/campaign/5' }])
  }
})

test('a campaign that is unknown or newer than the event is no link of a vehicle event', () => {
  const saved = { ...event, summary: 'CR2 000001 of Airbag saved as ok, scanned' }
  const vin = [{ name: 'CR2 000001', path: '/vehicle/12' }]
  expect(findSummaryLinks(saved, [])).toEqual(vin)
  expect(findSummaryLinks(saved, [{ ...airbag, created_at: '2026-11-22T00:00:00Z' }])).toEqual(vin)
})

test('the name of a campaign event links to the campaign', () => {
  for (const summary of ['campaign "Airbag": status from Ready to Ongoing', 'campaign 5 is "Airbag" and Ongoing', 'exported 12 vehicles of Airbag as report_Airbag.xlsx', 'imported Airbag with 12 vehicles from a.xlsx']) {
    expect(findSummaryLinks({ ...event, subject: 'campaign 5', summary }, [])).toEqual([{ name: 'Airbag', path: '/campaign/5' }])
  }
  expect(findSummaryLinks({ ...event, subject: 'campaign 5', summary: 'stored 12 vehicles of campaign 5' }, [])).toEqual([])
  expect(findSummaryLinks({ ...event, subject: 'user 5', summary: 'changed the user' }, [])).toEqual([])
})

test('a text is split at its links, in any language', () => {
  const [vin, campaign] = [{ name: 'CR2 1', path: '/vehicle/1' }, { name: 'Airbag', path: '/campaign/5' }]
  expect(splitAtLinks('CR2 1 de Airbag salvo como ok', [vin, campaign])).toEqual([vin, ' de ', campaign, ' salvo como ok'])
  expect(splitAtLinks('salvo', [vin])).toEqual(['salvo'])
})
