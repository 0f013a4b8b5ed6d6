import { cleanup, render, screen } from '@testing-library/react'
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
