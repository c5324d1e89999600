import type { ClusterRecord, VersionInterval } from '../../../src/model/cluster-record.ts'
import type { AdoptionCluster } from '../../../src/fleet/adoption/cube-of-day.ts'
import { dayStartMs } from '../../../src/fleet/adoption/day.ts'
import { emptyRecord } from '../../support/cluster-record.ts'

/** A cluster's record with nothing told but what is given. */
export function recordOf(cluster: string, more: Partial<ClusterRecord> = {}): ClusterRecord {
  return emptyRecord(cluster, {
    firstSeenMs: dayStartMs('2026-01-01'),
    lastSeenMs: dayStartMs('2026-12-31'),
    coverage: { objects: true, metrics: false, spans: false, kinds: [] },
    ...more,
  })
}

/** Ran these versions from these days on, each until the next. */
export function ran(
  cluster: string,
  operator: string,
  versions: readonly (readonly [day: string, version: string])[],
): readonly VersionInterval[] {
  return versions.map(([day, version], i) => {
    const next = versions[i + 1]
    return {
      cluster,
      operator,
      version,
      fromMs: dayStartMs(day),
      isStartKnown: i > 0,
      ...(next === undefined ? {} : { untilMs: dayStartMs(next[0]) }),
      resolutionSeconds: 1,
    }
  })
}

export function clusterRan(
  name: string,
  versions: readonly (readonly [day: string, version: string])[],
  more: Partial<ClusterRecord> = {},
): AdoptionCluster {
  return { record: recordOf(name, more), intervals: ran(name, 'kubevirt-hyperconverged', versions) }
}
