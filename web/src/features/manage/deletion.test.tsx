import { screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { queryKeys } from '@/api/queryKeys'
import { endSessionAndKeepData } from '@/api/session'
import type { Campaign } from '@/api/types'
import { campaignQuery } from '@/offline/queries'
import { createReply, stubServer } from '@/testing/server'
import { createTestQueryClient, signInAs, LEADER, renderPage } from '@/testing/renderPage'
import CampaignManagementPage from './CampaignManagementPage'

const campaign: Campaign = {
  id: 5, name: 'Airbag', part: 'Airbag', description: 'Check', status: 'Ongoing', image: '', model_type: '', created_by_name: '1002', created_at: '2026-11-20T12:00:00Z', modified_at: '2026-11-20T12:00:00Z',
  total_vehicles: 40, total_inspected: 3, allClosed: false, progress_unknown: false,
}

afterEach(endSessionAndKeepData)

/** Opens the deletion dialog of the campaign, which the list shows with the counts of `listed` and the server sends alone as `current`. */
async function askToDelete(listed: Partial<Campaign>, address: string, current: Parameters<typeof stubServer>[0][string] = campaign) {
  signInAs(LEADER)
  const calls = stubServer({
    'GET /campaigns': { campaigns: [{ ...campaign, ...listed }], meta: { page_index: 0, total_count: 1, per_page: 10 } },
    'GET /campaigns/5': current,
    'DELETE /campaigns/5': () => new Promise((resolve) => { setTimeout(resolve, 50, {}) }),
    'GET /yards': { yards: [{ id: 2, name: 'A', vehicles_count: 40, vehicles_inspected_count: 3 }], meta: { page_index: 0, total_count: 1, per_page: 10 } },
  })
  const queries = createTestQueryClient()
  queries.setQueryData(campaignQuery(5, null).queryKey, { ...campaign, ...listed })
  const person = renderPage(CampaignManagementPage, '/campaign-list/:id?', address, queries)
  await person.click(await screen.findByRole('button', { name: 'Delete Airbag' }))
  return { person, calls, queries }
}
const words = () => screen.getByRole('dialog').textContent
const yes = () => screen.getByRole('button', { name: 'YES' })
const UNKNOWN = 'Não foi possível obter o progresso. A campanha pode ter veículos inspecionados.'

test.each([
  [{ total_inspected: 0 }, 'Os veículos (40) também serão excluídos.', 'Nenhum veículo foi inspecionado ainda.'],
  [{ total_vehicles: 0, total_inspected: 0, progress_unknown: true }, 'Os veículos (?) também serão excluídos.', UNKNOWN],
])('the deletion of a campaign with %j says what is lost', async (progress, vehicles, inspected) => {
  await askToDelete(progress, '/campaign-list', { ...campaign, ...progress })
  expect(await screen.findByText(inspected)).toBeTruthy()
  expect(words()).toContain(vehicles)
})

test.each(['/campaign-list', '/campaign-list/2'])('the deletion of a campaign names the current counts of all its vehicles, not those of the list (%s)', async (address) => {
  await askToDelete({ total_vehicles: 4, total_inspected: 0 }, address)
  expect(await screen.findByText('Já inspecionados: 3 de 40. Essas inspeções serão perdidas.')).toBeTruthy()
  expect(words()).toContain('Os veículos (40) também serão excluídos.')
})

test('a campaign can be deleted only when its counts are known, and a later refetch keeps them', async () => {
  const replies: ((reply: object) => void)[] = []
  const { queries } = await askToDelete({ total_inspected: 0 }, '/campaign-list', () => new Promise((resolve) => { replies.push(resolve) }))
  await screen.findByText('Contando os veículos...')
  expect([yes(), words()?.includes('Nenhum veículo'), words()?.includes('(?)')]).toEqual([expect.objectContaining({ disabled: true }), false, true])
  replies[0]?.(campaign)
  await screen.findByText(/^Já inspecionados: 3 de 40/)
  expect(yes()).toHaveProperty('disabled', false)
  void queries.invalidateQueries({ queryKey: queryKeys.campaigns })
  await waitFor(() => expect(replies).toHaveLength(2))
  expect([yes(), words()?.includes('3 de 40')]).toEqual([expect.objectContaining({ disabled: false }), true])
})

test('a campaign whose counts cannot be loaded can be deleted, and is not loaded again afterwards', async () => {
  const { person, calls } = await askToDelete({ total_inspected: 0 }, '/campaign-list', createReply(503, { code: 'UNAVAILABLE', message: '' }))
  await screen.findByText(UNKNOWN)
  const before = calls.length
  await person.click(yes())
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(calls.slice(before).map(({ name }) => name)).not.toContain('GET /campaigns/5')
})
