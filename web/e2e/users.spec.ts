import { expect, test, type Page } from '@playwright/test'
import { rowsOf, toastOf } from './support/parts'
import { signIn, supervisor, unique } from './support/people'
import { SIZES, shot } from './support/screenshots'
import { enter, member, memberOf, type Member } from './support/session'

const open = async (page: Page, panel: string) => {
  await enter(page, supervisor, '/user-management')
  await page.getByRole('button', { name: panel, exact: true }).first().click()
}
/** The register number of user 1, who is on no list. */
const RESERVED = process.env.PATIO_DEVELOPER_HMC ?? 'DEV0'
const form = (page: Page, name: string) => page.getByRole('form', { name })
const submit = (page: Page, name: string) => form(page, name).getByRole('button', { name }).click()
const choose = (page: Page, { hmc }: Member, level = 'Operator') => page.getByLabel('User', { exact: true }).selectOption({ label: `${hmc} · ${level}` })

for (const viewport of SIZES) {
  test.describe(`at ${viewport.width}`, () => {
    test.use({ viewport })

    test('only a supervisor may stay; others go home', async ({ page }) => {
      await enter(page, await memberOf(page.request, 'op'), '/user-management')
      await expect(page).toHaveURL(/\/campaign-home$/)
      await enter(page, await memberOf(page.request, 'tm'), '/user-management')
      await expect(page).toHaveURL(/\/campaign-home$/)
    })

    test('five buttons open one panel at a time', async ({ page }) => {
      await enter(page, supervisor, '/campaign-home')
      await page.getByRole('button', { name: 'Open menu' }).click()
      await shot(page, 'menu')
      await page.getByRole('link', { name: 'User management' }).click()
      const names = ['Create New User', 'Active Users', 'Change Password', 'Change Permission', 'Change HMC']
      await expect(page.getByRole('heading', { name: 'User Management' })).toBeVisible()
      await shot(page, 'users')
      for (const name of names) {
        await page.getByRole('button', { name, exact: true }).first().click()
        await expect(page.getByRole('region', { name, exact: true })).toBeVisible()
        for (const other of names) if (other !== name) await expect(page.getByRole('region', { name: other, exact: true })).toHaveCount(0)
      }
    })

    test('a user is created, after what is missing was told, and can sign in', async ({ page }) => {
      const hmc = unique('new').replace(' ', '-')
      await open(page, 'Create New User')
      await submit(page, 'Create New User')
      await expect(page.getByText('Por favor, preencha todos os campos.')).toBeVisible()
      await page.getByLabel('HMC (Register Number)').fill(hmc)
      await page.getByLabel('Password', { exact: true }).fill('yard-walk-2026!')
      await page.getByLabel('Confirm password').fill('yard-walk-2027!')
      await expect(page.getByLabel('Access level').getByRole('option')).toHaveText(['Choose an access level', 'Supervisor', 'Team Leader', 'Operator'])
      await page.getByLabel('Access level').selectOption('Operator')
      await submit(page, 'Create New User')
      await expect(page.getByText('As senhas não correspondem.')).toBeVisible()
      await shot(page, 'users-create')
      await page.getByLabel('Confirm password').fill('yard-walk-2026!')
      await submit(page, 'Create New User')
      await expect(page.getByText('Usuário criado com sucesso!')).toBeVisible()
      await page.getByLabel('HMC (Register Number)').fill(hmc)
      await page.getByLabel('Password', { exact: true }).fill('yard-walk-2026!')
      await page.getByLabel('Confirm password').fill('yard-walk-2026!')
      await page.getByLabel('Access level').selectOption('Operator')
      await submit(page, 'Create New User')
      await expect(page.getByText(/^Erro: /)).toBeVisible()
      await page.evaluate(() => sessionStorage.clear())
      await signIn(page, { hmc, password: 'yard-walk-2026!' })
    })

    test('active users are listed without the reserved one, and deleted after YES', async ({ page }) => {
      const person = await member(page.request, 'op')
      await open(page, 'Active Users')
      await page.getByRole('searchbox', { name: 'Search by HMC' }).fill(RESERVED)
      await expect(page.getByText(/^Nenhum usuário corresponde/)).toBeVisible()
      for (const panel of ['Change Password', 'Change Permission', 'Change HMC']) {
        await page.getByRole('button', { name: panel, exact: true }).first().click()
        const options = page.getByLabel('User', { exact: true }).getByRole('option')
        await expect(options.filter({ hasText: person.hmc })).toHaveCount(1)
        await expect(options.filter({ hasText: RESERVED })).toHaveCount(0)
        await expect(page.locator('option[value="1"]')).toHaveCount(0)
      }
      await page.getByRole('button', { name: 'Active Users', exact: true }).first().click()
      await page.getByRole('searchbox', { name: 'Search by HMC' }).fill(person.hmc)
      await expect(rowsOf(page, person.hmc)).toContainText('Operator')
      await shot(page, 'users-active')
      await page.getByRole('button', { name: `Delete user ${person.hmc}` }).click()
      await shot(page, 'users-delete')
      await page.getByRole('button', { name: 'NO', exact: true }).click()
      await expect(rowsOf(page, person.hmc)).toBeVisible()
      await page.getByRole('button', { name: `Delete user ${person.hmc}` }).click()
      await page.getByRole('button', { name: 'YES', exact: true }).click()
      await expect(page.getByText('Usuário deletado com sucesso!')).toBeVisible()
      await expect(rowsOf(page, person.hmc)).toHaveCount(0)
    })

    test('a supervisor lifts a lockout, and the person signs in at once', async ({ page }) => {
      const person = await member(page.request, 'op')
      const enters = async (password: string) => (await page.request.post('/api/sessions', { data: { hmc: person.hmc, password } })).status()
      for (let n = 0; n < 4; n++) expect(await enters('not-the-password')).toBe(401)
      expect([await enters('not-the-password'), await enters(person.password)]).toEqual([429, 429])
      await open(page, 'Active Users')
      await page.getByRole('searchbox', { name: 'Search by HMC' }).fill(person.hmc)
      await page.getByRole('button', { name: `Lift the lockout of ${person.hmc}` }).click()
      await expect(toastOf(page, 'success', `Bloqueio de ${person.hmc} removido. Uma contagem já na tela corre até o fim.`)).toBeVisible()
      await shot(page, 'users-unlocked')
      await page.evaluate(() => sessionStorage.clear())
      await signIn(page, person)
    })

    test('a password, an access level and an HMC are changed', async ({ page }) => {
      const person = await member(page.request, 'op')
      await open(page, 'Change Password')
      await submit(page, 'Change Password')
      await expect(page.getByText('Selecione o usuário e defina a nova senha.')).toBeVisible()
      await choose(page, person)
      await page.getByLabel('Password', { exact: true }).fill('another-word-1')
      await page.getByLabel('Confirm password').fill('another-word-2')
      await submit(page, 'Change Password')
      await expect(page.getByText('As senhas não coincidem.')).toBeVisible()
      await shot(page, 'users-password')
      await page.getByLabel('Confirm password').fill('another-word-1')
      await submit(page, 'Change Password')
      await expect(page.getByText('Senha alterada com sucesso!')).toBeVisible()

      await page.getByRole('button', { name: 'Change Permission', exact: true }).click()
      await submit(page, 'Change Permission')
      await expect(page.getByText('Selecione o usuário e a nova permissão.')).toBeVisible()
      await choose(page, person)
      await page.getByLabel('New access level').selectOption('Team Leader')
      await submit(page, 'Change Permission')
      await expect(page.getByText('Permissão alterada com sucesso!')).toBeVisible()

      await page.getByRole('button', { name: 'Change HMC', exact: true }).click()
      await choose(page, person, 'Team Leader')
      await page.getByLabel('New HMC').fill('   ')
      await submit(page, 'Change HMC')
      await expect(page.getByText('Selecione o usuário e informe o novo HMC.')).toBeVisible()
      await page.getByLabel('New HMC').fill(supervisor.hmc)
      await submit(page, 'Change HMC')
      await expect(page.getByText(/^Erro: Este HMC já está em uso/)).toBeVisible()
      await page.getByLabel('New HMC').fill(` ${person.hmc}-b `)
      await submit(page, 'Change HMC')
      await expect(page.getByText('HMC alterado com sucesso!')).toBeVisible()
      await page.evaluate(() => sessionStorage.clear())
      await signIn(page, { hmc: `${person.hmc}-b`, password: 'another-word-1' })
      await expect(page.getByRole('region', { name: 'Signed in as' })).toContainText('Team Leader')
    })
  })
}
