import { createHmac, randomBytes } from 'node:crypto'
import type Database from 'better-sqlite3'
import type { AuditAction } from '../../model/audit.ts'
import { erasedSubject, type Erasure, type MetricsStoreErasure } from '../../model/erasure.ts'
import { inTransaction } from '../database.ts'
import { insertAuditSync } from '../facts/audit.ts'
import { Statements } from '../statements.ts'

/**
 * Erasures, and the clusters whose data is refused since. The names of a cluster are stored while it is being erased; after
 * that only keyed hashes of them, with which data that arrives for it is still recognised.
 */

interface Row {
  readonly id: string
  readonly names: string | null
  readonly hashes: string
  readonly by: string
  readonly startedMs: number
  readonly removed: number
  readonly doneMs: number | null
  readonly allowedMs: number | null
  readonly allowedBy: string | null
  readonly metricsStore: string | null
}

const COLUMNS = `id, names, hashes, by, started_ms AS startedMs, removed, done_ms AS doneMs, allowed_ms AS allowedMs,
  allowed_by AS allowedBy, metrics_store AS metricsStore FROM erasure`
const KEY = 'erasure.key'

export class Erasures extends Statements {
  readonly #all = this.db.prepare<[], Row>(`SELECT ${COLUMNS} ORDER BY started_ms, id`)
  readonly #begin = this.db.prepare<[string, string, string, string, number]>(
    'INSERT INTO erasure (id, names, hashes, by, started_ms, removed) VALUES (?, ?, ?, ?, ?, 0)',
  )
  readonly #removed = this.db.prepare<[number, string]>('UPDATE erasure SET removed = removed + ? WHERE id = ?')
  readonly #done = this.db.prepare<[number, string]>('UPDATE erasure SET done_ms = ?, names = NULL WHERE id = ?')
  readonly #allow = this.db.prepare<[number, string, string]>(
    'UPDATE erasure SET allowed_ms = ?, allowed_by = ? WHERE id = ?',
  )
  #key: string
  #refused: ReadonlySet<string> = new Set()
  /** By name, whether it is refused; for as long as the erasures are the same. */
  readonly #known = new Map<string, boolean>()

  constructor(db: Database.Database) {
    super(db)
    this.#key = this.#storedKey() ?? ''
    this.#reread()
  }

  /** In the order in which they began. */
  list(): readonly Erasure[] {
    return this.#all.all().map(erasureOf)
  }

  /** HOT for new series. Whether data of a cluster of this name is refused. */
  isErased(name: string): boolean {
    if (this.#refused.size === 0) return false
    let isRefused = this.#known.get(name)
    if (isRefused === undefined) {
      isRefused = this.#refused.has(this.#hashOf(name))
      if (this.#known.size >= NAMES_KNOWN_MAX) this.#known.clear()
      this.#known.set(name, isRefused)
    }
    return isRefused
  }

  /** Durable when it returns; then data of these names is refused. The connection must be free. */
  begin(id: string, names: readonly string[], by: string, nowMs: number): Erasure {
    inTransaction(this.db, () => {
      if (this.#key === '') {
        this.#key = randomBytes(32).toString('hex')
        this.db.prepare('INSERT INTO meta (key, value) VALUES (?, ?)').run(KEY, this.#key)
      }
      const hashes = names.map((name) => this.#hashOf(name))
      this.#begin.run(id, JSON.stringify(names), JSON.stringify(hashes), by, nowMs)
      this.#addAudit('cluster.erase', id, by, nowMs)
    })
    this.#reread()
    return this.#get(id)!
  }

  addRemoved(id: string, removed: number): void {
    this.#removed.run(removed, id)
  }

  finish(id: string, nowMs: number): void {
    this.#done.run(nowMs, id)
  }

  noteMetricsStore(id: string, state: MetricsStoreErasure): void {
    this.db.prepare('UPDATE erasure SET metrics_store = ? WHERE id = ?').run(JSON.stringify(state), id)
  }

  /** Data of the cluster is accepted again. `undefined`: there is no such erasure, or it has not ended. */
  allow(id: string, by: string, nowMs: number): Erasure | undefined {
    const known = this.#get(id)
    if (known?.doneMs === undefined) return undefined
    if (known.allowed !== undefined) return known
    inTransaction(this.db, () => {
      this.#allow.run(nowMs, by, id)
      this.#addAudit('cluster.erase.allow', id, by, nowMs)
    })
    this.#reread()
    return this.#get(id)
  }

  #addAudit(action: AuditAction, id: string, by: string, atMs: number): void {
    insertAuditSync(this.db, { atMs, by, action, subject: erasedSubject({ id }), detail: JSON.stringify({ id }) })
  }

  #get(id: string): Erasure | undefined {
    return this.list().find((one) => one.id === id)
  }

  #reread(): void {
    const refused = this.#all.all().filter(({ allowedMs }) => allowedMs === null)
    this.#refused = new Set(refused.flatMap(({ hashes }) => JSON.parse(hashes) as string[]))
    this.#known.clear()
  }

  /** Keyed: names are short, and a table of hashes of likely names would give them away. */
  #hashOf(name: string): string {
    return createHmac('sha256', this.#key).update(name).digest('hex')
  }

  #storedKey(): string | undefined {
    return this.db.prepare<[string], string>('SELECT value FROM meta WHERE key = ?').pluck().get(KEY)
  }
}

const NAMES_KNOWN_MAX = 65_536

function erasureOf({ id, names, by, startedMs, removed, doneMs, allowedMs, allowedBy, metricsStore }: Row): Erasure {
  return {
    ...(metricsStore === null ? {} : { metricsStore: JSON.parse(metricsStore) as MetricsStoreErasure }),
    ...{ id, by, startedMs, removed },
    ...(names === null ? {} : { names: JSON.parse(names) as string[] }),
    ...(doneMs === null ? {} : { doneMs }),
    ...(allowedMs === null || allowedBy === null ? {} : { allowed: { atMs: allowedMs, by: allowedBy } }),
  }
}
