import type Database from 'better-sqlite3'
import { groupBy } from '../../base/group-by.ts'
import type { ChangesRange, ObservationReader } from '../../model/fleet-facts.ts'
import type { ClusterObservations, MetricRun, ObjectTransition } from '../../model/observation.ts'
import { asFailure, openDatabaseForReading } from '../database.ts'
import { ClusterClaimReader, namesOf } from './cluster-claims.ts'
import { joinObservations } from '../../model/joined-observations.ts'
import { MetricRunReader } from './metric-runs.ts'
import { unpackMinutes } from './minutes-codec.ts'
import { SPAN_COLUMNS, spanOf, type StateRow } from './object-rows.ts'
import { LAST_SEEN_FACT_STEP_MS } from './observed-clusters.ts'
import {
  newestTransitions,
  ObjectObservations,
  scopeKey,
  type StoredObject,
  type StoredTransition,
} from './stored-objects.ts'
import { Statements } from '../statements.ts'

/** Observations for the query worker. A read sees the data committed at its start. */

interface ClusterRow {
  readonly id: number
  readonly lastSeenMs: number
  readonly trimmedMs: number | null
  readonly objectsPosition: number
}

type StateColumns = Parameters<typeof spanOf>[0] & { readonly object: number; readonly facts: Uint8Array }

type OwnObservations = Omit<ClusterObservations, 'spans'>

/** What is read of the objects of a cluster. */
type ClusterObjects = Pick<OwnObservations, 'objects' | 'absences'>

interface KnownObjects extends ClusterObjects {
  /** `objects_position` at the time. */
  readonly position: number
  /** The cluster they are read as. */
  readonly cluster: string
}

/** Limit for cached observations of objects, of all clusters: those of 10,000 clusters, about 300 MB. */
const OBJECTS_KNOWN_MAX = 200_000

export function openObservationsForReading(dir: string): ObservationReader & { close(): void } {
  const db = openDatabaseForReading(dir)
  const reader = new SqlObservations(db)
  return Object.assign(reader, {
    close: () => {
      db.close()
    },
  })
}

export class SqlObservations extends Statements implements ObservationReader {
  readonly #changed = this.db.prepare<[number], { name: string; position: number }>(
    'SELECT name, position FROM observed_cluster WHERE position > ? ORDER BY position',
  )
  readonly #cluster = this.db.prepare<[string], ClusterRow>(
    'SELECT id, heard_ms AS lastSeenMs, trimmed_ms AS trimmedMs, objects_position AS objectsPosition FROM observed_cluster WHERE name = ?',
  )
  readonly #objects = this.db.prepare<[number], StoredObject<number>>(
    `SELECT id, uid, kind, namespace, name, listed_minute AS listedMinute FROM observed_object WHERE cluster = ?
         ORDER BY kind, namespace, name, uid`,
  )
  readonly #states = this.db.prepare<[number], StateColumns>(
    `SELECT object, ${SPAN_COLUMNS}, facts FROM object_state
         WHERE object IN (SELECT id FROM observed_object WHERE cluster = ?)`,
  )
  readonly #minutes = this.db.prepare<[number], { kind: number; namespace: string; minutes: Uint8Array }>(
    'SELECT kind, namespace, minutes FROM object_listing WHERE cluster = ?',
  )
  readonly #runs = new MetricRunReader(this.db)
  readonly #lastSeen = this.db.prepare<[number], { cluster: string; objectsMs: number }>(
    'SELECT name AS cluster, heard_ms AS objectsMs FROM observed_cluster WHERE heard_ms > ? ORDER BY name',
  )
  readonly #oldest = this.db.prepare<[number, number], { atMs: number | null }>(
    `SELECT min(at_ms) AS atMs FROM (
         SELECT min(first_ms) AS at_ms FROM object_state
           WHERE object IN (SELECT id FROM observed_object WHERE cluster = ?)
         UNION ALL SELECT min(first_ms) FROM metric_run WHERE cluster = ?)`,
  )
  readonly #claims = new ClusterClaimReader(this.db)
  readonly #observations = new ObjectObservations()
  /** By number of the cluster, the one read least recently first: most derivations follow from metrics alone. */
  readonly #knownObjects = new Map<number, KnownObjects>()
  #knownCount = 0
  readonly #objectsKnownMax: number

  /** @param objectsKnownMax observations of objects that are kept in memory */
  constructor(db: Database.Database, objectsKnownMax = OBJECTS_KNOWN_MAX) {
    super(db)
    this.#objectsKnownMax = objectsKnownMax
  }

  changedSince(position: number): Promise<{ readonly clusters: readonly string[]; readonly position: number }> {
    return this.#reading(() => {
      const rows = this.#changed.all(position)
      return { clusters: rows.map(({ name }) => name), position: rows.at(-1)?.position ?? position }
    })
  }

  joins(): Promise<ReadonlyMap<string, string>> {
    return this.#reading(() => this.#claims.joined())
  }

  read(cluster: string): ReturnType<ObservationReader['read']> {
    return this.#reading(() => {
      const members = this.#claims.members(cluster)
      const own = this.#readOwn(cluster, cluster)
      const all = members.reduce((sum, name) => joinObservations(sum, this.#readOwn(name, cluster)), own)
      const names = new Set([cluster, ...members])
      const claims = [...names].flatMap((name) => this.#claims.of(name))
      return { ...all, ...namesOf(cluster, members, claims) }
    })
  }

  /** What is stored under one name, as of a cluster. */
  #readOwn(name: string, cluster: string): OwnObservations {
    const row = this.#cluster.get(name)
    if (row === undefined) return { cluster, objects: [], absences: [], metrics: [] }
    const { objects, absences } = this.#objectsOf(row, cluster)
    return {
      cluster,
      ...(row.lastSeenMs === 0
        ? {}
        : { objectsLastSeenMs: row.lastSeenMs - (row.lastSeenMs % LAST_SEEN_FACT_STEP_MS) }),
      objects,
      absences,
      metrics: this.#runs.read(cluster, row.id),
    }
  }

  #objectsOf({ id, objectsPosition: position }: ClusterRow, cluster: string): ClusterObjects {
    const known = this.#knownObjects.get(id)
    if (known !== undefined) {
      this.#knownObjects.delete(id)
      if (known.position === position && known.cluster === cluster) {
        this.#knownObjects.set(id, known)
        return known
      }
      this.#knownCount -= countOf(known)
    }
    const listings = new Map(
      this.#minutes.all(id).map(({ minutes, ...scope }) => [scopeKey(scope), unpackMinutes(minutes)]),
    )
    const stored = { objects: this.#objects.all(id), states: this.#statesOf(id), listings }
    const read = { position, cluster, ...this.#observations.read(cluster, stored) }
    this.#knownObjects.set(id, read)
    this.#knownCount += countOf(read)
    for (const [oldest, objectsOfOldest] of this.#knownObjects) {
      if (this.#knownCount <= this.#objectsKnownMax) break
      this.#knownObjects.delete(oldest)
      this.#knownCount -= countOf(objectsOfOldest)
    }
    return read
  }

  runs(cluster: string): Promise<readonly MetricRun[]> {
    return this.#reading(() => {
      const row = this.#cluster.get(cluster)
      return row === undefined ? [] : this.#runs.read(cluster, row.id)
    })
  }

  lastSeenSince(timeMs: number): Promise<readonly { readonly cluster: string; readonly objectsMs: number }[]> {
    return this.#reading(() => this.#lastSeen.all(timeMs))
  }

  oldestMs(cluster: string): Promise<number | undefined> {
    return this.#reading(() => {
      const row = this.#cluster.get(cluster)
      if (row === undefined) return undefined
      // States that continue from before the retention's edge keep their start, but older data is incomplete.
      return row.trimmedMs ?? this.#oldest.get(row.id, row.id)?.atMs ?? undefined
    })
  }

  changes(cluster: string, range: ChangesRange): Promise<readonly ObjectTransition[]> {
    return this.#reading(() => {
      const all = [cluster, ...this.#claims.members(cluster)].flatMap((name) => this.#changesOf(name, cluster, range))
      return newestTransitions(all, range.limit)
    })
  }

  #changesOf(name: string, cluster: string, range: ChangesRange): readonly StoredTransition[] {
    const row = this.#cluster.get(name)
    if (row === undefined) return []
    const stored = { objects: this.#objects.all(row.id), states: this.#statesOf(row.id) }
    return this.#observations.transitions(cluster, stored, range)
  }

  /** All statements of one read see the same moment. */
  async #reading<T>(read: () => T): Promise<T> {
    return Promise.resolve(asFailure('reading observations', () => this.atomically(read)))
  }

  #statesOf(cluster: number): ReadonlyMap<number, readonly StateRow[]> {
    const rows = Array.from(this.#states.iterate(cluster), (columns) => {
      return { ...spanOf(columns), facts: columns.facts, object: columns.object }
    })
    return groupBy(rows, ({ object }) => object)
  }
}

/** At least one, so that clusters without objects are bounded too. */
function countOf({ objects, absences }: ClusterObjects): number {
  return 1 + objects.length + absences.length
}
