import type { ClusterRecord } from '../../src/model/cluster-record.ts'

/** A cluster of which nothing is told, by no way, but what is given. */
export function emptyRecord(cluster: string, known: Partial<ClusterRecord> = {}): ClusterRecord {
  return {
    cluster,
    aliases: [],
    versions: {},
    conditions: [],
    settings: { liveMigration: {}, featureGates: {} },
    pools: [],
    instanceTypes: {},
    preferences: {},
    deprecatedApis: {},
    firstSeenMs: 0,
    lastSeenMs: 0,
    coverage: { objects: false, metrics: false, spans: false, kinds: [] },
    ...known,
  }
}
