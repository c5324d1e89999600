import type Database from 'better-sqlite3'
import { groupBy } from '../../base/group-by.ts'
import type { ChangesRange, ObservationReader } from '../../model/fleet-facts.ts'
import type { ObjectFacts } from '../../model/object-facts.ts'
import type {
  ClusterObservations,
  MetricRun,
  ObjectAbsence,
  ObjectObservation,
  ObjectTransition,
} from '../../model/observation.ts'
import { asFailure, openDatabaseForReading } from '../database.ts'
import { ClusterClaimReader } from './cluster-claims.ts'
import { joinObservations } from '../../model/joined-observations.ts'
import { absenceOf } from './listing-rows.ts'
import { MetricRunReader } from './metric-runs.ts'
import { unpackMinutes } from './minutes-codec.ts'
import { changeOf, EVENTS, HYPERCONVERGEDS, kindOf, managerOf, uidOf, unpackFacts } from './object-codec.ts'
import { SPAN_COLUMNS, spanOf, type StateRow } from './object-rows.ts'
import { statesOf } from './object-states.ts'
import { LAST_SEEN_FACT_STEP_MS } from './observed-clusters.ts'
import { Statements } from '../statements.ts'

/** Observations for the query worker. A read sees the data committed at its start. */

interface ClusterRow {
  readonly id: number
  readonly lastSeenMs: number
  readonly trimmedMs: number | null
  readonly objectsPosition: number
}

interface ObjectRow {
  readonly id: number
  readonly uid: Uint8Array
  readonly kind: number
  readonly namespace: string
  readonly name: string
  readonly listedMinute: number
}

type StateColumns = Parameters<typeof spanOf>[0] & { readonly object: number; readonly facts: Uint8Array }

type OwnObservations = Omit<ClusterObservations, 'spans'>

interface StoredTransition {
  readonly atMs: number
  readonly version: number
  readonly transition: ObjectTransition
}

/** What is read of the objects of a cluster. */
type ClusterObjects = Pick<OwnObservations, 'objects' | 'absences'>

interface KnownObjects extends ClusterObjects {
  /** `objects_position` at the time. */
  readonly position: number
  /** The cluster they are read as. */
  readonly cluster: string
}

/** Limit for cached facts of states: a cluster is read again when one of its objects changed. */
const FACTS_KNOWN_MAX = 20_000
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
  readonly #objects = this.db.prepare<[number], ObjectRow>(
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
  readonly #facts = new Map<string, ObjectFacts>()
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
      const aliases = new Set(members)
      for (const claim of claims) {
        if (claim.refusal === undefined && names.has(claim.cluster)) aliases.add(claim.name)
        // A name that claims this one and has no data of its own is another name of it.
        if (claim.refusal === undefined && claim.joins) aliases.add(claim.cluster)
      }
      aliases.delete(cluster)
      const conflicts = claims.filter(({ refusal }) => refusal !== undefined)
      return {
        ...all,
        ...(aliases.size === 0 ? {} : { aliases: [...aliases].sort() }),
        ...(members.length === 0 ? {} : { members }),
        ...(conflicts.length === 0 ? {} : { conflicts }),
      }
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
    const objects = this.#objects.all(id)
    const states = this.#statesOf(id)
    const read = {
      position,
      cluster,
      objects: objects.flatMap((object) => this.#observationsOf(cluster, object, states.get(object.id) ?? [])),
      absences: this.#absencesOf(cluster, id, objects, states),
    }
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
      return [cluster, ...this.#claims.members(cluster)]
        .flatMap((name) => this.#changesOf(name, cluster, range))
        .sort((a, b) => b.atMs - a.atMs || b.version - a.version)
        .slice(0, range.limit)
        .map(({ transition }) => transition)
    })
  }

  #changesOf(name: string, cluster: string, { fromMs, toMs, uid }: ChangesRange): readonly StoredTransition[] {
    const row = this.#cluster.get(name)
    if (row === undefined) return []
    const states = this.#statesOf(row.id)
    return this.#objects
      .all(row.id)
      .filter((object) => uid === undefined || uidOf(object.uid) === uid)
      .flatMap((object) => {
        const all = statesOf(object.kind, states.get(object.id) ?? [])
        return all.map((start, i) => ({ object, start, before: all[i - 1] }))
      })
      .filter(({ start }) => start.ms >= fromMs && start.ms <= toMs)
      .map(({ object, start, before }) => {
        const manager = managerOf(start.manager)
        const transition = {
          after: this.#observationOf(cluster, object, start),
          ...(before === undefined ? {} : { before: this.#factsOf(object.id, before.state) }),
          ...(manager === undefined ? {} : { manager }),
        }
        return { atMs: start.ms, version: start.version, transition }
      })
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

  #observationsOf(cluster: string, object: ObjectRow, states: readonly StateRow[]): ObjectObservation[] {
    return statesOf(object.kind, states).map((start) => {
      const manager = object.kind === HYPERCONVERGEDS ? managerOf(start.manager) : undefined
      const observation = this.#observationOf(cluster, object, start)
      return manager === undefined ? observation : { ...observation, manager }
    })
  }

  #observationOf(
    cluster: string,
    { id, uid, name, namespace }: ObjectRow,
    { version, ms, change, state }: ReturnType<typeof statesOf<StateRow>>[number],
  ): ObjectObservation {
    return {
      cluster,
      uid: uidOf(uid),
      name,
      namespace,
      resourceVersion: String(version),
      change: changeOf(change),
      observedMs: ms,
      facts: this.#factsOf(id, state),
    }
  }

  #factsOf(object: number, { hash, facts }: StateRow): ObjectFacts {
    const key = `${object} ${hash}`
    const known = this.#facts.get(key)
    if (known !== undefined) return known
    const unpacked = unpackFacts(facts)
    if (this.#facts.size >= FACTS_KNOWN_MAX) this.#facts.clear()
    this.#facts.set(key, unpacked)
    return unpacked
  }

  #absencesOf(
    cluster: string,
    id: number,
    objects: readonly ObjectRow[],
    states: ReadonlyMap<number, readonly StateRow[]>,
  ): ObjectAbsence[] {
    const scopes = new Map(
      this.#minutes.all(id).map(({ kind, namespace, minutes }) => [`${kind} ${namespace}`, unpackMinutes(minutes)]),
    )
    if (scopes.size === 0) return []
    return objects.flatMap((object) => {
      const minutes = scopes.get(`${object.kind} ${object.namespace}`)
      const seen = states.get(object.id) ?? []
      // Events expire by themselves; a deletion that was observed is not an absence.
      if (
        minutes === undefined ||
        seen.length === 0 ||
        object.kind === EVENTS ||
        seen.some(({ isDeleted }) => isDeleted)
      )
        return []
      const seenMs = seen.reduce((newest, { last }) => Math.max(newest, last.ms), 0)
      const absence = absenceOf(minutes, object.listedMinute, seenMs)
      return absence === undefined ? [] : [{ cluster, kind: kindOf(object.kind), uid: uidOf(object.uid), ...absence }]
    })
  }
}

/** At least one, so that clusters without objects are bounded too. */
function countOf({ objects, absences }: ClusterObjects): number {
  return 1 + objects.length + absences.length
}
