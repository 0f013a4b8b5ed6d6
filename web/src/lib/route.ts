import { useSearch } from 'wouter'
import { navigate } from 'wouter/use-browser-location'

export { Link } from 'wouter'
export { navigate }

type Params = Record<string, string | number | null | undefined>

/** Returns a path with a query. Leaves out parameters that are null, undefined or empty. */
export function buildPath(path: string, params: Params = {}): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) {
    if (value !== null && value !== undefined && value !== '') query.set(name, String(value))
  }
  const text = query.toString()
  return text === '' ? path : `${path}?${text}`
}

/** Changes query parameters of the current URL without a new entry in the browser history. */
export function setQueryParams(change: Params): void {
  const merged: Params = { ...Object.fromEntries(new URLSearchParams(window.location.search)), ...change }
  navigate(buildPath(window.location.pathname, merged), { replace: true })
}

/** Returns the query of the URL, in which pages store their search, filters and page number. */
export const useQueryParams = (): URLSearchParams => new URLSearchParams(useSearch())

/** Returns the page number of a query, which counts from 1. Returns 1 when the page number is missing or invalid. */
export function parsePageNumber(query: URLSearchParams): number {
  const page = Number(query.get('page') ?? '1')
  return Number.isSafeInteger(page) && page >= 1 ? page : 1
}

/** Parses a positive id from a path or a query. Returns null when the id is missing or invalid. */
export function parseId(text: string | null | undefined): number | null {
  const id = Number(text ?? '')
  return Number.isSafeInteger(id) && id > 0 ? id : null
}
