import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { listenForHardwareScans } from './hardwareScanListener'

let scans: string[] = []
let stop = () => {}
let at = 1000

beforeEach(() => {
  vi.useFakeTimers()
  scans = []
  stop = listenForHardwareScans((text) => scans.push(text))
})
afterEach(() => {
  stop()
  document.body.replaceChildren()
  vi.useRealTimers()
})

/** Dispatches an event like a scanner, 5 ms after the previous one. */
function fire(target: EventTarget, event: Event): boolean {
  Object.defineProperty(event, 'timeStamp', { value: (at += 5) })
  return target.dispatchEvent(event)
}
const key = (name: string, init: KeyboardEventInit = {}, target: EventTarget = document.body) => fire(target, new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true, ...init }))
const type = (text: string) => [...text].forEach((character) => key(character))

function element<K extends keyof HTMLElementTagNameMap>(name: K): HTMLElementTagNameMap[K] {
  const made = document.createElement(name)
  document.body.append(made)
  return made
}

test('separators typed with Ctrl or as Alt codes are parts of the scan', () => {
  type('P5521')
  expect(key(']', { ctrlKey: true })).toBe(false)
  type('HB20 000123')
  for (const digit of '029') expect(key(digit, { altKey: true })).toBe(false)
  fire(document.body, new KeyboardEvent('keyup', { key: 'Alt', bubbles: true }))
  type('RED')
  key('m', { ctrlKey: true })
  expect(scans).toEqual(['P5521\u001dHB20 000123\u001dRED'])
})

test('a keyboard shortcut of a person still works', () => {
  at += 500
  expect([key('c', { ctrlKey: true }), key('ArrowLeft', { altKey: true })]).toEqual([true, true])
  expect(scans).toEqual([])
})

test("a space of a scanner scrolls nothing, a person's does, and in a field it is typed", () => {
  at += 500
  expect(key(' ')).toBe(true)
  at += 500
  type('HB20')
  expect(key(' ')).toBe(false)
  const field = element('input')
  at += 500
  for (const character of 'HB20') key(character, {}, field)
  expect(key(' ', {}, field)).toBe(true)
})

test('keys without a name are read from input events, and the field is restored', () => {
  const field = element('textarea')
  field.value = 'left door'
  at += 500
  for (const character of 'HB20 000123\n') {
    key('Unidentified', {}, field)
    field.value += character
    fire(field, new InputEvent('input', { inputType: 'insertText', data: character, bubbles: true }))
  }
  expect([scans, field.value]).toEqual([['HB20 000123'], 'left door'])
})

test('keys without a name make one scan although a busy page handles their input late', () => {
  const field = element('textarea')
  at += 500
  for (const character of 'HB20 000123\n') {
    key('Unidentified', {}, field)
    field.value += character
    const input = new InputEvent('input', { inputType: 'insertText', data: character, bubbles: true })
    Object.defineProperty(input, 'timeStamp', { value: at + (character === '0' ? 90 : 0) })
    field.dispatchEvent(input)
  }
  expect([scans, field.value]).toEqual([['HB20 000123'], ''])
})

test('text that is pasted or inserted at once is not a scan', () => {
  const field = element('input')
  at += 500
  field.value = 'HB20 000123'
  fire(field, new InputEvent('input', { inputType: 'insertText', bubbles: true }))
  key('Enter', {}, field)
  key('Unidentified', {}, field)
  field.value = 'HB20 000124'
  fire(field, new InputEvent('input', { inputType: 'insertFromPaste', bubbles: true }))
  key('Enter', {}, field)
  expect([scans, field.value]).toEqual([[], 'HB20 000124'])
})

test('Enter presses a button unless a code follows it', async () => {
  const button = element('button')
  const pressed = vi.fn()
  button.addEventListener('click', pressed)
  at += 500
  expect(key('Enter', {}, button)).toBe(false)
  await vi.advanceTimersByTimeAsync(150)
  expect(pressed).toHaveBeenCalledTimes(1)
  at += 500
  key('Enter', {}, button)
  for (const character of 'HB20 000123') key(character, {}, button)
  key('Enter', {}, button)
  await vi.advanceTimersByTimeAsync(150)
  expect([scans, pressed.mock.calls.length]).toEqual([['HB20 000123'], 1])
})

test('an Enter right after the Tab of a code belongs to the scan, and two codes in one burst are two scans', async () => {
  const button = element('button')
  const pressed = vi.fn()
  button.addEventListener('click', pressed)
  at += 500
  for (const character of 'HB20 000123') key(character, {}, button)
  expect([key('Tab', {}, button), key('Enter', {}, button)]).toEqual([false, false])
  for (const character of 'HB20 000124') key(character, {}, button)
  key('Tab', {}, button)
  await vi.advanceTimersByTimeAsync(150)
  expect([scans, pressed.mock.calls.length]).toEqual([['HB20 000123', 'HB20 000124'], 0])
})
