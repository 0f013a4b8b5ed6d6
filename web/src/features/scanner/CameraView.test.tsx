import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createFake } from '@/testing/createFake'
import type { DecodeEngine } from './engine'
import { CameraView, ScanView } from './ScanView'

vi.mock('./engine', () => ({ getDecodeEngine: () => createFake<DecodeEngine>({ ready: new Promise(() => {}), reset: () => {} }) }))

beforeEach(() => {
  vi.stubGlobal('isSecureContext', true)
  Object.defineProperty(navigator, 'mediaDevices', { value: { getUserMedia: () => new Promise(() => {}) }, configurable: true })
})
afterEach(() => {
  cleanup()
  Reflect.deleteProperty(navigator, 'mediaDevices')
  vi.unstubAllGlobals()
})

const controls = () => screen.getByRole('group').querySelectorAll('button').length
const finders = (container: HTMLElement) => container.querySelectorAll('svg rect').length

test('by default the camera view has a finder and no on/off control; the scanner screen has both', () => {
  const plain = render(<CameraView onScan={() => {}} />)
  expect([finders(plain.container), controls()]).toEqual([1, 0])
  cleanup()
  const own = render(<ScanView onScan={() => {}} />)
  expect([finders(own.container), controls()]).toEqual([1, 1])
})

test('a view that is paused while the person types says so, hides the finder, and leads back to the camera', () => {
  const onResume = vi.fn()
  const said = () => screen.getByRole('status').textContent
  const { container, rerender } = render(<ScanView onScan={() => {}} paused onResume={onResume} />)
  expect([said(), finders(container)]).toEqual(['Pausado enquanto você digita', 0])
  fireEvent.click(screen.getByRole('button', { name: 'Back to the camera' }))
  expect(onResume).toHaveBeenCalledOnce()
  rerender(<ScanView onScan={() => {}} paused />)
  expect([said(), finders(container), screen.queryByRole('button', { name: 'Back to the camera' })]).toEqual(['Abrindo a câmera...', 1, null])
})
