/** Parts of an address. Pure. */

/** Parameters by name. */
export type Search = Readonly<Record<string, string | readonly string[]>>

export function withSearch(path: string, search: string): string {
  return search === '' ? path : `${path}?${search}`
}

/** The query string. Empty values are omitted; a list repeats its name for each value. */
export function searchOf(search: Search): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    for (const one of typeof value === 'string' ? [value] : value) if (one !== '') params.append(name, one)
  }
  return params.toString()
}

/** The lists of a page that show all rows and not only the first: `all=stuck&all=silent`. */
const WHOLE_LISTS = 'all'

export function isWholeList(search: string, list: string): boolean {
  return new URLSearchParams(search).getAll(WHOLE_LISTS).includes(list)
}

/** The query string with one list toggled. */
export function otherLength(search: string, list: string): string {
  const params = new URLSearchParams(search)
  const whole = params.getAll(WHOLE_LISTS)
  params.delete(WHOLE_LISTS)
  for (const one of whole.includes(list) ? whole.filter((name) => name !== list) : [...whole, list]) {
    params.append(WHOLE_LISTS, one)
  }
  return params.toString()
}
