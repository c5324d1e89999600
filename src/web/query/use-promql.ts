import type { UseQueryResult } from '@tanstack/react-query'
import type { QueryAnswer } from '../../contract/prometheus.ts'
import { searchOf, withSearch } from '../lib/address.ts'
import { useApiAnswer } from './use-api-answer.ts'
import { useMoment } from './use-moment.ts'

const POLL_MS = 15_000

/** Series a page asks for at most; the server says when there were more. */
const SERIES_MAX = 500

/** The value of an expression now, again and again; or at the moment the page shows. */
export function useInstantQuery(expr: string): UseQueryResult<QueryAnswer> {
  const path = instantCall(expr, useMoment())
  return useApiAnswer<QueryAnswer>('instant', path, { pollMs: POLL_MS, enabled: expr.trim() !== '' })
}

export function instantCall(expr: string, moment: string | undefined): string {
  return withSearch('/api/v1/query', searchOf({ query: expr, limit: String(SERIES_MAX), time: moment ?? '' }))
}
