/** How many clusters the fleet's answers cover, and how fresh their data is. */
import type { ClusterRecord } from '../../model/cluster-record.ts'
import { isSilent, isUnknown } from './cluster-states.ts'
import type { LastSeen } from '../stuck/stuck.ts'

/** When a cluster was last seen, and its record; absent: the cluster sends nothing that facts are derived from. */
export interface ObservedCluster {
  readonly cluster: string
  readonly record: ClusterRecord | undefined
  readonly lastSeen: LastSeen
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
 * One pass: landing pages query it every few seconds.
 * @param clusters those that are not gone
 */
export function coverageOf(clusters: Iterable<ObservedCluster>, gone: number, nowMs: number): FleetCoverage {
  const counts = { clusters: 0, withObjects: 0, withMetrics: 0, withSpans: 0, silent: 0, unknown: 0 }
  let newestMs: number | undefined
  let oldestMs: number | undefined
  for (const { record, lastSeen } of clusters) {
    const lastMs = lastMsOf(lastSeen)
    counts.clusters++
    if (record?.coverage.objects ?? lastSeen.objectsMs !== undefined) counts.withObjects++
    if (record?.coverage.metrics ?? lastSeen.metricsMs !== undefined) counts.withMetrics++
    if (record?.coverage.spans === true) counts.withSpans++
    if (record === undefined || isUnknown(record)) counts.unknown++
    newestMs = later(newestMs, lastMs)
    if (isSilent(lastSeen, nowMs)) counts.silent++
    else if (lastMs !== undefined) oldestMs = Math.min(oldestMs ?? Infinity, lastMs)
  }
  return {
    ...counts,
    gone,
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
