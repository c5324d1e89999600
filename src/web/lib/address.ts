/** Parts of an address. Pure. */

export function withSearch(path: string, search: string): string {
  return search === '' ? path : `${path}?${search}`
}

/** Values by name as a search; empty values are left out, lists give their name again for each value. */
export function searchOf(search: Readonly<Record<string, string | readonly string[]>>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    for (const one of typeof value === 'string' ? [value] : value) if (one !== '') params.append(name, one)
  }
  return params.toString()
}
