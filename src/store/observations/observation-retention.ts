import type Database from 'better-sqlite3'
import { packMinutes, unpackMinutes } from './minutes-codec.ts'
import type { ObjectRoom } from './object-room.ts'
import type { ObservedClusters } from './observed-clusters.ts'
import { inTransaction } from '../database.ts'
import { Statements } from '../statements.ts'

/**
 * Retention of observations: removes states that ended before the retention's edge, objects not seen since, ended runs,
 * and times of listings. The current state of an object stays, however old, as long as the object is seen. Some
 * clusters per call, each once a day.
 */

const CLUSTERS_PER_STEP = 20
const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

export class ObservationRetention extends Statements {
  readonly #clusters: ObservedClusters
  readonly #room: ObjectRoom
  readonly #due = this.db.prepare<[number, number], { id: number }>(
    'SELECT id FROM observed_cluster WHERE checked_ms < ? LIMIT ?',
  )
  readonly #objects = this.db.prepare<{ cluster: number; floorMs: number }>(
    `DELETE FROM object_state WHERE object IN (
         SELECT id FROM observed_object WHERE cluster = @cluster AND listed_minute * ${MINUTE_MS} < @floorMs AND NOT EXISTS
           (SELECT 1 FROM object_state AS seen WHERE seen.object = id AND (seen.last_ms >= @floorMs OR seen.seen_ms >= @floorMs)))`,
  )
  readonly #states = this.db.prepare<{ cluster: number; floorMs: number }>(
    `DELETE FROM object_state WHERE object IN (SELECT id FROM observed_object WHERE cluster = @cluster) AND last_ms < @floorMs
         AND seen_ms < @floorMs AND EXISTS
         (SELECT 1 FROM object_state AS later WHERE later.object = object_state.object
            AND later.last_version > object_state.last_version AND later.first_ms < @floorMs)`,
  )
  readonly #runs = this.db.prepare<[number, number]>('DELETE FROM metric_run WHERE cluster = ? AND last_ms < ?')
  readonly #listings = this.db.prepare<[number], { kind: number; namespace: string; minutes: Uint8Array }>(
    'SELECT kind, namespace, minutes FROM object_listing WHERE cluster = ?',
  )
  readonly #relist = this.db.prepare<[Uint8Array, number, number, string]>(
    'UPDATE object_listing SET minutes = ? WHERE cluster = ? AND kind = ? AND namespace = ?',
  )
  readonly #unlist = this.db.prepare<[number, number, string]>(
    'DELETE FROM object_listing WHERE cluster = ? AND kind = ? AND namespace = ?',
  )
  readonly #checked = this.db.prepare<[number, number]>('UPDATE observed_cluster SET checked_ms = ? WHERE id = ?')

  constructor(db: Database.Database, clusters: ObservedClusters, room: ObjectRoom) {
    super(db)
    this.#room = room
    this.#clusters = clusters
  }

  /** True when there may be more. */
  removeSome(nowFloorMs: number): boolean {
    const floorMs = nowFloorMs - (nowFloorMs % DAY_MS)
    const due = this.#due.all(floorMs, CLUSTERS_PER_STEP)
    if (due.length === 0) return false
    try {
      inTransaction(this.db, () => {
        for (const { id } of due) this.#trim(id, floorMs)
        this.#clusters.settle()
      })
    } catch (thrown) {
      this.#clusters.forget()
      throw thrown
    }
    return due.length === CLUSTERS_PER_STEP
  }

  #trim(cluster: number, floorMs: number): void {
    const removed =
      this.#objects.run({ cluster, floorMs }).changes +
      this.#states.run({ cluster, floorMs }).changes +
      this.#runs.run(cluster, floorMs).changes
    this.#room.removeStateless(cluster)
    for (const { kind, namespace, minutes } of this.#listings.all(cluster)) {
      const all = unpackMinutes(minutes)
      const left = all.filter((minute) => minute * MINUTE_MS >= floorMs)
      if (left.length === all.length) continue
      if (left.length === 0) this.#unlist.run(cluster, kind, namespace)
      else this.#relist.run(packMinutes(left), cluster, kind, namespace)
    }
    this.#checked.run(floorMs, cluster)
    if (removed === 0) return
    this.#room.noteTrimmed(cluster, floorMs)
  }
}
