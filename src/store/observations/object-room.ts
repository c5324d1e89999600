import type Database from 'better-sqlite3'
import type { ObservedClusters } from './observed-clusters.ts'
import { Statements } from '../statements.ts'

/**
 * Room for the objects of each cluster: all states of a cluster are read when its facts are derived, so there is a limit.
 * Beyond it the oldest states are removed as if retention were shorter: states that ended, and objects that were not seen
 * for a day. When what is left is still too much, the cluster takes no new objects.
 */

/** Removal makes this share of the room free, so that it is not needed with each commit. */
const FREE_SHARE = 0.1
/** Before the cluster's last report: an object that is watched or listed was seen since. */
const UNSEEN_MS = 86_400_000
const MINUTE_MS = 60_000

interface Known {
  count: number
  maxNext: number
}

export class ObjectRoom extends Statements {
  readonly #clusters: ObservedClusters
  readonly #statesMax: number
  /** An object without a state, which only a listing named, counts as one. */
  readonly #count = this.db
    .prepare<[number], number>(
      'SELECT count(*) FROM observed_object LEFT JOIN object_state ON object = id WHERE cluster = ?',
    )
    .pluck()
  readonly #oldest = this.db.prepare<{ cluster: number; count: number }, { lastMs: number }>(
    `DELETE FROM object_state WHERE (object, is_deleted, hash) IN (
       SELECT state.object, state.is_deleted, state.hash
         FROM observed_cluster AS of JOIN observed_object AS named ON named.cluster = of.id JOIN object_state AS state ON object = named.id
         WHERE of.id = @cluster AND (max(last_ms, seen_ms, listed_minute * ${MINUTE_MS}) < heard_ms - ${UNSEEN_MS} OR EXISTS (
           SELECT 1 FROM object_state AS later WHERE later.object = state.object AND (later.last_version, later.is_deleted, later.hash)
             > (state.last_version, state.is_deleted, state.hash)))
         ORDER BY max(last_ms, seen_ms), last_version, state.hash LIMIT @count)
       RETURNING last_ms AS lastMs`,
  )
  readonly #stateless = this.db.prepare<{ cluster: number }>(
    `DELETE FROM observed_object WHERE cluster = @cluster AND NOT EXISTS (SELECT 1 FROM object_state WHERE object = id)`,
  )
  readonly #trimmed = this.db.prepare<[number, number]>(
    'UPDATE observed_cluster SET trimmed_ms = max(coalesce(trimmed_ms, 0), ?) WHERE id = ?',
  )
  /** States by cluster, counted when the cluster adds one; `maxNext`: at so many the oldest are removed. */
  readonly #known = new Map<number, Known>()
  readonly #added = new Map<number, number>()
  #evicted = 0
  #evictedNow = 0

  constructor(db: Database.Database, clusters: ObservedClusters, statesMax: number) {
    super(db)
    this.#clusters = clusters
    this.#statesMax = statesMax
  }

  /** States removed since the start because a cluster had too many. */
  get evicted(): number {
    return this.#evicted
  }

  /** A state, or an object, was stored. Those that replace others count too, until the cluster is counted again. */
  added(cluster: number, count = 1): void {
    if (count > 0) this.#added.set(cluster, (this.#added.get(cluster) ?? 0) + count)
  }

  /** Call last in a transaction, before the clusters settle: removes what is too much. True when objects may be gone. */
  settle(): boolean {
    let isAnyGone = false
    for (const [cluster, added] of this.#added) {
      let known = this.#known.get(cluster)
      if (known === undefined) {
        known = { count: this.#count.get(cluster)!, maxNext: this.#statesMax }
        this.#known.set(cluster, known)
      } else known.count += added
      if (known.count > known.maxNext) isAnyGone = this.#removeOldest(cluster, known) || isAnyGone
    }
    this.#added.clear()
    return isAnyGone
  }

  /** After the commit. */
  written(): void {
    this.#evicted += this.#evictedNow
    this.#evictedNow = 0
  }

  /** The cluster has so many objects that it takes no new ones. */
  isFull(cluster: number): boolean {
    return (this.#known.get(cluster)?.maxNext ?? 0) > this.#statesMax
  }

  /** The cluster that is nearest to the limit, of those that changed since the start. */
  fullest(): { readonly cluster: number; readonly count: number } | undefined {
    let fullest: { cluster: number; count: number } | undefined
    for (const [cluster, { count }] of this.#known) if (count > (fullest?.count ?? 0)) fullest = { cluster, count }
    return fullest
  }

  /** Call after states were removed. */
  removeStateless(cluster: number): void {
    this.#stateless.run({ cluster })
    this.#known.delete(cluster)
  }

  /** Tells readers that the past of the cluster is incomplete until this time, and until any later one of before. */
  noteTrimmed(cluster: number, untilMs: number): void {
    this.#trimmed.run(untilMs, cluster)
    this.#clusters.touchObjects(cluster)
  }

  /** All clusters are counted again: after a rollback, or an erasure. */
  forget(): void {
    this.#known.clear()
    this.#added.clear()
    this.#evictedNow = 0
  }

  #removeOldest(cluster: number, known: Known): boolean {
    known.count = this.#count.get(cluster)!
    if (known.count <= known.maxNext) return false
    const free = Math.ceil(this.#statesMax * FREE_SHARE)
    const removed = this.#oldest.all({ cluster, count: known.count - (this.#statesMax - free) })
    this.#stateless.run({ cluster })
    known.count = this.#count.get(cluster)!
    // What cannot be removed may grow by states of known objects, whose earlier states are removed the next time.
    known.maxNext = Math.max(this.#statesMax, known.count + free)
    this.#evictedNow += removed.length
    if (removed.length > 0) {
      const newestMs = removed.reduce((newest, { lastMs }) => Math.max(newest, lastMs), 0)
      this.noteTrimmed(cluster, newestMs)
    }
    return true
  }
}
