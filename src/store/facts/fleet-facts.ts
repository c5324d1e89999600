import type { Kysely } from 'kysely'
import type { ClusterRecord, Modification, VersionInterval } from '../../model/cluster-record.ts'
import type {
  ClusterFacts,
  FleetFactsReader,
  FleetFactsSink,
  ModificationQuery,
  UpgradeQuery,
} from '../../model/fleet-facts.ts'
import type { UpgradeRecord } from '../../model/upgrade.ts'
import { clusterOfRow, clusterRowOf, selectCluster, selectClusters } from './clusters.ts'
import type { RunFacts } from './run-facts.ts'
import { intervalOfRow, intervalRowOf, selectIntervals, selectIntervalsOf } from './intervals.ts'
import { withKept } from '../../model/kept-facts.ts'
import { modificationOfRow, modificationRowOf, selectModifications, selectModificationsOf } from './modifications.ts'
import type { FactsSchema, FleetClusterTable, ModificationTable, UpgradeTable, VersionIntervalTable } from './schema.ts'
import { selectUpgrades, selectUpgradesOf, upgradeOfRow, upgradeRowOf } from './upgrades.ts'

/** The facts of many clusters, written together. */
export interface FactsBatch {
  readonly facts: readonly ClusterFacts[]
  /** What ended before it stays: see `FleetFactsSink`. */
  readonly keepBeforeMs: number
  /** Texts of `meta` that must be true together with the facts: how far they are derived. */
  readonly meta: readonly (readonly [key: string, value: string])[]
}

/** The facts about clusters. A derivation that says what is written already costs no commit. */
export interface FleetFactsStore extends FleetFactsReader, FleetFactsSink {
  /** In one transaction; answers the clusters of which something was different. */
  putAll(batch: FactsBatch): Promise<readonly string[]>
  /** What `putAll` would change. */
  differences(batch: FactsBatch): Promise<readonly FactsDifference[]>
}

/** Of one cluster: what is not as it is written. Upgrades and modifications by id. */
export interface FactsDifference {
  readonly cluster: string
  readonly isRecordDifferent: boolean
  readonly upgrades: readonly string[]
  readonly intervals: readonly string[]
  readonly modifications: readonly string[]
}

/** Rows of one INSERT: databases limit the number of parameters. */
const ROWS_PER_INSERT = 500

type Rows = {
  readonly cluster: FleetClusterTable | undefined
  readonly upgrades: readonly UpgradeTable[]
  readonly intervals: readonly VersionIntervalTable[]
  readonly modifications: readonly ModificationTable[]
}

export class SqlFleetFacts implements FleetFactsStore {
  readonly #run: RunFacts

  constructor(run: RunFacts) {
    this.#run = run
  }

  async putFacts(facts: ClusterFacts, keepBeforeMs: number): Promise<void> {
    await this.putAll({ facts: [facts], keepBeforeMs, meta: [] })
  }

  putAll(batch: FactsBatch): Promise<readonly string[]> {
    const { meta } = batch
    return this.#run('writing facts of clusters', async (db) => {
      const changes = await changesOf(db, batch)
      const keys: { readonly key: string; readonly value: string }[] = []
      for (const [key, value] of meta) {
        const known = await db.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst()
        if (known?.value !== value) keys.push({ key, value })
      }
      if (changes.length === 0 && keys.length === 0) return []
      await db.transaction().execute(async (transaction) => {
        for (const change of changes) await write(transaction, change)
        if (keys.length > 0) await transaction.replaceInto('meta').values(keys).execute()
      })
      return changes.map(({ cluster }) => cluster)
    })
  }

  async differences(batch: FactsBatch): Promise<readonly FactsDifference[]> {
    const changes = await this.#run('comparing facts of clusters', (db) => changesOf(db, batch))
    return changes.map(({ cluster, record, upgrades, intervals, modifications }) => ({
      cluster,
      isRecordDifferent: record !== undefined,
      upgrades: namesOf(upgrades, ({ id }) => id),
      intervals: namesOf(intervals, ({ operator, version }) => `${operator} ${version}`),
      modifications: namesOf(modifications, ({ id }) => id),
    }))
  }

  async clusters(): Promise<readonly ClusterRecord[]> {
    return (await this.#run('reading clusters', selectClusters)).map(clusterOfRow)
  }

  async cluster(name: string): Promise<ClusterFacts | undefined> {
    const rows = await this.#run('reading a cluster', (db) => readRows(db, name))
    if (rows.cluster === undefined) return undefined
    return { cluster: clusterOfRow(rows.cluster), ...factsOf(rows) }
  }

  async upgrades(query: UpgradeQuery): Promise<readonly UpgradeRecord[]> {
    return (await this.#run('reading upgrades', (db) => selectUpgrades(db, query))).map(upgradeOfRow)
  }

  async upgrade(id: string): Promise<UpgradeRecord | undefined> {
    const row = await this.#run('reading an upgrade', (db) =>
      db.selectFrom('upgrade').select('record').where('id', '=', id).executeTakeFirst(),
    )
    return row === undefined ? undefined : upgradeOfRow(row)
  }

  async openUpgrades(): Promise<readonly UpgradeRecord[]> {
    const rows = await this.#run('reading open upgrades', (db) =>
      db.selectFrom('upgrade').select('record').where('is_open', '=', 1).orderBy('cluster').orderBy('id').execute(),
    )
    return rows.map(upgradeOfRow)
  }

  async modifications(query: ModificationQuery): Promise<readonly Modification[]> {
    const rows = await this.#run('reading modifications', (db) => selectModifications(db, query))
    return rows.map(modificationOfRow)
  }

  async intervals(operator: string): Promise<readonly VersionInterval[]> {
    const rows = await this.#run('reading versions over time', (db) => selectIntervals(db, operator))
    return rows.map(intervalOfRow)
  }

  async intervalsAt(timeMs: number): Promise<readonly VersionInterval[]> {
    const rows = await this.#run('reading versions at a time', (db) =>
      db
        .selectFrom('version_interval')
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

async function readRows(db: Kysely<FactsSchema>, cluster: string): Promise<Rows> {
  return {
    cluster: await selectCluster(db, cluster),
    upgrades: await selectUpgradesOf(db, cluster),
    intervals: await selectIntervalsOf(db, cluster),
    modifications: await selectModificationsOf(db, cluster),
  }
}

function factsOf({ upgrades, intervals, modifications }: Rows): Omit<ClusterFacts, 'cluster'> {
  return {
    upgrades: upgrades.map(upgradeOfRow),
    intervals: intervals.map(intervalOfRow),
    modifications: modifications.map(modificationOfRow),
  }
}

function rowsOf({ cluster, upgrades, intervals, modifications }: ClusterFacts): Rows {
  return {
    cluster: clusterRowOf(cluster),
    upgrades: upgrades.map(upgradeRowOf),
    intervals: intervals.map(intervalRowOf),
    modifications: modifications.map(modificationRowOf),
  }
}

/** What has to be done to the rows of one cluster. */
interface Change {
  readonly cluster: string
  readonly record: FleetClusterTable | undefined
  readonly upgrades: Difference<UpgradeTable>
  readonly intervals: Difference<VersionIntervalTable>
  readonly modifications: Difference<ModificationTable>
}

interface Difference<R> {
  readonly gone: readonly R[]
  readonly put: readonly R[]
}

function changeOf(before: Rows, after: Rows): Change | undefined {
  const change = {
    cluster: after.cluster!.cluster,
    record: before.cluster?.record === after.cluster!.record ? undefined : after.cluster,
    upgrades: differenceOf(before.upgrades, after.upgrades, ({ id }) => id),
    intervals: differenceOf(before.intervals, after.intervals, intervalKeyOf),
    modifications: differenceOf(before.modifications, after.modifications, ({ id }) => id),
  }
  const lists = [change.upgrades, change.intervals, change.modifications]
  const isSame = change.record === undefined && lists.every(({ gone, put }) => gone.length + put.length === 0)
  return isSame ? undefined : change
}

async function changesOf(db: Kysely<FactsSchema>, { facts, keepBeforeMs }: FactsBatch): Promise<readonly Change[]> {
  const changes: Change[] = []
  for (const derived of facts) {
    const before = await readRows(db, derived.cluster.cluster)
    const change = changeOf(before, rowsOf(withKept(factsOf(before), derived, keepBeforeMs)))
    if (change !== undefined) changes.push(change)
  }
  return changes
}

function namesOf<R>({ gone, put }: Difference<R>, nameOf: (row: R) => string): readonly string[] {
  return [...new Set([...gone, ...put].map(nameOf))].sort()
}

function intervalKeyOf({ operator, from_ms: fromMs, version }: VersionIntervalTable): string {
  return JSON.stringify([operator, fromMs, version])
}

function differenceOf<R extends object>(
  before: readonly R[],
  after: readonly R[],
  keyOf: (row: R) => string,
): Difference<R> {
  const known = new Map(before.map((row) => [keyOf(row), row]))
  const put = after.filter((row) => !isSameRow(known.get(keyOf(row)), row))
  const keys = new Set(after.map(keyOf))
  return { gone: before.filter((row) => !keys.has(keyOf(row))), put }
}

function isSameRow<R extends object>(a: R | undefined, b: R): boolean {
  return a !== undefined && Object.keys(b).every((column) => a[column as keyof R] === b[column as keyof R])
}

async function write(db: Kysely<FactsSchema>, change: Change): Promise<void> {
  const { cluster, record, upgrades, intervals, modifications } = change
  if (record !== undefined) await db.replaceInto('fleet_cluster').values(record).execute()
  for (const { id } of upgrades.gone) {
    await db.deleteFrom('upgrade').where('id', '=', id).where('cluster', '=', cluster).execute()
  }
  for (const { id } of modifications.gone) {
    await db.deleteFrom('modification').where('id', '=', id).where('cluster', '=', cluster).execute()
  }
  for (const { operator, from_ms: fromMs, version } of intervals.gone) {
    await db
      .deleteFrom('version_interval')
      .where('cluster', '=', cluster)
      .where('operator', '=', operator)
      .where('from_ms', '=', fromMs)
      .where('version', '=', version)
      .execute()
  }
  for (const rows of portions(upgrades.put)) await db.replaceInto('upgrade').values(rows).execute()
  for (const rows of portions(intervals.put)) await db.replaceInto('version_interval').values(rows).execute()
  for (const rows of portions(modifications.put)) await db.replaceInto('modification').values(rows).execute()
}

function portions<R>(rows: readonly R[]): readonly (readonly R[])[] {
  const count = Math.ceil(rows.length / ROWS_PER_INSERT)
  return Array.from({ length: count }, (_, i) => rows.slice(i * ROWS_PER_INSERT, (i + 1) * ROWS_PER_INSERT))
}
