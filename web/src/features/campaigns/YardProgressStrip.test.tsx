import { cleanup, screen, within } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { endSessionAndKeepData } from '@/api/session'
import { OPERATOR, renderPage, signInAs } from '@/testing/renderPage'
import { YardProgressStrip } from './YardProgressStrip'

const yards = [
  { id: 19, name: '-', done: 2, total: 12 },
  { id: 4, name: 'B', done: 31, total: 90 },
  { id: 12, name: '0', done: 0, total: 3 },
  { id: 2, name: 'A', done: 20, total: 20 },
]

afterEach(endSessionAndKeepData)

const show = (shown: typeof yards, left?: number) => {
  signInAs(OPERATOR)
  renderPage(() => <YardProgressStrip yards={shown} left={left} hrefOf={({ id }) => `/campaign/5?yard=${id}`} />, '/', '/')
  return screen.getByRole('region', { name: 'Left by yard' })
}

test('the columns show what is left in each yard, and a line states what is left outside the yards', () => {
  const strip = within(show(yards))
  expect(strip.getAllByRole('link').map((yard) => yard.getAttribute('aria-label'))).toEqual(['Yard A: 20 of 20 inspected', 'Yard B: 31 of 90 inspected'])
  const [a, b] = strip.getAllByRole('link')
  expect(b?.querySelector('[data-words]')?.getAttribute('data-words')).toBe('59\nleft')
  expect([a, b].map((yard) => Math.round(Number(yard?.querySelectorAll('rect')[1]?.getAttribute('height'))))).toEqual([0, 40])
  expect(strip.getByText('+ 13 outside the yards')).toBeDefined()
  cleanup()
  expect(within(show(yards, 79)).getByText('+ 20 outside the yards')).toBeDefined()
})

test('without vehicles outside the yards, no line mentions them', () => {
  const strip = within(show(yards.filter(({ name }) => name === 'B')))
  expect(strip.queryByText(/outside/)).toBeNull()
})
