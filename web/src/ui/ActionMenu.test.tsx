import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { ActionMenu, type ActionMenuItem } from './ActionMenu'

function open() {
  const done: string[] = []
  const action = (text: string, more: Partial<ActionMenuItem> = {}): ActionMenuItem => ({ icon: 'pencil', text, label: `${text} A-1`, onSelect: () => done.push(text), ...more })
  const actions: ActionMenuItem[] = [
    action('Export'), action('Lock', { disabled: true }), { icon: 'code', text: 'Convert', label: 'Convert A-1', accept: '.xlsx', onFile: ({ name }) => done.push(name) }, action('Delete', { danger: true }),
  ]
  render(<ActionMenu label="Actions for A-1" actions={actions} />)
  return { person: userEvent.setup(), done, button: screen.getByRole('button', { name: 'Actions for A-1' }), focused: () => document.activeElement?.textContent }
}

test('arrow keys move over the actions that can be chosen, danger stands last below a line', async () => {
  const { person, button, focused } = open()
  await person.click(button)
  expect([focused(), button.getAttribute('aria-expanded')]).toEqual(['Export', 'true'])
  await person.keyboard('{ArrowDown}')
  expect(focused()).toBe('Convert')
  await person.keyboard('{End}{ArrowDown}{ArrowUp}')
  expect(focused()).toBe('Delete')
  expect(screen.getByRole('menuitem', { name: 'Delete A-1' }).previousElementSibling?.tagName).toBe('HR')
})

test('an action runs once and closes the menu; Escape and a tap elsewhere only close it', async () => {
  const { person, button, done } = open()
  await person.click(button)
  await person.keyboard('{Escape}')
  expect([screen.queryByRole('menu'), document.activeElement]).toEqual([null, button])
  await person.click(button)
  await person.click(document.body)
  expect([screen.queryByRole('menu'), done]).toEqual([null, []])
  await person.click(button)
  await person.click(screen.getByRole('menuitem', { name: 'Delete A-1' }))
  expect([screen.queryByRole('menu'), done, document.activeElement]).toEqual([null, ['Delete'], button])
})

test('an action that asks for a file gets the chosen one', async () => {
  const { person, done } = open()
  await person.upload(screen.getByLabelText('Convert A-1'), new File(['PK'], 'cars.xlsx'))
  expect(done).toEqual(['cars.xlsx'])
})
