import { screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { queryKeys } from '@/api/queryKeys'
import { endSessionAndKeepData } from '@/api/session'
import { createTestQueryClient, LEADER, renderPage, signInAs } from '@/testing/renderPage'
import { Breadcrumb } from './Breadcrumb'

afterEach(endSessionAndKeepData)

function open(path: string) {
  signInAs(LEADER)
  const queries = createTestQueryClient()
  renderPage(() => <Breadcrumb path={path} />, path, path, queries)
  return queries
}
const trail = () => screen.getByRole('navigation', { name: 'You are here' })
const texts = () => [...trail().querySelectorAll('li')].map(({ textContent }) => textContent)

test('the entries after the home page wait for the name of the campaign, so that the name moves none of them', async () => {
  const queries = open('/campaign/5/vehicles')
  expect(trail().hasAttribute('data-loading')).toBe(true)
  queries.setQueryData(queryKeys.campaign(5, null), { id: 5, name: 'Airbag' })
  await screen.findByText('Airbag')
  expect(trail().hasAttribute('data-loading')).toBe(false)
  expect(texts()).toEqual(['Home', 'Airbag', 'Vehicles List'])
})

test('the entries of a vehicle wait for the vehicle', async () => {
  const queries = open('/vehicle/7')
  expect(trail().hasAttribute('data-loading')).toBe(true)
  queries.setQueryData(queryKeys.vehicle(7, null), { id: 7, campaign_id: 5, campaign_name: 'Airbag', parking_space: 'A-204' })
  await screen.findByText('A-204')
  expect(trail().hasAttribute('data-loading')).toBe(false)
})

test('pages without a campaign wait for no name', () => {
  open('/conflicts')
  expect(trail().hasAttribute('data-loading')).toBe(false)
})
