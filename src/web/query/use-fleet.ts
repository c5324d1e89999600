import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { AlertItems } from '../../contract/alerts.ts'
import type { Now } from '../../contract/now.ts'
import type { UiSettings } from '../../contract/ui.ts'
import { msOf } from '../lib/format-time.ts'
import { setServerTime } from '../ui/server-clock.ts'
import { fetchJson } from './fetch-json.ts'
import { callAt, useMoment } from './use-moment.ts'
import { usePollMs } from './live.ts'

/** Polls of the whole fleet. */

const NOW_POLL_MS = 5_000
/** The list is long on a big fleet, and Now tells at once that something fires. */
const ALERTS_POLL_MS = 10_000

export function nowCall(moment: string | undefined): string {
  return callAt('/api/fleet/v1/now', moment)
}

export function alertsCall(moment: string | undefined): string {
  return callAt('/api/fleet/v1/alerts', moment)
}

async function fetchNow(moment: string | undefined, signal: AbortSignal): Promise<Now> {
  const answer = await fetchJson<Now>(nowCall(moment), signal)
  if (moment === undefined) setServerTime(msOf(answer.asOf))
  return answer
}

async function fetchAlerts(moment: string | undefined, signal: AbortSignal): Promise<AlertItems> {
  const answer = await fetchJson<AlertItems>(alertsCall(moment), signal)
  if (moment === undefined) setServerTime(answer.asOfMs)
  return answer
}

export function useNow(): UseQueryResult<Now> {
  const moment = useMoment()
  return useQuery({
    queryKey: ['now', moment ?? ''],
    queryFn: ({ signal }) => fetchNow(moment, signal),
    refetchInterval: usePollMs('now', NOW_POLL_MS),
  })
}

export function useAlerts(): UseQueryResult<AlertItems> {
  const moment = useMoment()
  return useQuery({
    queryKey: ['alerts', moment ?? ''],
    queryFn: ({ signal }) => fetchAlerts(moment, signal),
    refetchInterval: usePollMs('alerts', ALERTS_POLL_MS),
  })
}

export function useSettings(): UseQueryResult<UiSettings> {
  return useQuery({
    queryKey: ['settings'],
    queryFn: ({ signal }) => fetchJson<UiSettings>('/api/ui/v1/settings', signal),
    // They change with a restart of the server only; until the first answer they are asked for again.
    staleTime: Infinity,
    refetchInterval: (query) => (query.state.data === undefined ? NOW_POLL_MS : false),
  })
}
