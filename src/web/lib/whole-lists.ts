/** Which lists of a page are shown whole, in the address: `all=stuck&all=silent`. Of the others the first rows are shown. */
const PARAM = 'all'

export function isWholeList(search: string, list: string): boolean {
  return new URLSearchParams(search).getAll(PARAM).includes(list)
}

/** The search with one list the other way round; what else it says stays. */
export function otherLength(search: string, list: string): string {
  const params = new URLSearchParams(search)
  const whole = params.getAll(PARAM)
  params.delete(PARAM)
  for (const one of whole.includes(list) ? whole.filter((name) => name !== list) : [...whole, list]) {
    params.append(PARAM, one)
  }
  return params.toString()
}
