import { useSearch } from 'wouter'
import { formatMomentParam, momentOf } from '../lib/moment.ts'

/** The moment the page shows, RFC 3339, as the API takes it in `at`; `undefined`: the page is live and polls. */
export function useMoment(): string | undefined {
  const ms = momentOf(useSearch())
  return ms === undefined ? undefined : formatMomentParam(ms)
}
