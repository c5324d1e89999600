import type { FleetCoverage } from '../../../src/contract/common.ts'

/** Of how many clusters the made-up fleet's answers speak. */

export const CLUSTER_COUNT = 1200
const SECOND_MS = 1000

export const timeOf = (ms: number): string => new Date(ms).toISOString()

export function fleetCoverage(nowMs: number): FleetCoverage {
  return {
    clusters: CLUSTER_COUNT,
    withObjects: 900,
    withMetrics: CLUSTER_COUNT,
    withSpans: 0,
    silent: 2,
    unknown: 1,
    gone: 0,
    newestAt: timeOf(nowMs - 12 * SECOND_MS),
    oldestAt: timeOf(nowMs - 40 * SECOND_MS),
  }
}
