import { translateServerMessage } from '@/lib/translateServerMessage'
import { isRecord } from '@/lib/json'
import type { TextKey, Translate } from '@/lib/text'

/** Error of a failed API call, with the HTTP status, code and message from the gateway. Status 0 means that the server was unreachable. */
export class ApiProblem extends Error {
  readonly status: number
  readonly code: string
  readonly body: unknown

  constructor(status: number, code: string, message: string, body: unknown = null) {
    super(message)
    this.name = 'ApiProblem'
    this.status = status
    this.code = code
    this.body = body
  }

  /** Returns the number in a field of the response body, such as `attempts_left`. Returns null when the field has no number. */
  number(name: string): number | null {
    const value = isRecord(this.body) ? this.body[name] : null
    return typeof value === 'number' ? value : null
  }

  /** Returns the text in a field of the response body, such as `rejected_id`. Returns null when the field has no text. */
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
 * Returns the error code of a response from its `x-code` header or its body. An upload error, whose body has `Message` instead of a code,
 * gets the code `HTTP_` followed by the status. Returns null for other responses without a code, such as those of a proxy.
 */
export function readErrorCode(response: Response, body: unknown): string | null {
  const code = response.headers.get('x-code') ?? (isRecord(body) ? body.code : null)
  if (typeof code === 'string') return code
  return isRecord(body) && typeof body.Message === 'string' ? `HTTP_${response.status}` : null
}

/**
 * Converts an error response to an `ApiProblem`. The body is plain text or JSON with the field `message`; errors of a workbook upload have
 * the field `Message` instead.
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

/** Returns whether the server answered that the requested item does not exist. */
export const isNotFoundError = (error: unknown): boolean => error instanceof ApiProblem && error.status === 404

/** Returns the translated sentence to show for an error: the app's own text for the code or status, else the message of the gateway. */
export function getErrorMessage(error: unknown, t: Translate): string {
  if (!(error instanceof ApiProblem)) return t('problem.unknown')
  const key = MESSAGES[error.code] ?? MESSAGES[`HTTP_${error.status}`]
  if (key !== undefined) return t(key)
  return error.status < 500 && error.message !== '' ? translateServerMessage(error.message) : t('problem.unknown')
}
