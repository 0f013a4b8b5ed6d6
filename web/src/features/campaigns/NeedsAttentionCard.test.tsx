import { act, screen, within } from '@testing-library/react'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { endSessionAndKeepData } from '@/api/session'
import { stubServer } from '@/testing/server'
import { LEADER, renderPage, signInAs } from '@/testing/renderPage'
import { getDeviceId } from '@/offline/outbox'
import { NeedsAttentionCard } from './NeedsAttentionCard'

const MINUTE = 60_000
const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE).toISOString()
const conflict = { id: 1, campaign_id: 5, mine_at: ago(180) }
const held = (hmc: string, minutes: number) => ({ hmc, device: hmc, saves: 14, oldest_at: ago(minutes), told_at: ago(minutes) })

afterEach(endSessionAndKeepData)

async function open(campaign?: number, totalConflicts = 2) {
  signInAs(LEADER)
  stubServer({
    'GET /conflicts': { conflicts: [conflict, { ...conflict, id: 2, mine_at: ago(60) }], meta: { page_index: 0, total_count: totalConflicts, per_page: 50 } },
    'GET /campaigns/5/held': { devices: 2, saves: 28, held: [held('4712', 60), held('4713', 16)] },
    'GET /vehicles/campaign/5': { vehicles: [{ modified_at: ago(3 * 24 * 60) }, { modified_at: ago(60) }], meta: { page_index: 0, total_count: 2, per_page: 200, campaign_name: 'Airbag' } },
  })
  renderPage(() => <NeedsAttentionCard campaigns={[5]} {...(campaign !== undefined && { campaign, hasRepairs: true })} />, '/', '/')
  await screen.findByRole('link', { name: /4712/ })
  return within(await screen.findByRole('region', { name: 'Needs attention' }))
}
const links = (card: Awaited<ReturnType<typeof open>>) => card.getAllByRole('link').map((link) => `${link.textContent} ${link.getAttribute('href')}`)

test('each silent phone with pending saves is a row with its age and a way to its campaign, after the conflicts and theirs', async () => {
  const card = await open()
  await card.findByText('2 conflicts')
  expect(links(card)).toEqual([
    '2 conflictsmais antigo há 3 horas /conflicts',
    'Phone of 4712 is silentpendentes: 14, a mais antiga há 1 hora /campaign/5',
    'Phone of 4713 is silentpendentes: 14, a mais antiga há 16 minutos /campaign/5',
  ])
  expect(card.getByRole('heading').textContent).toBe('Needs attention3')
})

test('with more conflicts than are loaded, the age of the oldest loaded one is stated as a minimum', async () => {
  const card = await open(undefined, 51)
  expect((await card.findByRole('link', { name: /51 conflicts/ })).textContent).toBe('51 conflictsmais antigo há 3 horas ou mais')
})

test('a phone is listed only after 15 minutes without a report, however old its saves are, and this device is never listed', async () => {
  signInAs(LEADER)
  stubServer({
    'GET /conflicts': { conflicts: [], meta: { page_index: 0, total_count: 0, per_page: 50 } },
    'GET /campaigns/5/held': { devices: 3, saves: 42, held: [held('4712', 14), { ...held('4713', 4), oldest_at: ago(90) }, { ...held('1004', 60), device: getDeviceId() }] },
  })
  renderPage(() => <NeedsAttentionCard campaigns={[5]} />, '/', '/')
  expect(await screen.findByText('Nenhum conflito e nenhuma campanha a revisar.')).toBeTruthy()
  expect(screen.queryAllByRole('link')).toEqual([])
})

test('a save of less than a minute ago is old since just now', async () => {
  signInAs(LEADER)
  stubServer({
    'GET /conflicts': { conflicts: [], meta: { page_index: 0, total_count: 0, per_page: 50 } },
    'GET /campaigns/5/held': { devices: 1, saves: 14, held: [{ ...held('4712', 20), oldest_at: ago(0) }] },
  })
  renderPage(() => <NeedsAttentionCard campaigns={[5]} />, '/', '/')
  expect((await screen.findByRole('link', { name: /4712/ })).textContent).toContain('a mais antiga agora há pouco')
})

test('a campaign also counts the vehicles that are in repair for more than two days', async () => {
  const card = await open(5)
  expect((await card.findByRole('link', { name: '1 vehicle in Repair for more than 2 days' })).getAttribute('href')).toBe('/campaign/5/vehicles?status=Repair')
  expect(card.getByRole('link', { name: /4712/ }).getAttribute('href')).toBe('/campaign/5/vehicles?status=waiting')
})

test('the card says that it may be incomplete when the vehicles in repair cannot be loaded', async () => {
  signInAs(LEADER)
  stubServer({
    'GET /conflicts': { conflicts: [], meta: { page_index: 0, total_count: 0, per_page: 50 } },
    'GET /campaigns/5/held': { devices: 0, saves: 0, held: [] },
  })
  renderPage(() => <NeedsAttentionCard campaigns={[5]} campaign={5} hasRepairs />, '/', '/')
  expect(await screen.findByText(/^A lista pode estar incompleta/)).toBeDefined()
  expect(screen.queryByText('Nada precisa da sua atenção.')).toBeNull()
})

test('more than three idle yards are one line, and runs of missing vehicles beyond the third are counted in a line', async () => {
  signInAs(LEADER)
  stubServer({ 'GET /conflicts': { conflicts: [], meta: { page_index: 0, total_count: 0, per_page: 50 } } })
  const five = [1, 2, 3, 4, 5]
  const idle = five.map((id) => ({ yard: { id, name: `Y${id}`, done: 0, total: 9 }, to: '/yard' }))
  const missing = five.map((id) => ({ yard: id, first: `A-${id}0`, last: `A-${id}4`, vehicles: 5 }))
  renderPage(() => <NeedsAttentionCard campaigns={[]} campaign={5} idle={idle} missing={missing} />, '/', '/')
  const card = within(await screen.findByRole('region', { name: 'Needs attention' }))
  expect(card.getByRole('heading').textContent).toBe('Needs attention6')
  expect(card.getAllByRole('link')).toHaveLength(5)
  expect(card.getByRole('link', { name: '5 yards with no one there, 45 left' }).getAttribute('href')).toBe('#yards')
  expect(card.getByRole('link', { name: '2 more groups of neighbouring vehicles not found' }).getAttribute('href')).toBe('/campaign/5/vehicles?status=Not+Found')
})

test('a phone that becomes silent while the page stays open is listed', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  signInAs(LEADER)
  const phones: ReturnType<typeof held>[] = []
  stubServer({
    'GET /conflicts': { conflicts: [], meta: { page_index: 0, total_count: 0, per_page: 50 } },
    'GET /campaigns/5/held': () => ({ devices: phones.length, saves: 14, held: phones }),
  })
  renderPage(() => <NeedsAttentionCard campaigns={[5]} />, '/', '/')
  await screen.findByText('Nenhum conflito e nenhuma campanha a revisar.')
  phones.push(held('4712', 20))
  await act(() => vi.advanceTimersByTimeAsync(MINUTE))
  expect(await screen.findByRole('link', { name: /4712/ })).toBeTruthy()
})
