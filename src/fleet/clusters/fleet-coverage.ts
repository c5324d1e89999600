/** Of how many clusters the fleet's answers can speak, and how fresh what they sent is. */
import type { ClusterRecord } from '../../model/cluster-record.ts'
import { isSilent, isUnknown } from './cluster-states.ts'
import type { LastSeen } from '../stuck/stuck.ts'

/** When a cluster was last seen, and what is known of it; absent: it is seen, and reports nothing that is read. */
export interface SeenCluster {
  readonly cluster: string
  readonly record: ClusterRecord | undefined
  readonly lastSeen: LastSeen
}

export interface FleetCoverage {
  /** All but those that are gone. */
  readonly clusters: number
  readonly withObjects: number
  readonly withMetrics: number
  readonly withSpans: number
  readonly silent: number
  readonly unknown: number
  /** Switched off for good: in none of the other numbers. */
  readonly gone: number
  /** Of what clusters sent last: the newest, and the oldest of those that are not silent. */
  readonly newestMs?: number
  readonly oldestMs?: number
}

/**
 * One pass: landing pages ask every few seconds.
 * @param clusters those that are not gone
 */
export function coverageOf(clusters: Iterable<SeenCluster>, gone: number, nowMs: number): FleetCoverage {
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

/** When a cluster was last seen; absent: only spans came of it. */
export function lastMsOf({ metricsMs, objectsMs }: LastSeen): number | undefined {
  return later(metricsMs, objectsMs)
}

/** Of two moments that may not be known. */
export function later(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.max(a, b)
}
