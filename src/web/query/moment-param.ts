import { searchOf, withSearch } from '../lib/address.ts'

/** The path of an API call at the moment that the page shows. Empty values are left out. */
export function callAt(
  path: string,
  moment: string | undefined,
  question: Readonly<Record<string, string | readonly string[]>> = {},
): string {
  return withSearch(path, searchOf({ ...question, at: moment ?? '' }))
}
