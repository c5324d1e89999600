import { useQuery } from '@tanstack/react-query'
import type { AlertRuns } from '../../contract/alert-history.ts'
import type { Now } from '../../contract/now.ts'
import { searchOf, withSearch } from '../lib/address.ts'
import type { HandOverParts } from '../lib/hand-over.ts'
import { formatMomentParam } from '../lib/moment.ts'
import { fetchJson, type ApiFailure } from './fetch-json.ts'
import { callAt } from './use-moment.ts'
import { useAlerts } from './use-fleet.ts'
import { useSilences } from './use-alert-actions.ts'
import { useUpgrades } from './use-upgrades.ts'

const RUNS_MAX = 1000
/** The greatest age of an upgrade that ended in the shift. */
const BEGAN_WITHIN_MS = 14 * 24 * 3600_000
const OVER = ['succeeded', 'failed', 'superseded', 'rolled_back'] as const

export interface HandOverAnswers {
  readonly parts: Omit<HandOverParts, 'now' | 'zone'>
  readonly isPending: boolean
  /** Failed requests. */
  readonly failures: readonly Error[]
}

/** The parts of a hand-over besides the answer of the landing page. @param untilMs the end of the shift */
export function useHandOver(sinceMs: number, untilMs: number): HandOverAnswers {
  const then = useQuery<Now, ApiFailure>({
    queryKey: ['now-then', sinceMs],
    queryFn: ({ signal }) => fetchJson<Now>(callAt('/api/fleet/v1/now', formatMomentParam(sinceMs)), signal),
    staleTime: Infinity,
  })
  const search = searchOf({
    fromMs: String(Math.floor(sinceMs)),
    toMs: String(Math.ceil(untilMs)),
    limit: String(RUNS_MAX),
  })
  const runs = useQuery<AlertRuns, ApiFailure>({
    queryKey: ['alert-runs', 'hand-over', search],
    queryFn: ({ signal }) => fetchJson<AlertRuns>(withSearch('/api/fleet/v1/alerts/history', search), signal),
  })
  const alerts = useAlerts()
  const silences = useSilences()
  const ended = useUpgrades({ state: OVER, startedFrom: formatMomentParam(sinceMs - BEGAN_WITHIN_MS) })
  const all = [then, runs, alerts, silences, ended]
  return {
    parts: {
      then: then.data,
      runs: runs.data,
      alerts: alerts.data?.alerts,
      silences: silences.data?.silences,
      ended: ended.data,
      sinceMs,
    },
    isPending: all.some(({ isPending }) => isPending),
    failures: all.flatMap(({ error }) => (error === null ? [] : [error])),
  }
}
