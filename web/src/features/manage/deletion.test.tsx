import { screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { endSessionAndKeepData } from '@/api/session'
import type { Campaign } from '@/api/types'
import { stubServer } from '@/testing/server'
import { signInAs, LEADER, renderPage } from '@/testing/renderPage'
import CampaignManagementPage from './CampaignManagementPage'

const campaign: Campaign = {
  id: 5, name: 'Airbag', part: 'Airbag', description: 'Check', status: 'Ongoing', image: '', model_type: '', created_by_name: '1002', created_at: '2026-11-20T12:00:00Z', modified_at: '2026-11-20T12:00:00Z',
  total_vehicles: 40, total_inspected: 3, allClosed: false, progress_unknown: false,
}

afterEach(endSessionAndKeepData)

/** Opens the deletion dialog of the campaign, which the list shows with the given counts. */
async function askToDelete(listed: Partial<Campaign>, address: string) {
  signInAs(LEADER)
  stubServer({
    'GET /campaigns': { campaigns: [{ ...campaign, ...listed }], meta: { page_index: 0, total_count: 1, per_page: 10 } },
    'GET /campaigns/5': campaign,
    'GET /yards': { yards: [{ id: 2, name: 'A', vehicles_count: 40, vehicles_inspected_count: 3 }], meta: { page_index: 0, total_count: 1, per_page: 10 } },
  })
  const person = renderPage(CampaignManagementPage, '/campaign-list/:id?', address)
  await person.click(await screen.findByRole('button', { name: 'Delete Airbag' }))
}
const words = () => screen.getByRole('dialog').textContent

test.each([
  [{ total_inspected: 0 }, 'Os veículos (40) também serão excluídos.', 'Nenhum veículo foi inspecionado ainda.'],
  [{ total_vehicles: 0, total_inspected: 0, progress_unknown: true }, 'Os veículos (?) também serão excluídos.', 'Não foi possível obter o progresso. A campanha pode ter veículos inspecionados.'],
])('the deletion of a campaign with %j says what is lost', async (progress, vehicles, inspected) => {
  await askToDelete(progress, '/campaign-list')
  expect([words()?.includes(vehicles), words()?.includes(inspected)]).toEqual([true, true])
})

test('the deletion of a campaign names all its vehicles where the list shows those of one yard', async () => {
  await askToDelete({ total_vehicles: 4, total_inspected: 0 }, '/campaign-list/2')
  expect(await screen.findByText('Já inspecionados: 3 de 40. Essas inspeções serão perdidas.')).toBeTruthy()
  expect(words()).toContain('Os veículos (40) também serão excluídos.')
})
