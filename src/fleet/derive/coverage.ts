/** The data sources of a cluster, and when it was first and last seen. */
import { remembered } from '../../base/remembered.ts'
import type { Coverage } from '../../model/cluster-record.ts'
import { RECORDED_SIGNALS } from '../../model/observation.ts'
import type { ClusterHistory } from './cluster-history.ts'

/** Both absent: never seen. */
export interface Seen {
  readonly firstMs?: number
  readonly lastMs?: number
}

export function coverageOf({ observations }: ClusterHistory): Coverage {
  const { objects, spans, objectsLastSeenMs } = observations
  const metrics = observations.metrics.filter(({ signal }) => !RECORDED_SIGNALS.has(signal))
  // A pull that finds nothing new is a heartbeat too.
  const objectsLastMs = newest([...objects.map(({ observedMs }) => observedMs), ...present(objectsLastSeenMs)])
  const metricsLastMs = newest(metrics.map(({ lastMs }) => lastMs))
  return {
    objects: objects.length > 0 || objectsLastSeenMs !== undefined,
    metrics: metrics.length > 0,
    spans: spans.length > 0,
    ...(objectsLastMs === undefined ? {} : { objectsLastMs }),
    ...(metricsLastMs === undefined ? {} : { metricsLastMs }),
    kinds: [...new Set(objects.map(({ facts }) => facts.kind))].sort(),
  }
}

/** Remembered: each upgrade asks for it. */
export const seenOf = remembered(({ observations }: ClusterHistory): Seen => {
  const { objects, spans, objectsLastSeenMs } = observations
  const metrics = observations.metrics.filter(({ signal }) => !RECORDED_SIGNALS.has(signal))
  const looks = [...objects.map(({ observedMs }) => observedMs), ...present(objectsLastSeenMs)]
  const firstMs = oldest([...looks, ...metrics.map((run) => run.firstMs), ...spans.map(({ startMs }) => startMs)])
  const lastMs = newest([...looks, ...metrics.map((run) => run.lastMs), ...spans.map(({ endMs }) => endMs)])
  return { ...(firstMs === undefined ? {} : { firstMs }), ...(lastMs === undefined ? {} : { lastMs }) }
})

function present(timeMs: number | undefined): readonly number[] {
  return timeMs === undefined ? [] : [timeMs]
}

/** Not by `Math.max(...)`: a cluster may have more observations than a call may have arguments. */
function newest(timesMs: readonly number[]): number | undefined {
  return timesMs.length === 0 ? undefined : timesMs.reduce((most, timeMs) => Math.max(most, timeMs))
}

function oldest(timesMs: readonly number[]): number | undefined {
  return timesMs.length === 0 ? undefined : timesMs.reduce((least, timeMs) => Math.min(least, timeMs))
}
