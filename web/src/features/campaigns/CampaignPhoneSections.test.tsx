import { screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import type { InspectionActivity } from '@/api/types'
import { renderPage } from '@/testing/renderPage'
import { ActivityPhoneSections } from './CampaignPhoneSections'

const activity: InspectionActivity = { hours: [], yards: [], people: [], total: 1000, inspected: 0, inspected_before: 0 }

function open(query: { data?: InspectionActivity; error?: Error }) {
  const refetch = vi.fn<() => void>()
  const person = renderPage(() => <ActivityPhoneSections isCampaign query={{ data: undefined, error: null, refetch, ...query }} pace={0} isClosed={false} />, '/', '/')
  return { person, refetch, summaries: () => [...document.querySelectorAll('summary')].map(({ textContent }) => textContent) }
}

test.each([[0, '0%'], [1, '<1%'], [15, '2%'], [999, '>99%'], [1000, '100%']])('the share of %i of 1000 inspected vehicles is %s, as in the figures of the campaign', (inspected, share) => {
  expect(open({ data: { ...activity, inspected } }).summaries()).toEqual([`Progress over time${share}`])
})

test('the section of the inspections per hour appears only with an inspection', () => {
  expect(open({}).summaries()).toEqual(['Progress over time'])
})

test('a failure to load the inspections is visible without expanding a section, and can be tried again', async () => {
  const { person, refetch, summaries } = open({ error: new Error('broken') })
  expect([summaries(), screen.getByText(/^Não foi possível carregar o andamento/)]).toEqual([[], expect.anything()])
  await person.click(screen.getByRole('button', { name: 'Try again' }))
  expect(refetch).toHaveBeenCalledOnce()
})

test('a failed refetch keeps the sections of the earlier data', () => {
  const hours = [{ at: new Date().toISOString(), inspected: 3, saves: 3, found_wrong: 0 }]
  expect(open({ data: { ...activity, inspected: 3, hours }, error: new Error('broken') }).summaries()).toEqual(['Progress over time<1%', 'Per hour, today3 inspected'])
})
