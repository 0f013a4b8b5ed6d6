import type { Page } from '@playwright/test'

/** Keystroke of a hand scanner: a key, a key with Ctrl, a character as Alt code, or text that arrives only as an input event. */
export type Stroke = string | { ctrl: string } | { altCode: string } | { unnamed: string }

const GAP_MS = 5
/** Pause in milliseconds after which the next key counts as typed by a person. */
const PAUSE_MS = 100
const [ALT, CTRL] = [1, 2]
const NAMED: Record<string, object> = {
  Enter: { type: 'keyDown', key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, text: '\r' },
  Tab: { type: 'rawKeyDown', key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 },
}

/** Returns the keystrokes of a text. */
export const keystrokesOf = (text: string): string[] => [...text]
/** Returns the keystrokes of a text as input events without key names. */
export const unnamedKeystrokesOf = (text: string): Stroke[] => [...text].map((unnamed) => ({ unnamed }))

/** Types like a hand scanner: a key every 5 ms, timed by the browser, so that a busy machine does not slow it down. */
export async function createHandScanner(page: Page): Promise<(...strokes: Stroke[]) => Promise<void>> {
  const session = await page.context().newCDPSession(page)
  return async (...strokes) => {
    const sent: Promise<unknown>[] = []
    let at = Date.now()
    const key = (event: object) => sent.push(session.send('Input.dispatchKeyEvent', { timestamp: at / 1000, ...event } as never))
    for (const stroke of strokes) {
      at += GAP_MS
      if (typeof stroke === 'string') {
        const down = NAMED[stroke] ?? { type: 'keyDown', key: stroke, text: stroke, windowsVirtualKeyCode: stroke.toUpperCase().codePointAt(0) }
        key(down)
        key({ ...down, type: 'keyUp', text: undefined })
      } else if ('ctrl' in stroke) {
        key({ type: 'rawKeyDown', key: 'Control', code: 'ControlLeft', windowsVirtualKeyCode: 17, modifiers: CTRL })
        key({ type: 'rawKeyDown', key: stroke.ctrl, modifiers: CTRL, windowsVirtualKeyCode: 221 })
        key({ type: 'keyUp', key: 'Control', code: 'ControlLeft', windowsVirtualKeyCode: 17 })
      } else if ('altCode' in stroke) {
        key({ type: 'rawKeyDown', key: 'Alt', code: 'AltLeft', windowsVirtualKeyCode: 18, modifiers: ALT })
        for (const digit of stroke.altCode) key({ type: 'rawKeyDown', key: digit, code: `Numpad${digit}`, windowsVirtualKeyCode: 96 + Number(digit), modifiers: ALT, isKeypad: true })
        key({ type: 'keyUp', key: 'Alt', code: 'AltLeft', windowsVirtualKeyCode: 18 })
      } else {
        key({ type: 'rawKeyDown', key: 'Unidentified', windowsVirtualKeyCode: 229 })
        sent.push(session.send('Input.insertText', { text: stroke.unnamed }))
      }
    }
    await Promise.all(sent)
    await page.waitForTimeout(Math.max(0, at - Date.now()) + PAUSE_MS)
  }
}
