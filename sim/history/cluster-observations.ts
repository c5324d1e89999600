import type { ClusterObservations } from '../../src/model/observation.ts'
import type { ClusterHistory } from './cluster-history.ts'
import { metricRuns } from './metric-runs.ts'
import { HOUR_MS } from '../scenarios/window.ts'
import { upgradeSpans } from './spans.ts'
import { lastPullBefore, watch } from './watch.ts'

/** All that a server can know of a cluster by the ways it tells, as a derivation is given it. */
export function observationsOf(history: ClusterHistory): ClusterObservations {
  const { tells } = history
  const watched = tells.objects ? watch(history) : { observations: [], absences: [] }
  return {
    cluster: history.profile.name,
    objects: watched.observations,
    absences: watched.absences,
    metrics: tells.metrics ? metricRuns(history) : [],
    spans: upgradeSpans(history),
    ...heartbeat(history, history.untilMs),
  }
}

/** When objects were last listed, to the hour; most lists say nothing else. */
export function heartbeat(history: ClusterHistory, nowMs: number): Pick<ClusterObservations, 'objectsLastSeenMs'> {
  const listedMs = history.tells.objects ? lastPullBefore(history, nowMs) : undefined
  return listedMs === undefined ? {} : { objectsLastSeenMs: Math.floor(listedMs / HOUR_MS) * HOUR_MS }
}

/** What of it was known at a time: nothing later, and runs no longer than until then. */
export function knownAt(observations: ClusterObservations, nowMs: number): ClusterObservations {
  return {
    cluster: observations.cluster,
    objects: observations.objects.filter(({ observedMs }) => observedMs <= nowMs),
    absences: observations.absences.filter(({ absentMs }) => absentMs <= nowMs),
    metrics: observations.metrics.flatMap((run) => {
      if (run.firstMs > nowMs) return []
      if (run.afterMs !== undefined && run.afterMs <= nowMs) return [run]
      const { cluster, signal, labels, value, firstMs, beforeMs } = run
      const open = { cluster, signal, labels, value, firstMs, lastMs: Math.min(run.lastMs, nowMs) }
      return [beforeMs === undefined ? open : { ...open, beforeMs }]
    }),
    spans: observations.spans.filter(({ endMs }) => endMs <= nowMs),
  }
}
