import { useApiAnswer } from './use-api-answer.ts'
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { AlertItems } from '../../contract/alerts.ts'
import type { Now } from '../../contract/now.ts'
import type { UiSettings } from '../../contract/ui.ts'
import { msOf } from '../lib/format-time.ts'
import { fetchJson } from './fetch-json.ts'
import { callAt, useMoment } from './use-moment.ts'

const NOW_POLL_MS = 5_000
/** The list of a large fleet is long, and Now reports firing alerts sooner. */
const ALERTS_POLL_MS = 10_000

export function nowCall(moment: string | undefined): string {
  return callAt('/api/fleet/v1/now', moment)
}

export function alertsCall(moment: string | undefined): string {
  return callAt('/api/fleet/v1/alerts', moment)
}

export function useNow(): UseQueryResult<Now> {
  return useApiAnswer<Now>('now', nowCall(useMoment()), { pollMs: NOW_POLL_MS, asOfMs: ({ asOf }) => msOf(asOf) })
}

export function useAlerts(): UseQueryResult<AlertItems> {
  const path = alertsCall(useMoment())
  return useApiAnswer<AlertItems>('alerts', path, { pollMs: ALERTS_POLL_MS, asOfMs: ({ asOfMs }) => asOfMs })
}

export function useSettings(): UseQueryResult<UiSettings> {
  return useQuery({
    queryKey: ['settings'],
    queryFn: ({ signal }) => fetchJson<UiSettings>('/api/ui/v1/settings', signal),
    // Settings change only when the server restarts; until the first answer they are polled.
    staleTime: Infinity,
    refetchInterval: (query) => (query.state.data === undefined ? NOW_POLL_MS : false),
  })
}
