import type Database from 'better-sqlite3'

/** Clusters of which something was observed: their numbers, their other names, and when what is told of them changed. */

interface ClusterRow {
  readonly id: number
  readonly lastSeenMs: number
  readonly aliases: string
}

/** A name that a sender makes up anew each time must not fill the row. */
const ALIASES_MAX = 16

/** A sign of life is kept this exactly: lists come each half hour, and silence is told from rest by it. */
export const LAST_SEEN_STEP_MS = 10 * 60_000
/** As a fact of the cluster it is one an hour: each is a reason to look at the cluster anew. */
export const LAST_SEEN_FACT_STEP_MS = 3_600_000

export class ObservedClusters {
  readonly #find: Database.Statement<[string], ClusterRow>
  readonly #add: Database.Statement<[string, number]>
  readonly #touch: Database.Statement<[number, number]>
  readonly #lastSeen: Database.Statement<[number, number]>
  readonly #alias: Database.Statement<[string, number]>
  readonly #newest: Database.Statement<[], { position: number | null }>
  readonly #known = new Map<string, ClusterRow>()
  #position: number
  readonly #touched = new Set<number>()

  constructor(db: Database.Database) {
    this.#find = db.prepare('SELECT id, heard_ms AS lastSeenMs, aliases FROM observed_cluster WHERE name = ?')
    this.#add = db.prepare("INSERT INTO observed_cluster (name, position, heard_ms, aliases) VALUES (?, ?, 0, '[]')")
    this.#touch = db.prepare('UPDATE observed_cluster SET position = ? WHERE id = ?')
    this.#lastSeen = db.prepare('UPDATE observed_cluster SET heard_ms = ? WHERE id = ?')
    this.#alias = db.prepare('UPDATE observed_cluster SET aliases = ? WHERE id = ?')
    this.#newest = db.prepare('SELECT max(position) AS position FROM observed_cluster')
    this.#position = this.#newest.get()?.position ?? 0
  }

  idOf(name: string): number {
    return this.#row(name).id
  }

  /** What a reader gets of the cluster is something else than before. */
  touch(id: number): void {
    this.#touched.add(id)
  }

  /** A sign of life. */
  seen(name: string, ms: number): void {
    const row = this.#row(name)
    const lastSeenMs = ms - (ms % LAST_SEEN_STEP_MS)
    if (lastSeenMs <= row.lastSeenMs) return
    this.#lastSeen.run(lastSeenMs, row.id)
    this.#known.set(name, { ...row, lastSeenMs })
    if (Math.floor(lastSeenMs / LAST_SEEN_FACT_STEP_MS) > Math.floor(row.lastSeenMs / LAST_SEEN_FACT_STEP_MS))
      this.touch(row.id)
  }

  /** The first in the order of names stay when there are too many, so that it does not matter which came first. */
  addAliases(name: string, aliases: readonly string[]): void {
    const row = this.#row(name)
    const known = JSON.parse(row.aliases) as string[]
    const all = [...new Set([...known, ...aliases])].filter((alias) => alias !== '' && alias !== name)
    const text = JSON.stringify(all.sort().slice(0, ALIASES_MAX))
    if (text === row.aliases) return
    this.#alias.run(text, row.id)
    this.#known.set(name, { ...row, aliases: text })
    this.touch(row.id)
  }

  /** The last of a transaction: each cluster that was touched gets a position of its own. */
  settle(): void {
    for (const id of this.#touched) this.#touch.run(++this.#position, id)
    this.#touched.clear()
  }

  /** What a transaction that failed did is undone. */
  forget(): void {
    this.#known.clear()
    this.#touched.clear()
    this.#position = this.#newest.get()?.position ?? 0
  }

  #row(name: string): ClusterRow {
    const known = this.#known.get(name) ?? this.#find.get(name)
    if (known !== undefined) {
      this.#known.set(name, known)
      return known
    }
    const id = Number(this.#add.run(name, ++this.#position).lastInsertRowid)
    const row = { id, lastSeenMs: 0, aliases: '[]' }
    this.#known.set(name, row)
    return row
  }
}
