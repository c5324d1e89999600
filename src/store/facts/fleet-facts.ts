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
import type { ValueInterval } from '../../model/cluster-value.ts'
import type { UpgradeRecord } from '../../model/upgrade.ts'
import { checkLeases } from '../postgres/leases.ts'
import { decodeValues, selectValues, writeValues } from './cluster-values.ts'
import { FactsTables } from './facts-tables.ts'
import { intervalOfRow, intervalRowOf, selectIntervals } from './intervals.ts'
import { modificationOfRow, modificationRowOf, selectModifications, selectModificationsOf } from './modifications.ts'
import { replaceRows } from './replace-rows.ts'
import { listed } from './row-values.ts'
import type { FactsSchema, FleetClusterTable } from './schema.ts'
import { selectUpgrades, selectUpgradesOf, upgradeOfRow, upgradeRowOf } from './upgrades.ts'

/** The facts about clusters. */
export class SqlFleetFacts extends FactsTables implements FleetFactsReader {
  /** In one transaction; durable when it resolves. An empty batch costs no commit. */
  async write({ changes, meta, under = [] }: FactsBatch): Promise<void> {
    if (changes.length + meta.length === 0) return
    await this.transact('writing facts of clusters', async (transaction) => {
      await checkLeases(transaction, under)
      for (const some of onceEach(changes)) await writeChanges(transaction, some)
      const texts = meta.map(([key, value]) => ({ key, value }))
      await replaceRows(transaction, 'meta', texts)
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
        .$if(clusters !== undefined, (select) => select.where('cluster', 'in', listed(db, clusters ?? [])))
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

  async values(clusters: readonly string[]): Promise<ReadonlyMap<string, readonly ValueInterval[]>> {
    const rows = await this.run('reading past values', (db) => selectValues(db, clusters))
    return new Map(rows.map(({ cluster, payload }) => [cluster, decodeValues(payload)]))
  }
}

/** In their order, in parts that name each cluster at most once. */
function onceEach(changes: readonly FactsChange[]): readonly (readonly FactsChange[])[] {
  const parts: FactsChange[][] = [[]]
  const seen = new Set<string>()
  for (const change of changes) {
    if (seen.has(change.cluster)) {
      parts.push([])
      seen.clear()
    }
    seen.add(change.cluster)
    parts.at(-1)?.push(change)
  }
  return parts
}

/** Rows of all clusters together: a statement takes longer than a row. */
async function writeChanges(db: Kysely<FactsSchema>, changes: readonly FactsChange[]): Promise<void> {
  for (const change of changes) await removeRows(db, change)
  const records = changes.flatMap(({ cluster, record }) =>
    record === undefined ? [] : [{ cluster, record: JSON.stringify(record) }],
  )
  await replaceRows(db, 'fleet_cluster', records)
  const upgrades = changes.flatMap(({ upgrades: { put } }) => put.map(upgradeRowOf))
  await replaceRows(db, 'upgrade', upgrades)
  const intervals = changes.flatMap(({ intervals: { put } }) => put.map(intervalRowOf))
  await replaceRows(db, 'version_interval', intervals)
  const modifications = changes.flatMap(({ modifications: { put } }) => put.map(modificationRowOf))
  await replaceRows(db, 'modification', modifications)
  await writeValues(
    db,
    changes.flatMap(({ cluster, values }) => (values === undefined ? [] : [{ cluster, values }])),
  )
}

async function removeRows(db: Kysely<FactsSchema>, change: FactsChange): Promise<void> {
  const { cluster, isGone = false, upgrades, intervals, modifications } = change
  if (isGone) await db.deleteFrom('fleet_cluster').where('cluster', '=', cluster).execute()
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
}

/** Only `writeChanges` writes this column. */
function clusterOfRow({ record }: Pick<FleetClusterTable, 'record'>): ClusterRecord {
  return JSON.parse(record) as ClusterRecord
}
