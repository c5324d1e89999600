import { groupBy } from '../../base/group-by.ts'
import type { ClusterClaim } from '../../model/cluster-claim.ts'
import type { ChangesRange, ObservationReader } from '../../model/fleet-facts.ts'
import { joinObservations } from '../../model/joined-observations.ts'
import { compareText } from '../../model/labels.ts'
import type { ClusterObservations, MetricRun, ObjectTransition } from '../../model/observation.ts'
import {
  lastMsOf,
  unionOfRuns,
  type CollectedSeries,
  type ScrapeRun,
  type SignalSeries,
} from '../../model/signal-samples.ts'
import { failureOf } from '../database.ts'
import { namesOf } from '../observations/cluster-claims.ts'
import { LAST_SEEN_FACT_STEP_MS } from '../observations/observed-clusters.ts'
import { newestTransitions, ObjectObservations } from '../observations/stored-objects.ts'
import type { SharedPool } from '../postgres/pool.ts'
import { repeating } from '../postgres/run-facts.ts'
import { claimsOf, joinsOf, membersOf } from './collected-claims.ts'
import { mergedObjects, type CollectedListing, type CollectedObject, type CollectedState } from './merged-objects.ts'
import { MIGRATED } from './migrated-runs.ts'
import { readingPostgres, type Connection } from './postgres.ts'
import type { StateRow } from './row-source.ts'
import { unpackRuns } from './run-codec.ts'
import { unpackSamples } from './sample-codec.ts'

/** Observations that collectors shipped to PostgreSQL, as one collector would have them that had received everything. */

interface ClusterRow {
  readonly id: number
  readonly objectsPosition: number
  readonly trimmedMs: number | null
  readonly objectsSeenMs: number | null
}

type OwnObservations = Omit<ClusterObservations, 'spans'>

/** The runs of the series of one group, of all their samples; `stored`: of times before these. */
export type RunsOfSamples = (
  cluster: string,
  series: readonly SignalSeries[],
  stored: readonly MetricRun[],
) => readonly MetricRun[]

interface KnownGroup {
  /** Of all its rows. */
  readonly version: string
  readonly runs: readonly MetricRun[]
}

interface KnownCluster {
  objects?: Pick<OwnObservations, 'objects' | 'absences'> & { readonly position: number; readonly cutMs: number }
  readonly groups: Map<string, KnownGroup>
}

/** Limit for clusters in memory: 10,000 take about 300 MB. */
const CLUSTERS_KNOWN_MAX = 10_000
/** A series that is missing for longer is gone (fleet/signals/scrapes.ts). */
const MISSED_MS = 5 * 60_000
/** A collector that shipped nothing for longer is not waited for. */
const COLLECTOR_GONE_AFTER_MS = 3_600_000

const CLUSTER = `SELECT id, objects_position AS "objectsPosition", trimmed_ms AS "trimmedMs",
  (SELECT max(objects_seen_ms) FROM collected_cluster WHERE cluster = id) AS "objectsSeenMs"
  FROM observed_cluster WHERE name = $1`
const OBJECTS = `SELECT kind, uid, namespace, name, listed_minute AS "listedMinute" FROM observed_object WHERE cluster = $1`
const LISTINGS = 'SELECT kind, namespace, minutes FROM object_listing WHERE cluster = $1'
const STATES = `SELECT kind, uid, is_deleted AS "isDeleted", hash, first_version AS "firstVersion", first_ms AS "firstMs",
  first_change AS "firstChange", first_manager AS "firstManager", last_version AS "lastVersion", last_ms AS "lastMs",
  last_change AS "lastChange", last_manager AS "lastManager", seen_ms AS "seenMs", facts
  FROM object_state WHERE cluster = $1`
/** Any of them may have been sent a part of a listing. */
const COMPLETE = `SELECT min(complete_ms) AS "completeMs" FROM collector
  WHERE complete_ms >= (SELECT max(complete_ms) FROM collector) - ${COLLECTOR_GONE_AFTER_MS}`

type StateColumns = Omit<StateRow, 'cluster' | 'isDeleted'> & { readonly isDeleted: boolean }

export class PostgresObservations implements ObservationReader {
  readonly #pool: SharedPool
  readonly #runsOf: RunsOfSamples
  readonly #observations = new ObjectObservations()
  /** By number of the cluster, the one read least recently first. */
  readonly #known = new Map<number, KnownCluster>()
  /** Clusters that were read without listings from a time on: they change when these are complete. */
  readonly #cut = new Map<string, number>()

  constructor(pool: SharedPool, runsOf: RunsOfSamples) {
    this.#pool = pool
    this.#runsOf = runsOf
  }

  changedSince(position: number): Promise<{ readonly clusters: readonly string[]; readonly position: number }> {
    return this.#reading(async (connection) => {
      const rows = await connection.query<{ name: string; position: number }>(
        'SELECT name, position FROM observed_cluster WHERE position > $1 ORDER BY position',
        [position],
      )
      const clusters = new Set(rows.map(({ name }) => name))
      const completeMs = this.#cut.size === 0 ? -Infinity : await completeMsIn(connection)
      for (const [cluster, cutMs] of this.#cut) {
        if (cutMs > completeMs) continue
        this.#cut.delete(cluster)
        clusters.add(cluster)
      }
      return { clusters: [...clusters], position: rows.at(-1)?.position ?? position }
    })
  }

  joins(): Promise<ReadonlyMap<string, string>> {
    return this.#reading(joinsOf)
  }

  read(cluster: string): ReturnType<ObservationReader['read']> {
    return this.#reading(async (connection) => {
      const members = await membersOf(connection, cluster)
      let all = await this.#readOwn(connection, cluster, cluster)
      for (const name of members) all = joinObservations(all, await this.#readOwn(connection, name, cluster))
      const claims: readonly ClusterClaim[] = await claimsOf(connection, [...new Set([cluster, ...members])])
      return { ...all, ...namesOf(cluster, members, claims) }
    })
  }

  /** What is stored under one name, as of a cluster. */
  async #readOwn(connection: Connection, name: string, cluster: string): Promise<OwnObservations> {
    const [row] = await connection.query<ClusterRow>(CLUSTER, [name])
    if (row === undefined) return { cluster, objects: [], absences: [], metrics: [] }
    const known = this.#knownOf(row.id)
    const { objects, absences } = await this.#objectsOf(connection, row, known, cluster)
    const seenMs = row.objectsSeenMs ?? 0
    return {
      cluster,
      ...(seenMs === 0 ? {} : { objectsLastSeenMs: seenMs - (seenMs % LAST_SEEN_FACT_STEP_MS) }),
      objects: asOf(cluster, objects),
      absences: asOf(cluster, absences),
      metrics: asOf(cluster, await this.#metricsOf(connection, row.id, known, cluster)),
    }
  }

  #knownOf(id: number): KnownCluster {
    const known = this.#known.get(id) ?? { groups: new Map<string, KnownGroup>() }
    this.#known.delete(id)
    this.#known.set(id, known)
    if (this.#known.size > CLUSTERS_KNOWN_MAX) this.#known.delete(this.#known.keys().next().value!)
    return known
  }

  async #objectsOf(
    connection: Connection,
    { id, objectsPosition: position }: ClusterRow,
    known: KnownCluster,
    cluster: string,
  ): Promise<Pick<OwnObservations, 'objects' | 'absences'>> {
    const completeMs = await completeMsIn(connection)
    if (known.objects?.position === position && completeMs < known.objects.cutMs) return known.objects
    const { cutMs, ...stored } = mergedObjects(id, await collectedObjects(connection, id), completeMs)
    known.objects = { position, cutMs, ...this.#observations.read(cluster, stored) }
    if (cutMs === Infinity) this.#cut.delete(cluster)
    else this.#cut.set(cluster, cutMs)
    return known.objects
  }

  async #metricsOf(
    connection: Connection,
    id: number,
    known: KnownCluster,
    cluster: string,
  ): Promise<readonly MetricRun[]> {
    const rows = await connection.query<{ group: string; version: string; isShared: boolean }>(
      `SELECT signals AS "group", string_agg(concat_ws(' ', collector, time_ms, version), ',' ORDER BY collector, time_ms)
         AS version, count(DISTINCT nullif(collector, ${MIGRATED})) > 1 AS "isShared" FROM signal_samples WHERE cluster = $1 GROUP BY signals`,
      [id],
    )
    const seen = await connection.query<{ collector: number; seenMs: number }>(
      'SELECT collector, metrics_seen_ms AS "seenMs" FROM collected_cluster WHERE cluster = $1 ORDER BY collector',
      [id],
    )
    const seenMs = new Map(seen.map((row) => [row.collector, row.seenMs]))
    const versioned = rows.map(({ group, version, isShared }) => {
      return { group, version: isShared ? `${version} ${JSON.stringify(seen)}` : version }
    })
    const changed = versioned.filter(({ group, version }) => known.groups.get(group)?.version !== version)
    if (changed.length > 0) {
      const payloads = await connection.query<{ group: string; collector: number; payload: Uint8Array }>(
        `SELECT signals AS "group", collector, payload FROM signal_samples WHERE cluster = $1 AND signals = ANY($2::text[])
           ORDER BY time_ms`,
        [id, changed.map(({ group }) => group)],
      )
      const ofGroup = groupBy(payloads, ({ group }) => group)
      for (const { group, version } of changed) {
        const [migrated, sampled] = splitBy(ofGroup.get(group) ?? [], ({ collector }) => collector === MIGRATED)
        const stored = migrated.flatMap(({ payload }) => unpackRuns(payload).map((run) => ({ ...run, cluster })))
        const parts = sampled.flatMap(({ collector, payload }) =>
          unpackSamples(payload).map((one) => ({ ...one, collector })),
        )
        const series = unionOfSeries(parts, seenMs)
        known.groups.set(group, { version, runs: this.#runsOf(cluster, series, stored) })
      }
    }
    for (const group of known.groups.keys()) if (!rows.some((row) => row.group === group)) known.groups.delete(group)
    return [...known.groups.values()].flatMap(({ runs }) => runs).sort(byMeaning)
  }

  runs(cluster: string): Promise<readonly MetricRun[]> {
    return this.#reading(async (connection) => {
      const [row] = await connection.query<ClusterRow>(CLUSTER, [cluster])
      if (row === undefined) return []
      return asOf(cluster, await this.#metricsOf(connection, row.id, this.#knownOf(row.id), cluster))
    })
  }

  lastSeenSince(timeMs: number): ReturnType<ObservationReader['lastSeenSince']> {
    return this.#reading(async (connection) => {
      const rows = await connection.query<{ cluster: string; objectsMs: number; metricsMs: number }>(
        `SELECT name AS cluster, max(objects_seen_ms) AS "objectsMs", max(metrics_seen_ms) AS "metricsMs"
           FROM collected_cluster JOIN observed_cluster ON id = cluster
           WHERE objects_seen_ms > $1 OR metrics_seen_ms > $1 GROUP BY name ORDER BY name`,
        [timeMs],
      )
      return rows.map(({ cluster, objectsMs, metricsMs }) => ({
        cluster,
        ...(objectsMs > timeMs && { objectsMs }),
        ...(metricsMs > timeMs && { metricsMs }),
      }))
    })
  }

  oldestMs(cluster: string): Promise<number | undefined> {
    return this.#reading(async (connection) => {
      const [row] = await connection.query<ClusterRow>(CLUSTER, [cluster])
      if (row === undefined) return undefined
      if (row.trimmedMs !== null) return row.trimmedMs
      const { states } = mergedObjects(row.id, await collectedObjects(connection, row.id), 0)
      const runs = await this.#metricsOf(connection, row.id, this.#knownOf(row.id), cluster)
      const firstsMs = [...states.values()].flatMap((all) => all.map(({ first }) => first.ms))
      const oldestMs = [...firstsMs, ...runs.map(({ firstMs }) => firstMs)].reduce((a, b) => Math.min(a, b), Infinity)
      return oldestMs === Infinity ? undefined : oldestMs
    })
  }

  changes(cluster: string, range: ChangesRange): Promise<readonly ObjectTransition[]> {
    return this.#reading(async (connection) => {
      const all: ReturnType<ObjectObservations['transitions']>[number][] = []
      for (const name of [cluster, ...(await membersOf(connection, cluster))]) {
        const [row] = await connection.query<ClusterRow>(CLUSTER, [name])
        if (row === undefined) continue
        const stored = mergedObjects(row.id, await collectedObjects(connection, row.id), 0)
        all.push(...this.#observations.transitions(cluster, stored, range))
      }
      return newestTransitions(all, range.limit)
    })
  }

  /** All statements of one read see the same moment. */
  async #reading<T>(read: (connection: Connection) => Promise<T>): Promise<T> {
    try {
      return await repeating('reading observations', () => readingPostgres(this.#pool, read))
    } catch (thrown) {
      throw failureOf('reading observations', thrown)
    }
  }
}

async function completeMsIn(connection: Connection): Promise<number> {
  const [row] = await connection.query<{ completeMs: number | null }>(COMPLETE)
  return row?.completeMs ?? 0
}

async function collectedObjects(connection: Connection, id: number) {
  const objects = await connection.query<CollectedObject>(OBJECTS, [id])
  const listings = await connection.query<CollectedListing>(LISTINGS, [id])
  const states = await connection.query<StateColumns>(STATES, [id])
  return { objects, listings, states: states.map(stateOf) }
}

function stateOf(row: StateColumns): CollectedState {
  const { kind, uid, isDeleted, hash, seenMs, facts } = row
  return {
    ...{ kind, uid, isDeleted, hash, seenMs, facts },
    first: { version: row.firstVersion, ms: row.firstMs, change: row.firstChange, manager: row.firstManager ?? '' },
    last: { version: row.lastVersion, ms: row.lastMs, change: row.lastChange, manager: row.lastManager ?? '' },
  }
}

function splitBy<T>(all: readonly T[], isFirst: (one: T) => boolean): readonly [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))]
}

type CollectedPart = CollectedSeries & { readonly collector: number }

/**
 * The series of all collectors, each once. A collector shares its samples when something changes in them, and once an hour: what
 * it has of a series that was alive at its end goes on as long as the collector receives samples of the cluster.
 *
 * @param seenMs by collector
 */
function unionOfSeries(parts: readonly CollectedPart[], seenMs: ReadonlyMap<number, number>): readonly SignalSeries[] {
  const endsMs = new Map<number, number>()
  for (const { collector, runs } of parts) {
    endsMs.set(collector, Math.max(endsMs.get(collector) ?? -Infinity, endOf(runs)))
  }
  return Array.from(groupBy(parts, ({ series }) => series).values(), (same) => {
    const alive = same.filter(({ collector, runs }) => {
      return runs.at(-1)?.isStale === false && endOf(runs) >= endsMs.get(collector)! - MISSED_MS
    })
    const aliveUntilMs = Math.max(-Infinity, ...alive.map(({ collector }) => seenMs.get(collector) ?? -Infinity))
    return { ...same[0]!, runs: unionOfRuns(same.map(({ runs }) => runs)), aliveUntilMs }
  })
}

function endOf(runs: readonly ScrapeRun[]): number {
  const last = runs.at(-1)
  return last === undefined ? -Infinity : lastMsOf(last)
}

/** What is in memory may have been read as of another name. */
function asOf<T extends { readonly cluster: string }>(cluster: string, list: readonly T[]): readonly T[] {
  return list[0] === undefined || list[0].cluster === cluster ? list : list.map((one) => ({ ...one, cluster }))
}

/** As SQLite orders them. */
function byMeaning(a: MetricRun, b: MetricRun): number {
  const order = compareText(a.signal, b.signal)
  if (order !== 0) return order
  return (
    (a.labels === b.labels ? 0 : compareText(JSON.stringify(a.labels), JSON.stringify(b.labels))) ||
    a.firstMs - b.firstMs
  )
}
