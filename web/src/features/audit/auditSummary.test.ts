import { expect, test } from 'vitest'
import type { Campaign } from '@/api/types'
import { createFake } from '@/testing/createFake'
import { findSummaryLinks, splitAtLinks } from './auditSummary'

const event = { id: 'vehicle-1', at: '2026-11-21T01:02:03Z', kind: 'vehicle-changed', subject: 'vehicle 12', summary: '' }
const vinLink = { name: 'CR2 000001', path: '/vehicle/12', occurrence: 0 }
const airbagLink = { name: 'Airbag', path: '/campaign/5', occurrence: 0 }
const airbag = createFake<Campaign>({ id: 5, name: 'Airbag', created_at: '2026-11-20T00:00:00Z' })

test('the VIN of a vehicle event links to the vehicle and the name of its campaign to the campaign', () => {
  for (const summary of ['CR2 000001 of Airbag saved as ok, scanned', 'CR2 000001 of Airbag entered as ng, in conflict with ok, typed', 'CR2 000001 in Airbag: conflict on status resolved']) {
    expect(findSummaryLinks({ ...event, summary }, [airbag])).toEqual([vinLink, airbagLink])
  }
})

test('a campaign that is unknown or newer than the event is no link of a vehicle event', () => {
  const saved = { ...event, summary: 'CR2 000001 of Airbag saved as ok, scanned' }
  expect(findSummaryLinks(saved, [])).toEqual([vinLink])
  expect(findSummaryLinks(saved, [{ ...airbag, created_at: '2026-11-22T00:00:00Z' }])).toEqual([vinLink])
})

test('the name of a campaign event links to the campaign', () => {
  for (const summary of ['campaign "Airbag": status from Ready to Ongoing', 'campaign 5 is "Airbag" and Ongoing', 'exported 12 vehicles of Airbag as report_Airbag.xlsx', 'imported Airbag with 12 vehicles from a.xlsx']) {
    expect(findSummaryLinks({ ...event, subject: 'campaign 5', summary }, [])).toEqual([airbagLink])
  }
  expect(findSummaryLinks({ ...event, subject: 'campaign 5', summary: 'stored 12 vehicles of campaign 5' }, [])).toEqual([])
  expect(findSummaryLinks({ ...event, subject: 'user 5', summary: 'changed the user' }, [])).toEqual([])
})

test('a text is split at its links, in any language', () => {
  const [vin, campaign] = [{ ...vinLink, name: 'CR2 1' }, airbagLink]
  expect(splitAtLinks('CR2 1 de Airbag salvo como ok', [vin, campaign])).toEqual([vin, ' de ', campaign, ' salvo como ok'])
  expect(splitAtLinks('salvo', [vin])).toEqual(['salvo'])
})

test.each([
  ['exported 12 vehicles of 2 as report_2.xlsx', 'exportou 12 veículos de 2 como report_2.xlsx', '2', 'exportou 12 veículos de '],
  ['exported 2 vehicles of 2 as report_2.xlsx', 'exportou 2 veículos de 2 como report_2.xlsx', '2', 'exportou 2 veículos de '],
  ['imported Airbag with 2 vehicles from Airbag.xlsx', 'importou Airbag com 2 veículos de Airbag.xlsx', 'Airbag', 'importou '],
  ['campaign 5 is "5" and Ongoing', 'a campanha 5 tem o nome "5" e está Ongoing', '5', 'a campanha 5 tem o nome "'],
  ['campaign "campanha": part', 'campanha "campanha": part', 'campanha', 'campanha "'],
  ['imported com with 2 vehicles from a.xlsx', 'importou com com 2 veículos de a.xlsx', 'com', 'importou '],
])('the link in a translation of "%s" is the name, no number, word or file name that contains it', (summary, translation, name, before) => {
  const links = findSummaryLinks({ ...event, subject: 'campaign 5', summary }, [])
  for (const [text, start] of [[translation, before], [summary, null]] as const) {
    const [first, link, rest] = splitAtLinks(text, links)
    expect([link, `${String(first)}${name}${String(rest)}`]).toEqual([expect.objectContaining({ name, path: '/campaign/5' }), text])
    if (start !== null) expect(first).toBe(start)
  }
})

test('the campaign of a vehicle event is no link inside the VIN or the saved value', () => {
  const links = findSummaryLinks({ ...event, summary: 'CR2 2 of 2 saved as 2, typed' }, [{ ...airbag, name: '2' }])
  const [vin, campaign] = links
  expect(splitAtLinks('CR2 2 de 2 salvo como 2, digitado', links)).toEqual([vin, ' de ', campaign, ' salvo como 2, digitado'])
})
