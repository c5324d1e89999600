/**
 * Usage of clusters by metrics: VMIs by instance type and preference, and requests to deprecated API versions. Queried when
 * a day is counted, not observed sample by sample, because VMIs change all the time.
 */
import { ownValue } from '../../base/own-value.ts'
import type { ClusterRecord } from '../../model/cluster-record.ts'
import type { Labels } from '../../model/labels.ts'
import { REPLICA_LABELS, type FleetReader } from '../fleet-reader.ts'

export interface ClusterUsage {
  readonly running?: number
  readonly instanceTypes: Readonly<Record<string, number>>
  readonly preferences: Readonly<Record<string, number>>
  readonly deprecatedApis: Readonly<Record<string, number>>
}

/** The first metric that a cluster sends: KubeVirt's recording rules by node (current and old name), else one series per VMI. */
const MACHINES = ['node:kubevirt_vmi_phase:sum', 'kubevirt_vmi_phase_count', 'kubevirt_vmi_info']
  .map(
    (name) =>
      `sum by (cluster, instance_type, preference) (max without (${REPLICA_LABELS}) (${name}{phase="running", cluster!=""}))`,
  )
  .reduce((best, other) => `${best} or (${other} unless on (cluster) (${best}))`)

/** Requests since the API server started: any count above zero. */
const DEPRECATED = ['cluster:kubevirt_api_request_deprecated_total:sum', 'kubevirt_api_request_deprecated_total']
  .map(
    (name) => `sum by (cluster, group, version, resource) (max without (${REPLICA_LABELS}) (${name}{cluster!=""})) > 0`,
  )
  .reduce((best, other) => `${best} or (${other} unless on (cluster) (${best}))`)

export async function readUsage(
  reader: Pick<FleetReader, 'instant'>,
  timeMs: number,
): Promise<ReadonlyMap<string, ClusterUsage>> {
  const [machines, deprecated] = await Promise.all([
    reader.instant(MACHINES, timeMs),
    reader.instant(DEPRECATED, timeMs),
  ])
  const usage = new Map<string, Counts>()
  const countsOf = (labels: Labels): Counts => {
    const cluster = labels.get('cluster')
    const known = usage.get(cluster) ?? { instanceTypes: {}, preferences: {}, deprecatedApis: {} }
    usage.set(cluster, known)
    return known
  }
  for (const { labels, value } of machines) {
    const counts = countsOf(labels)
    counts.running = (counts.running ?? 0) + value
    add(counts.instanceTypes, labels.get('instance_type'), value)
    add(counts.preferences, labels.get('preference'), value)
  }
  for (const { labels, value } of deprecated) {
    const name = `${labels.get('group')}/${labels.get('version')} ${labels.get('resource')}`
    add(countsOf(labels).deprecatedApis, name, value)
  }
  return usage
}

interface Counts {
  running?: number
  readonly instanceTypes: Record<string, number>
  readonly preferences: Record<string, number>
  readonly deprecatedApis: Record<string, number>
}

/** KubeVirt reports `<none>` for VMIs without a type, and `<other>` for types that it does not know. */
function add(counts: Record<string, number>, name: string, count: number): void {
  if (name === '' || name === '<none>') return
  counts[name] = (ownValue(counts, name) ?? 0) + count
}

/** Values from objects take precedence; metrics fill in what they lack. */
export function withUsage(record: ClusterRecord, usage: ClusterUsage | undefined): ClusterRecord {
  if (usage === undefined) return record
  const { workloads } = record
  const running = workloads?.running ?? usage.running
  const hasCounts = (counts: Readonly<Record<string, number>>): boolean => Object.keys(counts).length > 0
  return {
    ...record,
    ...(running === undefined ? {} : { workloads: { outdated: 0, atMs: 0, ...workloads, running } }),
    instanceTypes: hasCounts(record.instanceTypes) ? record.instanceTypes : usage.instanceTypes,
    preferences: hasCounts(record.preferences) ? record.preferences : usage.preferences,
    deprecatedApis: hasCounts(record.deprecatedApis) ? record.deprecatedApis : usage.deprecatedApis,
  }
}
