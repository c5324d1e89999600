/**
 * Which data sources of a cluster stopped, and when: what the causes are decided from. Pure.
 *
 * Objects are listed each half hour and metrics arrive each minute or so, so the two sources of a cluster that is away stop at
 * different times: objects that came before the metrics stopped, or shortly after, do not show that the Collector still sends.
 */
import type { ClusterRecord } from '../../model/cluster-record.ts'
import type { SilentSource } from '../../model/cluster-silence.ts'
import { SILENT_AFTER } from '../clusters/cluster-states.ts'
import type { OpenUpgrade } from '../clusters/cluster-states.ts'
import type { ObservedCluster } from '../clusters/fleet-coverage.ts'
import type { Gone } from '../clusters/gone.ts'

/** How long a source may pause: the silence started in this time after its last report. */
export const CADENCE = {
  // Telemetry is pushed each four and a half minutes.
  metricsMs: 5 * 60_000,
  // Lists of the edge kit, with a margin.
  objectsMs: 35 * 60_000,
} as const

/** The kinds of silence of one cluster. */
export interface SilentCluster {
  readonly cluster: string
  readonly record: ClusterRecord | undefined
  readonly sources: readonly SilentSource[]
  readonly isTotal: boolean
  /** The last report of the source that stopped last. */
  readonly sinceMs: number
  /** The silence started at this time at the latest. */
  readonly untilMs: number
  /** The last report of the source that still sends; absent when all stopped. */
  readonly otherMs?: number
  /** Metrics stopped, objects did not yet have to come: until this time it is not known which of the two it is. */
  readonly undecidedUntilMs?: number
  readonly open: readonly OpenUpgrade[]
  readonly gone?: Gone
}

/**
 * `undefined`: each source that the cluster has sends.
 * @param unusedAfterMs a source that stopped longer ago, while the other sends, was removed: that is not a silence
 */
export function silentCluster(
  { cluster, record, lastSeen, notSilentUntilMs }: ObservedCluster,
  nowMs: number,
  unusedAfterMs = Infinity,
): Omit<SilentCluster, 'open' | 'gone'> | undefined {
  const { metricsMs, objectsMs } = lastSeen
  const base = { cluster, record }
  if (metricsMs === undefined && objectsMs === undefined) return undefined
  if (nowMs > notSilentUntilMs) {
    const sources = [
      ...(objectsMs === undefined ? [] : ['objects' as const]),
      ...(metricsMs === undefined ? [] : ['metrics' as const]),
    ]
    const sinceMs = Math.max(metricsMs ?? -Infinity, objectsMs ?? -Infinity)
    // An object after the last sample is an early report of the same end.
    const untilMs =
      metricsMs === undefined ? sinceMs + CADENCE.objectsMs : Math.max(metricsMs + CADENCE.metricsMs, sinceMs)
    const dueMs = objectsMs === undefined || metricsMs === undefined ? undefined : objectsMs + SILENT_AFTER.objectsMs
    const isUndecided = dueMs !== undefined && nowMs <= dueMs
    return { ...base, sources, isTotal: true, sinceMs, untilMs, ...(isUndecided ? { undecidedUntilMs: dueMs } : {}) }
  }
  if (metricsMs === undefined || objectsMs === undefined) return undefined
  const stopped = (source: SilentSource, lastMs: number, otherMs: number) => {
    if (nowMs - lastMs > unusedAfterMs) return undefined
    const untilMs = lastMs + CADENCE[`${source}Ms`]
    return { ...base, sources: [source], isTotal: false, sinceMs: lastMs, untilMs, otherMs }
  }
  if (nowMs - objectsMs > SILENT_AFTER.objectsMs) return stopped('objects', objectsMs, metricsMs)
  if (nowMs - metricsMs > SILENT_AFTER.metricsMs) return stopped('metrics', metricsMs, objectsMs)
  return undefined
}
