import { expect, test, type Page } from './support/test'
import { signIn, submitSignInForm, signOut, supervisor, uniqueName } from './support/people'
import { PHONE, takeScreenshot } from './support/screenshots'
import { confirmPassword, openAs, createMember } from './support/session'

async function chooseNew(page: Page, old: string, chosen: string): Promise<void> {
  await page.getByLabel('Current password').fill(old)
  await page.getByLabel('New password', { exact: true }).fill(chosen)
  await page.getByLabel('Confirm new password').fill(chosen)
  await page.getByRole('button', { name: 'Change my password' }).click()
}

test.use({ viewport: PHONE })

test('making a supervisor asks for the password, says when it is wrong, and cancelling leaves the form as it was', async ({ page }) => {
  const admin = await createMember(page.request, 'admin')
  await openAs(page, admin, '/user-management?panel=create')
  // The password was entered less than five minutes ago, so the route returns the error that asks for it again.
  let asked = 0
  await page.route('**/api/sign-up', (route) => (++asked < 3 ? route.fulfill({ status: 403, json: { code: 'CONFIRM_PASSWORD', message: 'To continue, enter your password again.' } }) : route.fallback()))
  const hmc = uniqueName('boss').replace(' ', '-')
  const create = page.getByRole('form', { name: 'Create New User' }).getByRole('button', { name: 'Create New User' })
  await page.getByLabel('HMC (Register Number)').fill(hmc)
  await page.getByLabel('Password', { exact: true }).fill('yard-walk-2026!')
  await page.getByLabel('Confirm password').fill('yard-walk-2026!')
  await page.getByLabel('Access level').selectOption('Supervisor')
  await create.click()
  const dialog = page.getByRole('dialog', { name: 'Enter your password to continue' })
  await expect(dialog.getByLabel('Your password')).toBeFocused()
  await takeScreenshot(page, 'confirm-password')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByRole('alert')).toHaveCount(0)
  await expect(page.getByLabel('HMC (Register Number)')).toHaveValue(hmc)
  await expect(page.getByLabel('Confirm password')).toHaveValue('yard-walk-2026!')

  await create.click()
  await dialog.getByLabel('Your password').fill('not-the-password')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await expect(dialog.getByText('A senha atual está incorreta.')).toBeVisible()
  await dialog.getByLabel('Your password').fill(admin.password)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByText('Usuário criado com sucesso!')).toBeVisible()
  await expect(dialog).toHaveCount(0)
  expect(asked).toBe(3)
})

test('who was given a password chooses another one before anything else, and goes on to where they wanted to go', async ({ page }) => {
  await confirmPassword(page.request, supervisor)
  const person = { hmc: uniqueName('first').replace(' ', '-'), password: 'yard-walk-2026!' }
  await openAs(page, supervisor, '/user-management?panel=create')
  await page.getByLabel('HMC (Register Number)').fill(person.hmc)
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.getByLabel('Confirm password').fill(person.password)
  await page.getByLabel('Access level').selectOption('Operator')
  await expect(page.getByLabel('Ask for a new password at the first sign-in')).toBeChecked()
  await page.getByRole('form', { name: 'Create New User' }).getByRole('button', { name: 'Create New User' }).click()
  await expect(page.getByText('Usuário criado com sucesso!')).toBeVisible()
  await page.evaluate(() => sessionStorage.clear())

  await page.goto('/yard?search=B')
  await submitSignInForm(page, person)
  const heading = page.getByRole('heading', { name: 'Choose a new password' })
  await expect(heading).toBeVisible()
  await expect(page.getByRole('button', { name: 'Open menu' })).toHaveCount(0)
  await takeScreenshot(page, 'new-password')
  for (const path of ['/campaign-home', '/account', '/outbox']) {
    await page.goto(path)
    await expect(heading, path).toBeVisible()
  }
  const headers = { authorization: `Bearer ${await page.evaluate(() => sessionStorage.getItem('JWT_TOKEN'))}` }
  const refused = await page.request.get('/api/campaigns', { headers })
  expect([refused.status(), ((await refused.json()) as { code: string }).code]).toEqual([403, 'PASSWORD_MUST_CHANGE'])
  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page.getByRole('form', { name: 'Sign in' })).toBeVisible()

  await page.goto('/yard?search=B')
  await submitSignInForm(page, person)
  await expect(heading).toBeVisible()
  await chooseNew(page, 'not-the-password', 'a-word-of-my-own-1')
  await expect(page.getByText(/^Não foi possível alterar a senha\./)).toBeVisible()
  await chooseNew(page, person.password, 'a-word-of-my-own-1')
  await expect(page.getByRole('searchbox', { name: 'Search Yard' })).toHaveValue('B')
  await expect(page.getByRole('button', { name: 'Open menu' })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('searchbox', { name: 'Search Yard' })).toBeVisible()
  await signOut(page)
  await signIn(page, { ...person, password: 'a-word-of-my-own-1' })
  await expect(page.getByRole('region', { name: 'Signed in as' })).toContainText(person.hmc)
  await expect(heading).toHaveCount(0)
})
