import { useSearch } from 'wouter'
import { formatMomentParam, momentOf } from '../lib/moment.ts'
import { presentMs } from '../ui/server-clock.ts'
import { searchOf, withSearch } from '../lib/address.ts'

/** The selected moment, RFC 3339, for `at` of the API; `undefined`: the page is live. A future moment counts as live. */
export function useMoment(): string | undefined {
  const search = useSearch()
  const ms = momentOf(search)
  return ms === undefined || isYetToCome(search) ? undefined : formatMomentParam(ms)
}

/** Whether the moment of an address is in the future. */
export function isYetToCome(search: string): boolean {
  const ms = momentOf(search)
  return ms !== undefined && ms > presentMs()
}

/** The path of an API call at the moment that the page shows. Empty values are left out. */
export function callAt(
  path: string,
  moment: string | undefined,
  question: Readonly<Record<string, string | readonly string[]>> = {},
): string {
  return withSearch(path, searchOf({ ...question, at: moment ?? '' }))
}
