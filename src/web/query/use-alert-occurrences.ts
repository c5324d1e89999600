import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { AlertRuns } from '../../contract/alert-history.ts'
import { withSearch } from '../lib/address.ts'
import { serverNowMs } from '../ui/server-clock.ts'
import { fetchJson } from './fetch-json.ts'
import { useApiAnswer } from './use-api-answer.ts'
import { usePollMs } from './use-poll.ts'

/** Occurrences per request. */
const RUNS_MAX = 200
const POLL_MS = 30_000

/** Occurrences on a cluster in a window; a window that ends in the past is not polled. */
export function useAlertOccurrences(
  cluster: string,
  fromMs: number,
  toMs: number | undefined,
): UseQueryResult<AlertRuns> {
  const search = new URLSearchParams({ cluster, fromMs: String(Math.floor(fromMs)), limit: String(RUNS_MAX) })
  if (toMs !== undefined) search.set('toMs', String(Math.ceil(toMs)))
  const path = withSearch('/api/fleet/v1/alerts/history', search.toString())
  return useApiAnswer<AlertRuns>('alert-runs', path, { pollMs: toMs === undefined ? POLL_MS : undefined })
}

/** Previous occurrences that are searched for notes, newest first. */
export const PREVIOUS_OCCURRENCES_MAX = 200
const PAST_MS = 90 * 24 * 3_600_000

/** Occurrences of an alert in the fleet over 90 days; older ones help little, because rules, versions and people change. */
export function usePreviousOccurrences(alertname: string): UseQueryResult<AlertRuns> {
  const pollMs = usePollMs('alert-runs', POLL_MS)
  return useQuery({
    queryKey: ['alert-runs', 'past', alertname],
    queryFn: ({ signal }) => {
      const fromMs = Math.floor(serverNowMs() - PAST_MS)
      const search = new URLSearchParams({ alertname, fromMs: String(fromMs), limit: String(PREVIOUS_OCCURRENCES_MAX) })
      return fetchJson<AlertRuns>(withSearch('/api/fleet/v1/alerts/history', search.toString()), signal)
    },
    refetchInterval: pollMs,
  })
}
