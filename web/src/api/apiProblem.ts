import { translateSentence } from '@/lib/translateSentence'
import { isRecord } from '@/lib/json'
import type { TextKey, Translate } from '@/lib/text'

/** A failed call: the gateway's status, code and message, or status 0 when the server could not be reached. */
export class ApiProblem extends Error {
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

  /** Returns a number of the response body, such as `attempts_left`. Returns null when the body has no number of this name. */
  number(name: string): number | null {
    const value = isRecord(this.body) ? this.body[name] : null
    return typeof value === 'number' ? value : null
  }

  /** Returns a text of the response body, such as `rejected_id`. Returns null when the body has no text of this name. */
  text(name: string): string | null {
    const value = isRecord(this.body) ? this.body[name] : null
    return typeof value === 'string' ? value : null
  }

  get details(): unknown[] {
    const details = isRecord(this.body) ? this.body.details : null
    return Array.isArray(details) ? details : []
  }
}

/**
 * Returns the error code of a response from its header or its body. Returns `HTTP_` and the status for an upload error, whose body has
 * `Message`, and null for other responses without a code, such as those of a proxy.
 */
export function readErrorCode(response: Response, body: unknown): string | null {
  const code = response.headers.get('x-code') ?? (isRecord(body) ? body.code : null)
  if (typeof code === 'string') return code
  return isRecord(body) && typeof body.Message === 'string' ? `HTTP_${response.status}` : null
}

/**
 * Converts an error response to a `ApiProblem`. The body is plain text or JSON with the field `message`; errors of a workbook upload have the
 * field `Message` instead.
 */
export function toApiProblem(response: Response, body: unknown): ApiProblem {
  const { status } = response
  const code = readErrorCode(response, body) ?? `HTTP_${status}`
  if (!isRecord(body)) return new ApiProblem(status, code, typeof body === 'string' ? body : '', body)
  const message = [body.message, body.Message].find((text) => typeof text === 'string')
  return new ApiProblem(status, code, typeof message === 'string' ? message : '', body)
}

/** Creates the `ApiProblem` of a call that did not reach the server. */
export const createOfflineProblem = (): ApiProblem => new ApiProblem(0, 'OFFLINE', '')

const MESSAGES: Record<string, TextKey> = {
  OFFLINE: 'problem.offline',
  DISK_FULL: 'problem.diskFull',
  NO_DISK: 'problem.noDisk',
  OUTDATED: 'problem.outdated',
  FILE_CHANGED: 'problem.fileChanged',
  CAMPAIGN_CLOSED: 'problem.closed',
  HTTP_403: 'problem.forbidden',
  HTTP_404: 'problem.notFound',
  HTTP_429: 'problem.busy',
  HTTP_503: 'problem.busy',
}

/** Returns the sentence to show for an error: the catalogue text for its code or status, else the translated message of the gateway. */
export function getErrorMessage(error: unknown, t: Translate): string {
  if (!(error instanceof ApiProblem)) return t('problem.unknown')
  const key = MESSAGES[error.code] ?? MESSAGES[`HTTP_${error.status}`]
  if (key !== undefined) return t(key)
  return error.status < 500 && error.message !== '' ? translateSentence(error.message) : t('problem.unknown')
}
