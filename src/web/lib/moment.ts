/** `?at=`: the moment of a page, RFC 3339. Without it a page is live. Pure. */

export const MOMENT_PARAM = 'at'

/** Milliseconds; `undefined` without a valid moment. */
export function momentOf(search: string): number | undefined {
  const ms = Date.parse(new URLSearchParams(search).get(MOMENT_PARAM) ?? '')
  return Number.isNaN(ms) ? undefined : ms
}

/** The moment of an address that cannot be parsed; `undefined` for a valid address. */
export function unreadableMoment(search: string): string | undefined {
  const text = new URLSearchParams(search).get(MOMENT_PARAM) ?? ''
  return text === '' || momentOf(search) !== undefined ? undefined : text
}

/** Whole seconds, in UTC: `2026-11-22T03:04:05Z`. */
export function formatMomentParam(momentMs: number): string {
  return new Date(momentMs).toISOString().replace(/\.\d+Z$/, 'Z')
}

/** The same page at another moment, or live. */
export function atMoment(path: string, momentMs: number | undefined): string {
  const [pathname, search, hash] = partsOf(path)
  const params = new URLSearchParams(search)
  // An empty moment makes the page live.
  params.set(MOMENT_PARAM, momentMs === undefined ? '' : formatMomentParam(momentMs))
  return `${pathname}?${params.toString()}${hash}`
}

/** Keeps the selected moment in a new address, unless that has one; an empty moment makes the page live. */
export function keepMoment(path: string, presentSearch: string): string {
  const [pathname, search, hash] = partsOf(path)
  const params = new URLSearchParams(search)
  const given = params.get(MOMENT_PARAM)
  const kept = new URLSearchParams(presentSearch).get(MOMENT_PARAM)
  if (given === '') params.delete(MOMENT_PARAM)
  else if (given === null && kept !== null && kept !== '') params.set(MOMENT_PARAM, kept)
  else return path
  const text = params.toString()
  return `${pathname}${text === '' ? '' : `?${text}`}${hash}`
}

function partsOf(path: string): readonly [pathname: string, search: string, hash: string] {
  const [, pathname = '', search = '', hash = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(path) ?? []
  return [pathname, search, hash]
}
