import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createFake } from '@/testing/createFake'
import { vinText } from '@/testing/vinText'
import type { CameraFrame } from '../protocol'
import { LabelReader } from './LabelReader'
import type { OcrReader } from './ocrReader'

const label: { lines: string[]; ready: Promise<void>; reads: number } = { lines: [], ready: Promise.resolve(), reads: 0 }
vi.mock('../frames', () => ({ grabFrame: async () => createFake<CameraFrame>({}) }))
vi.mock('./ocrReader', () => ({
  getOcrReader: () => createFake<OcrReader>({
    ready: label.ready,
    find: async () => label.lines.map((_, place) => place),
    read: async (place: number) => {
      label.reads++
      const text = label.lines[place] ?? ''
      return { text, confidences: [...text].map(() => 50) }
    },
  }),
}))

beforeEach(() => Object.assign(label, { lines: [], ready: Promise.resolve(), reads: 0 }))
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

/** Returns a rejected promise that counts as handled before it is awaited. */
function rejected(message: string): Promise<void> {
  const promise = Promise.reject(new Error(message))
  promise.catch(() => undefined)
  return promise
}

const vehicles = [
  { id: 1, vin_number: '9BWZZZ377VT 004251', parking_space: 'A-1' },
  { id: 2, vin_number: '9BWZZZ377VT 118873', parking_space: 'A-2' },
  { id: 3, vin_number: '9BWZZZ377VT 118876', parking_space: 'A-3' },
]

function openPanel() {
  const onRead = vi.fn()
  const onClose = vi.fn()
  render(<LabelReader video={{ current: document.createElement('video') }} vehicles={vehicles} onRead={onRead} onClose={onClose} />)
  return { onRead, onClose }
}
const button = (name: string | RegExp) => screen.findByRole('button', { name })

test('an identified vehicle is entered only after its VIN and space were confirmed', async () => {
  label.lines = ['9BWZZZ377VT', '00425I', 'MADE IN BRAZIL']
  const { onRead, onClose } = openPanel()
  const use = await button('Use this vehicle')
  expect(screen.getByText(vinText('9BWZZZ377VT 004251')).parentElement?.textContent).toContain('na vaga A-1')
  expect([onRead.mock.calls, label.reads]).toEqual([[], 2])
  await userEvent.click(use)
  expect([onRead.mock.calls, onClose.mock.calls.length]).toEqual([[['9BWZZZ377VT 004251']], 1])
})

test('rivals are listed, the nearest first, and the picked one is entered', async () => {
  label.lines = ['9BWZZZ377VT118876']
  const { onRead } = openPanel()
  await screen.findByText('Escolha o veículo que está diante de você.')
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual(['9BWZZZ377VT 118876 na vaga A-3', '9BWZZZ377VT 118873 na vaga A-2'])
  await userEvent.click(await button(/118873/))
  expect(onRead.mock.calls).toEqual([['9BWZZZ377VT 118873']])
})

test('without readable text advice is given, and the text is read again on request', async () => {
  openPanel()
  await screen.findByText('Nenhum texto legível.')
  expect(screen.getByText(/Aproxime a câmera/)).toBeTruthy()
  label.lines = ['MADE IN BRAZIL']
  fireEvent.click(await button('Read again'))
  await screen.findByText('Nenhum veículo da campanha corresponde a "MADE IN BRAZIL".')
  label.lines = ['9BWZZZ377VT004251']
  fireEvent.click(await button('Read again'))
  await button('Use this vehicle')
})

test('a reader that cannot be loaded offline, or fails, says so and is tried again', async () => {
  vi.stubGlobal('navigator', { ...navigator, onLine: false })
  label.ready = rejected('no network')
  const { onClose } = openPanel()
  await screen.findByText(/ainda não está neste aparelho/)
  vi.stubGlobal('navigator', { ...navigator, onLine: true })
  label.ready = rejected('out of memory')
  fireEvent.click(await button('Try again'))
  await screen.findByText(/A leitura da etiqueta parou/)
  label.ready = Promise.resolve()
  label.lines = ['9BWZZZ377VT004251']
  fireEvent.click(await button('Try again'))
  await button('Use this vehicle')
  fireEvent.click(await button('Close'))
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
})
