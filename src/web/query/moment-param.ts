import { searchOf, withSearch } from '../lib/address.ts'

/** A question to the API about the moment the page shows. Empty values are left out. */
export function askedAt(
  path: string,
  moment: string | undefined,
  question: Readonly<Record<string, string | readonly string[]>> = {},
): string {
  return withSearch(path, searchOf({ ...question, at: moment ?? '' }))
}
