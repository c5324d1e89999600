/** Which version of an operator or of the platform each recently reporting cluster runs. */
import type { GraphOperator } from '../../model/graph-import.ts'
import { CLUSTER_LIVES_MS } from '../series/derived-clusters.ts'
import { lastMsOf, type KnownCluster } from './fleet-coverage.ts'

export interface RunningVersion {
  readonly cluster: string
  readonly version: string
  /** Of HCO's Subscription; absent: not reported, or of the platform. */
  readonly channel?: string
}

/** Clusters that report no version, and those that were not seen lately, are left out. */
export function runningVersions(
  clusters: Iterable<KnownCluster>,
  operator: GraphOperator,
  nowMs: number,
): readonly RunningVersion[] {
  return Array.from(clusters).flatMap(({ cluster, record, lastSeen }): RunningVersion[] => {
    const isPlatform = operator === 'openshift'
    const isOpenShift = record?.platform?.kind === 'openshift'
    const version = isPlatform ? (isOpenShift ? record.platform.version : undefined) : record?.hcoVersion
    const lastMs = Math.max(record?.lastSeenMs ?? 0, lastMsOf(lastSeen) ?? 0)
    if (version === undefined || nowMs - lastMs > CLUSTER_LIVES_MS) return []
    const channel = isPlatform ? undefined : record?.subscription?.channel
    return [{ cluster, version, ...(channel === undefined || channel === '' ? {} : { channel }) }]
  })
}
