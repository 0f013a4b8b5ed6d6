import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { CampaignHeading } from './CampaignHeading'

const PROBLEM = 'Airbag connector · Connector may come loose; check the yellow clip on both sides'

afterEach(() => vi.restoreAllMocks())

/** Renders the heading, whose lines have the given height and room, in pixels. */
function show(height: number, room: number) {
  vi.stubGlobal('ResizeObserver', undefined)
  vi.spyOn(HTMLElement.prototype, 'scrollHeight', 'get').mockReturnValue(height)
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(room)
  return render(<CampaignHeading name="Demo 24-017" problem={PROBLEM} />)
}

test('a problem that fits is a plain text', () => {
  show(46, 46)
  expect(screen.getByText(PROBLEM)).toBeDefined()
  expect(screen.queryByRole('button')).toBeNull()
})

test('a problem that is cut off is a button that opens and closes it', async () => {
  show(115, 46)
  const person = userEvent.setup()
  const problem = screen.getByRole('button', { name: PROBLEM, expanded: false })
  await person.click(problem)
  expect(screen.getByRole('button', { name: PROBLEM, expanded: true })).toBe(problem)
  await person.click(problem)
  expect(screen.getByRole('button', { name: PROBLEM, expanded: false })).toBe(problem)
})

test('a problem that arrives later is measured again, in the same element', () => {
  const { rerender } = show(46, 46)
  const heading = screen.getByText('Demo 24-017')
  vi.spyOn(HTMLElement.prototype, 'scrollHeight', 'get').mockReturnValue(115)
  rerender(<CampaignHeading name="Demo 24-017" problem={`${PROBLEM}, then the label`} />)
  expect(screen.getByRole('button', { name: `${PROBLEM}, then the label`, expanded: false })).toBeDefined()
  expect(screen.getByText('Demo 24-017')).toBe(heading)
})
