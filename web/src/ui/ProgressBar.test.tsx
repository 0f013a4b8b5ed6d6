import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { countFilledTicks, ProgressBar } from './ProgressBar'

test('a bar has one tick once an item is done, and all ticks only when all items are done', () => {
  expect([countFilledTicks(0, 1240, 24), countFilledTicks(1, 1240, 24), countFilledTicks(620, 1240, 24), countFilledTicks(1239, 1240, 24), countFilledTicks(1240, 1240, 24)]).toEqual([0, 1, 12, 23, 24])
  expect(countFilledTicks(0, 0, 24)).toBe(0)
})

test('a screen reader gets the counts and not the ticks', () => {
  render(<ProgressBar label="Progress" done={1} total={240} ticks={48} />)
  const bar = screen.getByRole('progressbar')
  expect([bar.getAttribute('value'), bar.getAttribute('max'), bar.getAttribute('aria-valuetext')]).toEqual(['1', '48', '1 / 240'])
})
