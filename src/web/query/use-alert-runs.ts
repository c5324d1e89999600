import { useQuery } from '@tanstack/react-query'
import type { UseQueryResult } from '@tanstack/react-query'
import type { AlertRuns } from '../../contract/alert-history.ts'
import { withSearch } from '../lib/address.ts'
import { fetchJson } from './fetch-json.ts'
import { usePollMs } from './use-poll.ts'

/** Runs of a cluster's alerts that are read at once. */
const RUNS_MAX = 200
const POLL_MS = 30_000

/** Alerts that fired on a cluster in a window; a window that ends in the past is not asked for again. */
export function useAlertRuns(cluster: string, fromMs: number, toMs: number | undefined): UseQueryResult<AlertRuns> {
  const search = new URLSearchParams({ cluster, fromMs: String(Math.floor(fromMs)), limit: String(RUNS_MAX) })
  if (toMs !== undefined) search.set('toMs', String(Math.ceil(toMs)))
  const path = withSearch('/api/fleet/v1/alerts/history', search.toString())
  const pollMs = usePollMs('alert-runs', POLL_MS)
  return useQuery({
    queryKey: ['alert-runs', path],
    queryFn: ({ signal }) => fetchJson<AlertRuns>(path, signal),
    refetchInterval: toMs === undefined ? pollMs : false,
  })
}
