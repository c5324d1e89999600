import type Database from 'better-sqlite3'
import { openDatabaseForReading } from '../database.ts'
import { Statements } from '../statements.ts'
import { eachKey, type ChangedKey } from './changed-keys.ts'
import { COLLECTOR_KEY, EPOCH_KEY } from './change-log.ts'

/** What is to be shipped from a data directory: changes since a position, or everything, in portions of keys. */

export interface SourceState {
  readonly collector: string
  readonly epoch: string
  /** Of the newest change; 0: there was none. */
  readonly newestSeq: number
  /** Of the oldest change that is still logged; `newestSeq + 1`: none is. */
  readonly oldestSeq: number
}

export interface Portion<P> {
  readonly keys: readonly ChangedKey[]
  /** What follows this portion; undefined: nothing. */
  readonly next: P | undefined
}

/** Where shipping everything continues: the table, and the key of its last row that was shipped. */
export interface SeedPosition {
  readonly table: number
  readonly after: readonly (number | string)[]
}

/** The log may be large after PostgreSQL was away, and most of it repeats keys. */
const CHANGES_AT_ONCE = 500
const KEYS_AT_ONCE = 2000
const SEED_ROWS_AT_ONCE = 500

/** A table with the key by which it is read, and the keys of its rows. */
interface SeedTable {
  readonly first: SeedPosition['after']
  readonly sql: string
  readonly keysOf: (source: ChangeSource, row: readonly (number | string | bigint)[]) => readonly ChangedKey[]
}

const SEED_TABLES: readonly SeedTable[] = [
  {
    first: [0],
    sql: 'SELECT id FROM observed_cluster WHERE id > ? ORDER BY id',
    keysOf: (_, [id]) => [{ kind: 'cluster', cluster: Number(id) }],
  },
  {
    first: ['', ''],
    sql: 'SELECT cluster, name FROM cluster_claim WHERE (cluster, name) > (?, ?) ORDER BY cluster, name',
    keysOf: (_, [cluster, name]) => [{ kind: 'claim', cluster: String(cluster), name: String(name) }],
  },
  {
    first: [0],
    sql: 'SELECT id FROM observed_object WHERE id > ? ORDER BY id',
    keysOf: (source, [id]) => [{ kind: 'object', object: Number(id) }, ...source.statesOf(Number(id))],
  },
  {
    first: [0, 0, ''],
    sql: `SELECT cluster, kind, namespace FROM object_listing WHERE (cluster, kind, namespace) > (?, ?, ?)
            ORDER BY cluster, kind, namespace`,
    keysOf: (_, [cluster, kind, namespace]) => [
      { kind: 'listing', cluster: Number(cluster), objectKind: Number(kind), namespace: String(namespace) },
    ],
  },
  {
    first: [0],
    sql: 'SELECT id, lower(hex(trace_id)) FROM trace WHERE id > ? ORDER BY id',
    keysOf: (_, [, traceId]) => [{ kind: 'trace', traceId: String(traceId) }],
  },
  {
    first: ['0', 0, 0],
    sql: `SELECT time_ns, source, hash FROM log_record WHERE (time_ns, source, hash) > (CAST(? AS INTEGER), ?, ?)
            ORDER BY time_ns, source, hash`,
    keysOf: (_, [timeNs, source, hash]) => [
      { kind: 'record', timeNs: BigInt(timeNs!), source: Number(source), hash: Number(hash) },
    ],
  },
]

export const SEED_START: SeedPosition = { table: 0, after: SEED_TABLES[0]!.first }

export class ChangeSource extends Statements {
  readonly #meta = this.db.prepare<[string], string>('SELECT value FROM meta WHERE key = ?').pluck()
  readonly #newest = this.db
    .prepare<[], number>("SELECT seq FROM sqlite_sequence WHERE name = 'shipping_change'")
    .pluck()
  readonly #oldest = this.db.prepare<[], number | null>('SELECT min(seq) FROM shipping_change').pluck()
  readonly #changes = this.db.prepare<[number], { seq: number; keys: Uint8Array }>(
    `SELECT seq, keys FROM shipping_change WHERE seq > ? ORDER BY seq LIMIT ${CHANGES_AT_ONCE}`,
  )
  readonly #states = this.db.prepare<[number], { isDeleted: number; hash: number }>(
    'SELECT is_deleted AS isDeleted, hash FROM object_state WHERE object = ?',
  )
  readonly #seed = SEED_TABLES.map(({ sql }) =>
    this.db
      .prepare<(number | string)[], (number | string | bigint)[]>(`${sql} LIMIT ${SEED_ROWS_AT_ONCE}`)
      .raw()
      .safeIntegers(),
  )

  /** Undefined: changes are not logged. @param pass of one that ships all rows once, of a directory whose changes are not logged */
  state(pass?: string): SourceState | undefined {
    const [collector, epoch] = [this.#meta.get(COLLECTOR_KEY), this.#meta.get(EPOCH_KEY)]
    if (pass !== undefined && collector !== undefined) return { collector, epoch: pass, newestSeq: 0, oldestSeq: 1 }
    if (collector === undefined || epoch === undefined) return undefined
    const newestSeq = this.#newest.get() ?? 0
    return { collector, epoch, newestSeq, oldestSeq: this.#oldest.get() ?? newestSeq + 1 }
  }

  /** Changes after a position, each key once. Throws `MalformedBytesError`. */
  changesAfter(seq: number): Portion<number> {
    const keys = new Map<string, ChangedKey>()
    let next: number | undefined
    for (const row of this.#changes.iterate(seq)) {
      next = row.seq
      for (const key of eachKey(row.keys)) keys.set(textOf(key), key)
      if (keys.size >= KEYS_AT_ONCE) break
    }
    return { keys: [...keys.values()], next }
  }

  /** Some of all rows. */
  rowsAfter({ table, after }: SeedPosition): Portion<SeedPosition> {
    const { keysOf } = SEED_TABLES[table]!
    const rows = this.#seed[table]!.all(...after)
    const keys = rows.flatMap((row) => keysOf(this, row))
    const last = rows.at(-1)
    if (last !== undefined && rows.length === SEED_ROWS_AT_ONCE) {
      return { keys, next: { table, after: after.map((_, i) => plain(last[i]!)) } }
    }
    const first = SEED_TABLES[table + 1]?.first
    return { keys, next: first === undefined ? undefined : { table: table + 1, after: first } }
  }

  /** @internal */
  statesOf(object: number): readonly ChangedKey[] {
    return this.#states.all(object).map(({ isDeleted, hash }) => {
      return { kind: 'state', object, isDeleted: isDeleted === 1, hash }
    })
  }

  /** All reads of `work` see the same moment. */
  asOfOneMoment<T>(work: () => T): T {
    return this.atomically(work)
  }
}

export function openChangeSource(dir: string): { readonly db: Database.Database; readonly source: ChangeSource } {
  const db = openDatabaseForReading(dir)
  return { db, source: new ChangeSource(db) }
}

/** Nanoseconds as text: JSON has no such number. */
function plain(value: number | string | bigint): number | string {
  if (typeof value !== 'bigint') return value
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}

function textOf(key: ChangedKey): string {
  return Object.values(key).join('\0')
}
