import type Database from 'better-sqlite3'
import type { ChangeSink } from '../shipping/change-log.ts'
import { Statements } from '../statements.ts'

/** Observed clusters: their numbers, what they are joined into, last report, and the position of their last change. */

interface ClusterRow {
  readonly id: number
  readonly lastSeenMs: number
}

/** Resolution of the last report: lists arrive each half hour, and this distinguishes silence from inactivity. */
const LAST_SEEN_STEP_MS = 10 * 60_000
/** Resolution of the last report as a fact of the cluster: each change causes a derivation of the cluster. */
export const LAST_SEEN_FACT_STEP_MS = 3_600_000

export class ObservedClusters extends Statements {
  readonly #find = this.db.prepare<[string], ClusterRow>(
    'SELECT id, heard_ms AS lastSeenMs FROM observed_cluster WHERE name = ?',
  )
  readonly #name = this.db.prepare<[number], string>('SELECT name FROM observed_cluster WHERE id = ?').pluck()
  readonly #add = this.db.prepare<[string, number]>(
    'INSERT INTO observed_cluster (name, position, heard_ms) VALUES (?, ?, 0)',
  )
  readonly #touch = this.db.prepare<[number, number]>('UPDATE observed_cluster SET position = ? WHERE id = ?')
  readonly #touchObjects = this.db.prepare<[number, number, number]>(
    'UPDATE observed_cluster SET position = ?, objects_position = ? WHERE id = ?',
  )
  readonly #lastSeen = this.db.prepare<[number, number]>('UPDATE observed_cluster SET heard_ms = ? WHERE id = ?')
  readonly #join = this.db.prepare<[string | null, number]>('UPDATE observed_cluster SET joined = ? WHERE id = ?')
  readonly #newest = this.db.prepare<[], { position: number | null }>(
    'SELECT max(position) AS position FROM observed_cluster',
  )
  readonly #known = new Map<string, ClusterRow>()
  #position: number
  readonly #changes: ChangeSink | undefined
  readonly #touched = new Set<number>()
  readonly #touchedObjects = new Set<number>()

  /** @param changes is given what is to be shipped; absent: nothing is */
  constructor(db: Database.Database, changes?: ChangeSink) {
    super(db)
    this.#changes = changes
    this.#position = this.#newest.get()?.position ?? 0
  }

  idOf(name: string): number {
    return this.#row(name).id
  }

  /** `undefined`: it has no observations. */
  knownId(name: string): number | undefined {
    return (this.#known.get(name) ?? this.#find.get(name))?.id
  }

  nameOf(id: number): string {
    return this.#name.get(id)!
  }

  /** Marks the cluster as changed for readers. */
  touch(id: number): void {
    this.#touched.add(id)
  }

  /** The same when what is read of its objects may have changed. */
  touchObjects(id: number): void {
    this.#touched.add(id)
    this.#touchedObjects.add(id)
  }

  /** `touch` for a cluster that may have no observations. */
  touchKnown(name: string): void {
    const id = this.knownId(name)
    if (id !== undefined) this.touch(id)
  }

  /** A sign of life. */
  seen(name: string, ms: number): void {
    const row = this.#row(name)
    const lastSeenMs = ms - (ms % LAST_SEEN_STEP_MS)
    if (lastSeenMs <= row.lastSeenMs) return
    this.#lastSeen.run(lastSeenMs, row.id)
    this.#changes?.note({ kind: 'cluster', cluster: row.id })
    this.#known.set(name, { ...row, lastSeenMs })
    if (Math.floor(lastSeenMs / LAST_SEEN_FACT_STEP_MS) > Math.floor(row.lastSeenMs / LAST_SEEN_FACT_STEP_MS))
      this.touch(row.id)
  }

  /** Both are derived again: the one that the name leaves is a reader's own business. */
  join(name: string, into: string | undefined): void {
    const { id } = this.#row(name)
    this.#join.run(into ?? null, id)
    this.#changes?.note({ kind: 'cluster', cluster: id })
    this.touch(id)
    if (into !== undefined) this.touch(this.idOf(into))
  }

  /** Call last in a transaction: assigns a new position to each changed cluster. */
  settle(): void {
    for (const id of this.#touched) {
      const position = ++this.#position
      if (this.#touchedObjects.has(id)) this.#touchObjects.run(position, position, id)
      else this.#touch.run(position, id)
      this.#changes?.note({ kind: 'cluster', cluster: id })
    }
    this.#touched.clear()
    this.#touchedObjects.clear()
  }

  /** What a transaction that failed did is undone. */
  forget(): void {
    this.#known.clear()
    this.#touched.clear()
    this.#touchedObjects.clear()
    this.#position = this.#newest.get()?.position ?? 0
  }

  #row(name: string): ClusterRow {
    const known = this.#known.get(name) ?? this.#find.get(name)
    if (known !== undefined) {
      this.#known.set(name, known)
      return known
    }
    const id = Number(this.#add.run(name, ++this.#position).lastInsertRowid)
    this.#changes?.note({ kind: 'cluster', cluster: id })
    const row = { id, lastSeenMs: 0 }
    this.#known.set(name, row)
    return row
  }
}
