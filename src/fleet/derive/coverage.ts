/** By which ways a cluster is heard of, and when it was first and last. */
import type { Coverage } from '../../model/cluster-record.ts'
import type { ClusterObservations } from '../../model/observation.ts'

/** Both absent when nothing was ever heard. */
export interface Seen {
  readonly firstMs?: number
  readonly lastMs?: number
}

export function coverageOf({ objects, metrics, spans }: ClusterObservations): Coverage {
  const objectsLastMs = newest(objects.map(({ observedMs }) => observedMs))
  const metricsLastMs = newest(metrics.map(({ lastMs }) => lastMs))
  return {
    objects: objects.length > 0,
    metrics: metrics.length > 0,
    spans: spans.length > 0,
    ...(objectsLastMs === undefined ? {} : { objectsLastMs }),
    ...(metricsLastMs === undefined ? {} : { metricsLastMs }),
    kinds: [...new Set(objects.map(({ facts }) => facts.kind))].sort(),
  }
}

export function seenOf({ objects, metrics, spans }: ClusterObservations): Seen {
  const firstMs = oldest([
    ...objects.map(({ observedMs }) => observedMs),
    ...metrics.map((run) => run.firstMs),
    ...spans.map(({ startMs }) => startMs),
  ])
  const lastMs = newest([
    ...objects.map(({ observedMs }) => observedMs),
    ...metrics.map((run) => run.lastMs),
    ...spans.map(({ endMs }) => endMs),
  ])
  return { ...(firstMs === undefined ? {} : { firstMs }), ...(lastMs === undefined ? {} : { lastMs }) }
}

/** Not by `Math.max(...)`: a cluster's year has more looks than a call has room for arguments. */
function newest(timesMs: readonly number[]): number | undefined {
  return timesMs.reduce<number | undefined>(
    (most, timeMs) => (most === undefined || timeMs > most ? timeMs : most),
    undefined,
  )
}

function oldest(timesMs: readonly number[]): number | undefined {
  return timesMs.reduce<number | undefined>(
    (least, timeMs) => (least === undefined || timeMs < least ? timeMs : least),
    undefined,
  )
}
