import { useSearch } from 'wouter'
import { formatMomentParam, momentOf } from '../lib/moment.ts'
import { presentMs } from '../ui/server-clock.ts'
import { searchOf, withSearch } from '../lib/address.ts'

/**
 * The moment the page shows, RFC 3339, as the API takes it in `at`; `undefined`: the page is live and polls. Of one that is
 * yet to come nothing can be asked; what is around the page tells of the present then.
 */
export function useMoment(): string | undefined {
  const search = useSearch()
  const ms = momentOf(search)
  return ms === undefined || isYetToCome(search) ? undefined : formatMomentParam(ms)
}

/** Whether an address asks for a moment that nobody can know anything of. */
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
