import type {
  FactsBatch,
  ClusterFacts,
  FactsChange,
  FleetFactsReader,
  ModificationQuery,
  UpgradeQuery,
} from '../../model/fleet-facts.ts'
import type { Kysely } from 'kysely'
import type { ClusterRecord, Modification, VersionInterval } from '../../model/cluster-record.ts'
import type { UpgradeRecord } from '../../model/upgrade.ts'
import { FactsTables } from './facts-tables.ts'
import { intervalOfRow, intervalRowOf, selectIntervals } from './intervals.ts'
import { modificationOfRow, modificationRowOf, selectModifications, selectModificationsOf } from './modifications.ts'
import { insertBatches, listed } from './row-values.ts'
import type { FactsSchema, FleetClusterTable } from './schema.ts'
import { selectUpgrades, selectUpgradesOf, upgradeOfRow, upgradeRowOf } from './upgrades.ts'

/** The facts about clusters. */
export class SqlFleetFacts extends FactsTables implements FleetFactsReader {
  /** In one transaction; durable when it resolves. An empty batch costs no commit. */
  async write({ changes, meta }: FactsBatch): Promise<void> {
    if (changes.length + meta.length === 0) return
    await this.transact('writing facts of clusters', async (transaction) => {
      for (const change of changes) await writeChange(transaction, change)
      for (const [key, value] of meta) await transaction.replaceInto('meta').values({ key, value }).execute()
    })
  }

  async clusters(): Promise<readonly ClusterRecord[]> {
    const rows = await this.run('reading clusters', (db) =>
      db.selectFrom('fleet_cluster').select('record').orderBy('cluster').execute(),
    )
    return rows.map(clusterOfRow)
  }

  async cluster(name: string): Promise<ClusterFacts | undefined> {
    return this.run('reading a cluster', async (db) => {
      const row = await db.selectFrom('fleet_cluster').select('record').where('cluster', '=', name).executeTakeFirst()
      if (row === undefined) return undefined
      return {
        cluster: clusterOfRow(row),
        upgrades: (await selectUpgradesOf(db, name)).map(upgradeOfRow),
        intervals: (await selectIntervals(db, name)).map(intervalOfRow),
        modifications: (await selectModificationsOf(db, name)).map(modificationOfRow),
      }
    })
  }

  async upgrades(query: UpgradeQuery): Promise<readonly UpgradeRecord[]> {
    return (await this.run('reading upgrades', (db) => selectUpgrades(db, query))).map(upgradeOfRow)
  }

  async upgrade(id: string): Promise<UpgradeRecord | undefined> {
    const row = await this.run('reading an upgrade', (db) =>
      db.selectFrom('upgrade').select('record').where('id', '=', id).executeTakeFirst(),
    )
    return row === undefined ? undefined : upgradeOfRow(row)
  }

  async modifications(query: ModificationQuery): Promise<readonly Modification[]> {
    const rows = await this.run('reading modifications', (db) => selectModifications(db, query))
    return rows.map(modificationOfRow)
  }

  async intervalsAt(timeMs: number, clusters?: readonly string[]): Promise<readonly VersionInterval[]> {
    const rows = await this.run('reading versions at a time', (db) =>
      db
        .selectFrom('version_interval')
        .$if(clusters !== undefined, (select) => select.where('cluster', 'in', listed(clusters ?? [])))
        .selectAll()
        .where('from_ms', '<=', timeMs)
        .where((either) => either.or([either('until_ms', 'is', null), either('until_ms', '>', timeMs)]))
        .orderBy('cluster')
        .orderBy('operator')
        .orderBy('from_ms')
        .execute(),
    )
    return rows.map(intervalOfRow)
  }
}

async function writeChange(db: Kysely<FactsSchema>, change: FactsChange): Promise<void> {
  const { cluster, record, isGone = false, upgrades, intervals, modifications } = change
  if (isGone) await db.deleteFrom('fleet_cluster').where('cluster', '=', cluster).execute()
  if (record !== undefined) {
    await db
      .replaceInto('fleet_cluster')
      .values({ cluster, record: JSON.stringify(record) })
      .execute()
  }
  for (const { upgrade } of upgrades.removed) {
    await db.deleteFrom('upgrade').where('id', '=', upgrade.id).where('cluster', '=', cluster).execute()
  }
  for (const { id } of modifications.removed) {
    await db.deleteFrom('modification').where('id', '=', id).where('cluster', '=', cluster).execute()
  }
  for (const { operator, fromMs, version } of intervals.removed) {
    await db
      .deleteFrom('version_interval')
      .where('cluster', '=', cluster)
      .where('operator', '=', operator)
      .where('from_ms', '=', fromMs)
      .where('version', '=', version)
      .execute()
  }
  for (const rows of insertBatches(upgrades.put.map(upgradeRowOf))) {
    await db.replaceInto('upgrade').values(rows).execute()
  }
  for (const rows of insertBatches(intervals.put.map(intervalRowOf))) {
    await db.replaceInto('version_interval').values(rows).execute()
  }
  for (const rows of insertBatches(modifications.put.map(modificationRowOf))) {
    await db.replaceInto('modification').values(rows).execute()
  }
}

/** Only `writeChange` writes this column. */
function clusterOfRow({ record }: Pick<FleetClusterTable, 'record'>): ClusterRecord {
  return JSON.parse(record) as ClusterRecord
}
