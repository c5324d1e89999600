import type Database from 'better-sqlite3'
import { packMinutes, unpackMinutes } from './minutes-codec.ts'
import type { ChangeSink } from '../shipping/change-log.ts'
import { Statements } from '../statements.ts'

/**
 * When the objects of a kind were listed, by cluster and namespace: one row for all listings of a scope; and of each object
 * when a listing last had it. An object is absent when two listings in a row did not have it after it was last seen.
 */
interface ListingScope {
  readonly cluster: number
  readonly kind: number
  /** Empty for objects of the cluster. */
  readonly namespace: string
}

const MINUTE_MS = 60_000

const UPDATE_LISTED = 'UPDATE observed_object SET listed_minute = ? WHERE cluster = ? AND kind = ? AND uid = ?'

export class ListingRows extends Statements {
  readonly #find = this.db.prepare<[number, number, string], { minutes: Uint8Array }>(
    'SELECT minutes FROM object_listing WHERE cluster = ? AND kind = ? AND namespace = ?',
  )
  readonly #put = this.db.prepare<[number, number, string, Uint8Array]>(
    'INSERT OR REPLACE INTO object_listing (cluster, kind, namespace, minutes) VALUES (?, ?, ?, ?)',
  )
  readonly #again = this.db.prepare<[number, number, number, Uint8Array, number]>(
    `${UPDATE_LISTED} AND listed_minute >= ?`,
  )
  readonly #listed = this.db.prepare<[number, number, number, Uint8Array, number]>(
    `${UPDATE_LISTED} AND listed_minute < ?`,
  )
  // A listing may arrive before the objects it lists.
  readonly #unseen = this.db.prepare<[number, Uint8Array, number, string, number]>(
    `INSERT OR IGNORE INTO observed_object (cluster, uid, kind, namespace, name, listed_minute) VALUES (?, ?, ?, ?, '', ?)`,
  )
  readonly #missing = this.db.prepare<[number, number, string, number, number, number], { one: number }>(
    `SELECT 1 AS one FROM observed_object WHERE cluster = ? AND kind = ? AND namespace = ? AND listed_minute < ?
         AND (listed_minute >= ? OR EXISTS (SELECT 1 FROM object_state WHERE object = id AND last_ms >= ?)) LIMIT 1`,
  )
  readonly #seenAfter = this.db.prepare<[number], { cluster: number; kind: number; namespace: string; listed: number }>(
    'SELECT cluster, kind, namespace, listed_minute AS listed FROM observed_object WHERE id = ?',
  )

  readonly #changes: ChangeSink | undefined

  constructor(db: Database.Database, changes?: ChangeSink) {
    super(db)
    this.#changes = changes
  }

  /** `isOther`: the absences of the cluster may have changed. `unseen`: objects that are known by this listing alone. */
  add(scope: ListingScope, minute: number, uids: readonly Uint8Array[]): { isOther: boolean; unseen: number } {
    const { cluster, kind, namespace } = scope
    this.#changes?.note({ kind: 'listing', cluster, objectKind: kind, namespace })
    const minutes = this.#minutesOf(scope)
    let at = minutes.length
    while (at > 0 && minutes[at - 1]! >= minute) at--
    const isKnown = minutes[at] === minute
    const isLate = at < (isKnown ? minutes.length - 1 : minutes.length)
    let isOther = isLate
    let unseen = 0
    const before = minutes[at - 1] ?? 0
    for (const uid of uids) {
      // As a rule the listing before had it too.
      if (!isLate && this.#again.run(minute, cluster, kind, uid, Math.max(1, before)).changes > 0) continue
      if (this.#listed.run(minute, cluster, kind, uid, minute).changes > 0) isOther = true
      else unseen += this.#unseen.run(cluster, uid, kind, namespace, minute).changes
    }
    if (!isKnown) {
      minutes.splice(at, 0, minute)
      this.#put.run(cluster, kind, namespace, packMinutes(minutes))
    }
    // With two listings in between, one more changes nothing.
    const beforeThat = minutes[at - 2] ?? 0
    return { isOther: isOther || (!isKnown && this.#isAnyMissing(scope, minute, beforeThat)), unseen }
  }

  /** Whether an object that was seen now, and before at `lastMs`, was missing in the newest listing of its scope. */
  wasMissing(object: number, lastMs: number): boolean {
    const row = this.#seenAfter.get(object)
    if (row === undefined) return false
    const newest = this.#minutesOf(row).at(-1)
    return newest !== undefined && newest > Math.max(row.listed, Math.floor(lastMs / MINUTE_MS))
  }

  #isAnyMissing({ cluster, kind, namespace }: ListingScope, minute: number, since: number): boolean {
    return this.#missing.get(cluster, kind, namespace, minute, since, since * MINUTE_MS) !== undefined
  }

  #minutesOf({ cluster, kind, namespace }: ListingScope): number[] {
    const row = this.#find.get(cluster, kind, namespace)
    return row === undefined ? [] : unpackMinutes(row.minutes)
  }
}

/**
 * The time range in which an object disappeared without a deletion event; `undefined`: it is not known to be absent.
 * @param minutes of all listings of its scope, rising
 * @param seenMs last observation other than by a listing
 */
export function absenceOf(
  minutes: readonly number[],
  listedMinute: number,
  seenMs: number,
): { readonly lastSeenMs: number; readonly absentMs: number } | undefined {
  const seenMinute = Math.max(listedMinute, Math.floor(seenMs / MINUTE_MS))
  // Usually the newest absences are requested, and they are at the end.
  let at = minutes.length
  while (at > 0 && minutes[at - 1]! > seenMinute) at--
  if (minutes.length - at < 2) return undefined
  // A listing within that minute did not contain the object, so it was absent by the end of the minute.
  return { lastSeenMs: Math.max(seenMs, listedMinute * MINUTE_MS), absentMs: (minutes[at]! + 1) * MINUTE_MS }
}
