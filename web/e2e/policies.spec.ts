import { expect, test } from './support/test'
import { captureDownload } from './support/parts'
import { signIn } from './support/people'
import { PHONE, takeScreenshot } from './support/screenshots'
import { openAs, createMember, getSharedMember } from './support/session'

test.use({ viewport: PHONE })

test('the policies are read before signing in', async ({ page }) => {
  await page.goto('/')
  await page.getByRole('link', { name: 'Privacy Policy' }).click()
  await expect(page.getByRole('heading', { name: 'Política de Privacidade', level: 1 })).toBeVisible()
  await expect(page.getByText('Lei Geral de Proteção de Dados Pessoais, LGPD')).toBeVisible()
  await takeScreenshot(page, 'privacy')
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByRole('link', { name: 'Terms of Service' }).click()
  await expect(page.getByRole('heading', { name: 'Termos de Uso', level: 1 })).toBeVisible()
  await expect(page.getByText('Aplica-se a lei brasileira')).toBeVisible()
  await takeScreenshot(page, 'terms')
  await page.getByRole('link', { name: 'Política de Privacidade' }).click()
  await expect(page).toHaveURL(/\/privacy-policy$/)
})

test('the menu leads to them and closes on the way', async ({ page }) => {
  await openAs(page, await getSharedMember(page.request, 'op'), '/campaign-home')
  for (const [link, heading] of [['Privacy Policy', 'Política de Privacidade'], ['Terms of Service', 'Termos de Uso']] as const) {
    await page.getByRole('button', { name: 'Open menu' }).click()
    await page.getByRole('link', { name: link }).click()
    await expect(page.getByRole('heading', { name: heading, level: 1 })).toBeVisible()
    await expect(page.getByRole('dialog')).toHaveCount(0)
  }
})

test('a person changes the own password and takes the own data along', async ({ page }) => {
  const person = await createMember(page.request, 'op')
  await openAs(page, person, '/campaign-home')
  await page.getByRole('button', { name: 'Open menu' }).click()
  await page.getByRole('link', { name: 'My account' }).click()
  const { content } = await captureDownload(page, () => page.getByRole('button', { name: 'Download my data' }).click())
  expect(JSON.parse(content.toString()).user.hmc).toBe(person.hmc)
  const change = page.getByRole('button', { name: 'Change my password' })
  await change.click()
  await expect(page.getByText('Por favor, preencha todos os campos.')).toBeVisible()
  await page.getByLabel('Current password').fill('not-the-password')
  await page.getByLabel('New password', { exact: true }).fill('another-word-9')
  await page.getByLabel('Confirm new password').fill('another-word-9')
  await change.click()
  await expect(page.getByText(/^Não foi possível alterar a senha\./)).toBeVisible()
  await takeScreenshot(page, 'account')
  await page.getByLabel('Current password').fill(person.password)
  await change.click()
  await expect(page.getByText('Senha alterada com sucesso!')).toBeVisible()
  await page.getByRole('button', { name: 'Open menu' }).click()
  await page.getByRole('button', { name: 'Logout' }).click()
  await signIn(page, { ...person, password: 'another-word-9' })
})
