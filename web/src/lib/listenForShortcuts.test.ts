import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { setShortcutsEnabled } from './keyboardShortcuts'
import { listenForShortcuts } from './listenForShortcuts'

let acted: string[] = []
let applies = true
let stop = () => {}

beforeEach(() => {
  vi.useFakeTimers()
  acted = []
  applies = true
  setShortcutsEnabled(true)
  stop = listenForShortcuts({ '?': () => acted.push('?'), 'g h': () => acted.push('g h'), 'g m': () => acted.push('g m') }, () => applies)
})
afterEach(() => {
  stop()
  document.body.replaceChildren()
})

/** Types keys, each after the given pause in milliseconds. */
function type(keys: string[], pause = 200, target: EventTarget = document.body, modifiers: KeyboardEventInit = {}): void {
  for (const key of keys) {
    vi.advanceTimersByTime(pause)
    const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...modifiers })
    Object.defineProperty(event, 'timeStamp', { value: Date.now() })
    target.dispatchEvent(event)
  }
}
const settled = () => {
  vi.advanceTimersByTime(200)
  return acted
}

test('one key and two keys in a row act, and capital letters count as small ones', () => {
  type(['Shift', '?', 'g', 'h', 'G', 'M'])
  expect(settled()).toEqual(['?', 'g h', 'g m'])
})

test('a second key acts only soon after the first one, and only directly after it', () => {
  type(['g'])
  type(['h'], 1600)
  type(['g', 'x', 'h', 'h'])
  expect(settled()).toEqual([])
  type(['g', 'g', 'h'])
  expect(settled()).toEqual(['g h'])
})

test('the keys of a hardware scanner never act', () => {
  type(['g', 'h', '?', 'g', 'm', 'Enter'], 20)
  expect(settled()).toEqual([])
  type(['a', 'b', '?'], 20) // a scanner without an end key
  expect(settled()).toEqual([])
  type(['?'])
  type(['1', '2', 'Enter'], 20) // the first key of a code
  expect(settled()).toEqual([])
  type(['?'])
  expect(settled()).toEqual(['?'])
})

test('keys in fields and dialogs, keys with a modifier, and keys while switched off do not act', () => {
  for (const name of ['input', 'textarea', 'select', 'dialog']) {
    const element = document.body.appendChild(document.createElement(name))
    type(['?', 'g', 'h'], 200, element)
  }
  type(['?', 'g', 'h'], 200, document.body, { ctrlKey: true })
  applies = false
  type(['?'])
  applies = true
  setShortcutsEnabled(false)
  type(['?', 'g', 'h'])
  expect(settled()).toEqual([])
  expect(localStorage.getItem('shortcuts')).toBe('false')
})
