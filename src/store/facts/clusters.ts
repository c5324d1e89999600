import type { Kysely } from 'kysely'
import type { ClusterRecord } from '../../model/cluster-record.ts'
import type { FactsSchema, FleetClusterTable } from './schema.ts'

export function clusterRowOf(record: ClusterRecord): FleetClusterTable {
  return { cluster: record.cluster, record: JSON.stringify(record) }
}

/** Written by `clusterRowOf`, and by nobody else. */
export function clusterOfRow({ record }: Pick<FleetClusterTable, 'record'>): ClusterRecord {
  return JSON.parse(record) as ClusterRecord
}

export function selectClusters(db: Kysely<FactsSchema>): Promise<readonly FleetClusterTable[]> {
  return db.selectFrom('fleet_cluster').selectAll().orderBy('cluster').execute()
}

export function selectCluster(db: Kysely<FactsSchema>, cluster: string): Promise<FleetClusterTable | undefined> {
  return db.selectFrom('fleet_cluster').selectAll().where('cluster', '=', cluster).executeTakeFirst()
}
