import { useSearch } from 'wouter'
import { navigate } from 'wouter/use-browser-location'

export { Link } from 'wouter'
export { navigate }

type Params = Record<string, string | number | null | undefined>

/** A path with its query, leaving out what is null, undefined or empty. */
export function link(path: string, params: Params = {}): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) {
    if (value !== null && value !== undefined && value !== '') query.set(name, String(value))
  }
  const text = query.toString()
  return text === '' ? path : `${path}?${text}`
}

/** Changes some parameters of the current address in place. */
export function setQuery(change: Params): void {
  const merged: Params = { ...Object.fromEntries(new URLSearchParams(window.location.search)), ...change }
  navigate(link(window.location.pathname, merged), { replace: true })
}

/** The query of the address: what is typed or chosen on a screen is kept there. */
export const useQueryParams = (): URLSearchParams => new URLSearchParams(useSearch())

/** A 1-based page number from the query; anything that is not one counts as the first. */
export function pageFrom(query: URLSearchParams): number {
  const page = Number(query.get('page') ?? '1')
  return Number.isSafeInteger(page) && page >= 1 ? page : 1
}

/** A positive id from the query or the path, or null. */
export function idFrom(text: string | null | undefined): number | null {
  const id = Number(text ?? '')
  return Number.isSafeInteger(id) && id > 0 ? id : null
}
