import { inWords } from '@/lib/inWords'
import { isRecord } from '@/lib/stored'
import type { Key, Translate } from '@/lib/text'

/** A refusal or failure of a call, as the gateway words it. */
export class Problem extends Error {
  readonly status: number
  readonly code: string
  readonly body: unknown

  constructor(status: number, code: string, message: string, body: unknown = null) {
    super(message)
    this.name = 'Problem'
    this.status = status
    this.code = code
    this.body = body
  }

  /** A whole number that came with the refusal, such as `attempts_left`. */
  number(name: string): number | null {
    const value = isRecord(this.body) ? this.body[name] : null
    return typeof value === 'number' ? value : null
  }

  /** A text that came with the refusal, such as `rejected_id`. */
  text(name: string): string | null {
    const value = isRecord(this.body) ? this.body[name] : null
    return typeof value === 'string' ? value : null
  }

  get details(): unknown[] {
    const details = isRecord(this.body) ? this.body.details : null
    return Array.isArray(details) ? details : []
  }
}

/** The gateway's error body as a Problem; bodies may be JSON, the upload's own shape, or plain text. */
export function problemOf(status: number, body: unknown): Problem {
  if (!isRecord(body)) return new Problem(status, `HTTP_${status}`, typeof body === 'string' ? body : '', body)
  const message = [body.message, body.Message].find((text) => typeof text === 'string')
  const code = typeof body.code === 'string' ? body.code : `HTTP_${status}`
  return new Problem(status, code, typeof message === 'string' ? message : '', body)
}

export const offline = (): Problem => new Problem(0, 'OFFLINE', '')

const WORDS: Record<string, Key> = {
  OFFLINE: 'problem.offline',
  DISK_FULL: 'problem.diskFull',
  NO_DISK: 'problem.noDisk',
  FILE_CHANGED: 'problem.fileChanged',
  CAMPAIGN_CLOSED: 'problem.closed',
  HTTP_403: 'problem.forbidden',
  HTTP_404: 'problem.notFound',
  HTTP_429: 'problem.busy',
  HTTP_503: 'problem.busy',
}

/** What to tell a person: our words where we have them, in the chosen language, else the gateway's one sentence. */
export function wordsFor(error: unknown, t: Translate): string {
  if (!(error instanceof Problem)) return t('problem.unknown')
  const key = WORDS[error.code] ?? WORDS[`HTTP_${error.status}`]
  if (key !== undefined) return t(key)
  return error.status < 500 && error.message !== '' ? inWords(error.message) : t('problem.unknown')
}
