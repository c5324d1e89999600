import type Database from 'better-sqlite3'
import { messageOf } from '../../base/errors.ts'
import { ownValue } from '../../base/own-value.ts'
import { isDamage, openDatabaseForReading } from '../database.ts'
import type { FoundDamage } from './damage.ts'
import { ROW_CHECKS, type RowCheck, type StoredRow } from './row-checks.ts'

/**
 * Reads everything once, in steps: rows with encoded bytes are verified, their indexes are walked, and SQLite checks the
 * pages of the other tables. It has its own connection, on a thread of its own, because a step may take seconds on a large
 * table. What it finds may have changed since: the writer looks again before it isolates anything.
 */

/** Bytes of rows that one step verifies. */
const BYTES_PER_STEP = 1024 * 1024
const ROWS_PER_STEP = 2000

/** The result of a step. */
export interface ScrubStep {
  readonly found: readonly FoundDamage[]
  /** Everything was read; the next step begins anew. */
  readonly isPassEnd: boolean
}

export class Scrub {
  readonly #db: Database.Database
  #work: Iterator<readonly FoundDamage[], void>

  constructor(dir: string) {
    this.#db = openDatabaseForReading(dir)
    this.#work = passOver(this.#db)
  }

  step(): ScrubStep {
    const { value, done } = this.#work.next()
    if (done === true) this.#work = passOver(this.#db)
    return { found: value ?? [], isPassEnd: done === true }
  }

  close(): void {
    this.#db.close()
  }
}

/** Yields what each step has found. */
export function* passOver(db: Database.Database): Generator<readonly FoundDamage[], void> {
  const tables = namesOf(db, 'table')
  for (const check of ROW_CHECKS) {
    // A schema from before the table, which only the doctor meets.
    if (!tables.includes(check.table)) continue
    yield* verifyRows(db, check)
    for (const index of namesOf(db, 'index', check.table)) {
      yield pagesOf(db, check.table, `SELECT count(*) FROM ${check.table} INDEXED BY ${index}`)
    }
  }
  const walked = new Set(ROW_CHECKS.map(({ table }) => table))
  for (const table of tables) {
    if (!walked.has(table)) yield pagesOf(db, table, `PRAGMA quick_check("${table}")`)
  }
}

function* verifyRows(db: Database.Database, check: RowCheck): Generator<readonly FoundDamage[], void> {
  const { table, keys, columns } = check
  // A schema from before checksums, which only the doctor meets.
  const known = db.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table)
  const present = columns.map((column) =>
    column !== 'checksum' || known.includes(column) ? column : 'NULL AS checksum',
  )
  const head = `SELECT ${[...keys, ...present].join(', ')} FROM ${table}`
  const tail = `ORDER BY ${keys.join(', ')} LIMIT ${ROWS_PER_STEP}`
  const after = `(${keys.join(', ')}) > (${keys.map(() => '?').join(', ')})`
  // Keys of log records are beyond the safe integers.
  const [first, next] = [`${head} ${tail}`, `${head} WHERE ${after} ${tail}`].map((sql) =>
    db.prepare<unknown[], StoredRow>(sql).safeIntegers(table === 'log_record'),
  )
  let last: readonly unknown[] | undefined
  for (;;) {
    const found: FoundDamage[] = []
    let bytes = 0
    let rows = 0
    try {
      for (const row of last === undefined ? first!.iterate() : next!.iterate(...last)) {
        last = keys.map((key) => ownValue(row, key))
        rows++
        bytes += bytesOf(row)
        const message = damageOf(check, row)
        if (message !== undefined) found.push({ kind: table, id: Number(last[0]), message })
        if (bytes >= BYTES_PER_STEP) break
      }
    } catch (thrown) {
      yield [...found, pageDamage(table, thrown)]
      return
    }
    yield found
    if (rows < ROWS_PER_STEP && bytes < BYTES_PER_STEP) return
  }
}

/** Why a row is damaged. */
export function damageOf(check: RowCheck, row: StoredRow): string | undefined {
  try {
    check.verify(row)
    return undefined
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown
    return messageOf(thrown)
  }
}

function pagesOf(db: Database.Database, table: string, sql: string): readonly FoundDamage[] {
  try {
    const results = db.prepare<[]>(sql).pluck().all()
    const messages = results.filter((one): one is string => typeof one === 'string' && one !== 'ok')
    return messages.slice(0, 1).map((message) => ({ kind: `pages of ${table}`, id: 0, message }))
  } catch (thrown) {
    return [pageDamage(table, thrown)]
  }
}

/** Throws what is no damage again. */
function pageDamage(table: string, thrown: unknown): FoundDamage {
  if (!isDamage(thrown)) throw thrown
  return { kind: `pages of ${table}`, id: 0, message: messageOf(thrown) }
}

/** Without partial indexes, which no query without their condition reads. */
function namesOf(db: Database.Database, type: 'table' | 'index', table?: string): readonly string[] {
  return db
    .prepare<{ type: string; table: string | null }, string>(
      `SELECT name FROM sqlite_schema WHERE type = @type AND tbl_name = ifnull(@table, tbl_name)
         AND name NOT LIKE 'sqlite_%' AND sql NOT LIKE '% WHERE %' ORDER BY name`,
    )
    .pluck()
    .all({ type, table: table ?? null })
}

function bytesOf(row: StoredRow): number {
  let bytes = 0
  for (const value of Object.values(row)) if (value instanceof Uint8Array) bytes += value.byteLength
  return bytes
}
