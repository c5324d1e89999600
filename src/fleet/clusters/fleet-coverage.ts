/** How many clusters the fleet's answers cover, and how fresh their data is. */
import type { ClusterRecord } from '../../model/cluster-record.ts'
import { isUnknown, notSilentUntilMs } from './cluster-states.ts'
import type { LastSeen } from '../stuck/stuck.ts'

/** When a cluster was last seen, and its record; absent: the cluster sends nothing that facts are derived from. */
export interface KnownCluster {
  readonly cluster: string
  readonly record: ClusterRecord | undefined
  readonly lastSeen: LastSeen
}

/** With what follows from that: answers pass over ten thousand clusters, whose records are far apart in memory. */
export interface ObservedCluster extends KnownCluster {
  /** See `lastMsOf`. */
  readonly lastMs: number | undefined
  /** When it was last seen, by that or by its record; `undefined`: never, because all of its data was refused. */
  readonly lastSeenMs: number | undefined
  readonly notSilentUntilMs: number
  readonly isUnknown: boolean
  /** What it sends. */
  readonly sends: { readonly objects: boolean; readonly metrics: boolean; readonly spans: boolean }
}

/** In a record. */
const NEVER_MS = 0

export function observedCluster(
  cluster: string,
  record: ClusterRecord | undefined,
  lastSeen: LastSeen,
): ObservedCluster {
  const lastMs = lastMsOf(lastSeen)
  return {
    cluster,
    record,
    lastSeen,
    lastMs,
    lastSeenMs: later(lastMs, record?.lastSeenMs === NEVER_MS ? undefined : record?.lastSeenMs),
    notSilentUntilMs: notSilentUntilMs(lastSeen),
    isUnknown: record === undefined || isUnknown(record),
    sends: {
      objects: record?.coverage.objects ?? lastSeen.objectsMs !== undefined,
      metrics: record?.coverage.metrics ?? lastSeen.metricsMs !== undefined,
      spans: record?.coverage.spans === true,
    },
  }
}

export interface FleetCoverage {
  /** All clusters that are not gone. */
  readonly clusters: number
  readonly withObjects: number
  readonly withMetrics: number
  readonly withSpans: number
  readonly silent: number
  readonly unknown: number
  /** Not included in the other counts. */
  readonly gone: number
  /** The times at which clusters were last seen: the newest, and the oldest of clusters that are not silent. */
  readonly newestMs?: number
  readonly oldestMs?: number
}

/**
 * One pass: each answer about the fleet has it.
 * @param clusters all of them
 */
export function coverageOf(
  clusters: Iterable<ObservedCluster>,
  isGone: (cluster: ObservedCluster) => boolean,
  nowMs: number,
): FleetCoverage {
  const counts = { clusters: 0, withObjects: 0, withMetrics: 0, withSpans: 0, silent: 0, unknown: 0, gone: 0 }
  let newestMs: number | undefined
  let oldestMs: number | undefined
  for (const one of clusters) {
    if (isGone(one)) {
      counts.gone++
      continue
    }
    const { lastMs, sends } = one
    counts.clusters++
    if (sends.objects) counts.withObjects++
    if (sends.metrics) counts.withMetrics++
    if (sends.spans) counts.withSpans++
    if (one.isUnknown) counts.unknown++
    newestMs = later(newestMs, lastMs)
    if (nowMs > one.notSilentUntilMs) counts.silent++
    else if (lastMs !== undefined) oldestMs = Math.min(oldestMs ?? Infinity, lastMs)
  }
  return {
    ...counts,
    ...(newestMs === undefined ? {} : { newestMs }),
    ...(oldestMs === undefined ? {} : { oldestMs }),
  }
}

/** When a cluster was last seen; `undefined`: it sent only spans. */
export function lastMsOf({ metricsMs, objectsMs }: LastSeen): number | undefined {
  return later(metricsMs, objectsMs)
}

/** The later of two times that may be unknown. */
export function later(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.max(a, b)
}
