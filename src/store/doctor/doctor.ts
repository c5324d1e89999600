import { existsSync, linkSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { FleetError, messageOf } from '../../base/errors.ts'
import { asFailure, DATABASE_FILE, isDamage, lockDirectory, openDatabaseForReading, readable } from '../database.ts'
import { ColdSeriesRows } from '../index/cold-series.ts'
import { readSeriesBatch } from '../index/series-batch.ts'
import { passOver } from '../integrity/scrub.ts'
import { SCHEMA_VERSION, versionOf } from '../migrations.ts'
import { LostSeries, timeText } from './lost-series.ts'
import { tablesOf, TableSalvage, type LostRow, type TableCopy } from './salvage.ts'

/**
 * Examines and repairs a data directory that no server uses. A repair copies everything that is readable into a new file,
 * which takes the place of the damaged one; that stays beside it under another name. Nothing here needs a sound file but
 * its schema.
 */

const REPAIRED_FILE = `${DATABASE_FILE}.repaired`
const LOG_FILE = `${DATABASE_FILE}-wal`
const INDEX_FILE = `${DATABASE_FILE}-shm`

/** One damaged item. */
export interface Finding {
  /** The table and the row, or the pages. */
  readonly what: string
  readonly message: string
  /** What is lost with it; undefined: not known before a repair. */
  readonly lost: string | undefined
}

export interface Repair {
  readonly tables: readonly TableCopy[]
  /** What is not in the new file, a sentence each. */
  readonly lost: readonly string[]
  /** What was restored from other data, a sentence each. */
  readonly restored: readonly string[]
  /** Where the damaged file is now. */
  readonly damagedPath: string
}

/** Runs `work` while no server can use the directory. Throws FleetError, `data_dir_in_use` among others. */
export function withDirectory<T>(dir: string, work: (db: Database.Database, isReadOnly: boolean) => T): T {
  const lock = lockDirectory(dir)
  try {
    const db = openDatabaseForReading(dir)
    try {
      return work(db, lock.isReadOnly)
    } finally {
      db.close()
    }
  } finally {
    lock.release()
  }
}

/** Everything that is damaged. Throws FleetError when not even the schema is readable, or when it is a newer one. */
export function examine(db: Database.Database, dir: string): readonly Finding[] {
  checkSchema(db, dir)
  const lost = new LostSeries(db)
  const findings: Finding[] = []
  for (const found of passOver(db)) {
    for (const { kind, id, message } of found) {
      const isRow = id !== 0
      findings.push({
        what: isRow ? `${kind} ${id}` : kind,
        message,
        lost: kind === 'pack' ? lost.ofPack(id) : kind === 'rollup' ? lost.ofRollup(id) : isRow ? 'the row' : undefined,
      })
    }
  }
  return [...findings, ...integrityOf(db).map((message) => ({ what: 'pages', message, lost: undefined }))]
}

/** The messages of SQLite's own check of all pages and indexes. */
function integrityOf(db: Database.Database): readonly string[] {
  try {
    const messages = db.pragma('integrity_check(100)') as { integrity_check: string }[]
    return messages.map((one) => one.integrity_check).filter((message) => message !== 'ok')
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown
    return [messageOf(thrown)]
  }
}

function checkSchema(db: Database.Database, dir: string): void {
  const version = readable(() => {
    db.prepare('SELECT count(*) FROM sqlite_schema').get()
    return versionOf(db)
  })
  if (version === undefined) {
    throw new FleetError(
      'storage_failed',
      `the schema in ${join(dir, DATABASE_FILE)} cannot be read, and nothing without it`,
      {
        hint: 'restore a backup',
      },
    )
  }
  if (version > SCHEMA_VERSION) {
    throw new FleetError(
      'data_dir_too_new',
      `${dir} has schema version ${version}, this program knows ${SCHEMA_VERSION}`,
      { hint: 'use the doctor of the daytwo that wrote it' },
    )
  }
}

/** Writes the new file and puts it in place. Throws FleetError, and then the directory is as it was. */
export function repair(db: Database.Database, dir: string, nowMs: number): Repair {
  checkSchema(db, dir)
  checkRoom(dir)
  const path = join(dir, REPAIRED_FILE)
  rmSync(path, { force: true })
  const copy = asFailure(`writing ${path}`, () => {
    const to = new Database(path)
    try {
      const copied = copyAll(db, to)
      to.pragma('synchronous = FULL')
      to.pragma('wal_checkpoint(TRUNCATE)')
      const left = integrityOf(to)
      if (left.length > 0) throw new FleetError('storage_failed', `the repaired file is damaged too: ${left[0]}`)
      return copied
    } finally {
      to.close()
    }
  })
  const damagedPath = asFailure(`replacing ${join(dir, DATABASE_FILE)}`, () => replace(dir, nowMs))
  return { ...copy, damagedPath }
}

function checkRoom(dir: string): void {
  const needed = [DATABASE_FILE, LOG_FILE].reduce(
    (bytes, file) => bytes + (statSync(join(dir, file), { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
  const { bavail, bsize } = statfsSync(dir)
  if (bavail * bsize >= needed) return
  throw new FleetError(
    'storage_full',
    `a repair writes a second file of up to ${needed} bytes, and ${bavail * bsize} are free`,
    { hint: 'copy the data directory to a larger disk, and repair it there' },
  )
}

type Copied = Pick<Repair, 'tables' | 'lost' | 'restored'>

function copyAll(from: Database.Database, to: Database.Database): Copied {
  to.pragma(`page_size = ${String(from.pragma('page_size', { simple: true }))}`)
  to.pragma('auto_vacuum = INCREMENTAL')
  to.pragma('journal_mode = WAL')
  to.pragma('synchronous = OFF')
  for (const pragma of ['application_id', 'user_version']) {
    to.pragma(`${pragma} = ${String(from.pragma(pragma, { simple: true }))}`)
  }
  const statements = from
    .prepare<[], string>(
      `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type = 'index'`,
    )
    .pluck()
    .all()
  for (const sql of statements) to.exec(sql)
  // Damage was the old file's.
  const tables = tablesOf(from)
    .filter(({ name }) => name !== 'damage')
    .map((shape) => new TableSalvage(from, to, shape).copy())
  const names = new LostSeries(from)
  const lost = tables.flatMap((table) => table.lost.map((one) => lostText(table.table, one, names)))
  const quarantined = quarantinedOf(to)
  for (const { kind, id } of quarantined) {
    lost.push(`${kind} ${id}, which was quarantined: ${kind === 'pack' ? names.ofPack(id) : names.ofRollup(id)}`)
    to.prepare(`DELETE FROM ${kind} WHERE id = ?`).run(id)
  }
  return { tables, lost, restored: restore(from, to, tables) }
}

function quarantinedOf(db: Database.Database): readonly { readonly kind: 'pack' | 'rollup'; readonly id: number }[] {
  return db
    .prepare<[], { kind: 'pack' | 'rollup'; id: number }>(
      `SELECT 'pack' AS kind, id FROM pack WHERE block < 0 UNION ALL SELECT 'rollup', id FROM rollup WHERE block < 0`,
    )
    .all()
}

function lostText(table: string, lost: LostRow, names: LostSeries): string {
  if (lost.kind === 'row') {
    const { id } = lost.row
    const text = `${table}${typeof id === 'number' ? ` ${id}` : ''}: ${lost.message}`
    if (table === 'pack') return `${text}; ${names.ofPack(Number(id))}`
    if (table === 'rollup') return `${text}; ${names.ofRollup(Number(id))}`
    if (table === 'log')
      return `${text}; samples received until ${timeText(Number(lost.row['max_ms']))}, not flushed yet`
    return text
  }
  const { after, before, message } = lost
  if (after === undefined) return `${table}: rows between the readable ones at both ends: ${message}`
  const range = before === undefined ? `from ${after + 1} on` : `${after + 1} to ${before - 1}`
  return `${table}: rows ${range}: ${message}`
}

/** What the lost rows held and other rows imply; and what must not be used without the lost rows. */
function restore(from: Database.Database, to: Database.Database, tables: readonly TableCopy[]): readonly string[] {
  const isHurt = (name: string): boolean => tables.some(({ table, lost }) => table === name && lost.length > 0)
  const restored: string[] = []
  const run = (sql: string, text: string): void => {
    const { changes } = to.prepare(sql).run()
    if (changes > 0) restored.push(`${changes} ${text}`)
  }
  restoreSequences(from, to)
  if (isHurt('block')) {
    run(
      `INSERT INTO block (id, level, position, cut_ms, from_ms, to_ms, is_open)
         SELECT block, 0, block, max(to_ms) + 1, min(from_ms), max(to_ms), 1 FROM pack
         WHERE block > 0 AND block NOT IN (SELECT id FROM block) GROUP BY block`,
      'blocks, from their packs; they are rolled up again',
    )
    to.exec(
      `UPDATE block SET position = (SELECT count(*) FROM block AS older
         WHERE older.cut_ms < block.cut_ms OR (older.cut_ms = block.cut_ms AND older.id < block.id))`,
    )
    to.exec('DELETE FROM rollup WHERE block NOT IN (SELECT id FROM block WHERE is_rolled = 1 OR stored <> 1)')
  }
  // An open block states how far its series are flushed.
  if (isHurt('series_state'))
    run('UPDATE block SET is_open = 1 WHERE tiers & 1', 'blocks state how far their series are flushed')
  if (isHurt('head_part') || isHurt('head_checkpoint')) {
    to.exec('DELETE FROM head_checkpoint; DELETE FROM head_part')
    restored.push('the head, from the log: its checkpoint is dropped')
  }
  const pairs = new Set(to.prepare<[], number>('SELECT id FROM pair').pluck().all())
  // Their pairs may be removed already.
  const ended = new Set(to.prepare<[], number>('SELECT ref FROM series_ended').pluck().all())
  const missing = new Set<number>()
  const warm = new Set<number>()
  for (const batch of to.prepare<[], Uint8Array>('SELECT series FROM series_batch').pluck().iterate()) {
    readSeriesBatch(batch, (ref, pairIds) => {
      if (ended.has(ref)) return
      warm.add(ref)
      for (const id of pairIds) if (!pairs.has(id)) missing.add(id)
    })
  }
  const insert = to.prepare<[number, string, string]>('INSERT INTO pair (id, name, value) VALUES (?, ?, ?)')
  for (const id of missing) insert.run(id, 'lost_label', String(id))
  if (missing.size > 0) restored.push(`${missing.size} label pairs as lost_label: their series keep their samples`)
  // Schemas before 32 have none.
  const hasCold = tables.some(({ table }) => table === 'cold_series')
  if (hasCold && ['cold_series', 'cold_metric', 'meta'].some(isHurt)) {
    to.exec("INSERT OR IGNORE INTO meta (key, value) VALUES ('cold.key', hex(randomblob(16)))")
    new ColdSeriesRows(to).restore((ref) => warm.has(ref))
    restored.push('the places of cold series, from their segments')
  }
  return restored
}

/** Numbers that were given out are not given out again, even when their rows are lost. */
function restoreSequences(from: Database.Database, to: Database.Database): void {
  let known: readonly { readonly name: string; readonly seq: number }[] = []
  try {
    known = from.prepare<[], { name: string; seq: number }>('SELECT name, seq FROM sqlite_sequence').all()
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown
  }
  const update = to.prepare<[number, string]>('UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?')
  const insert = to.prepare<[string, number]>('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)')
  for (const { name, seq } of known) if (update.run(seq, name).changes === 0) insert.run(name, seq)
  const refs = to.prepare<[], number | null>('SELECT max(last_ref) FROM pack').pluck().get() ?? 0
  update.run(refs, 'series_batch')
}

/** The damaged file gets another name before the new one takes its place: at any moment one of them is there. */
function replace(dir: string, nowMs: number): string {
  const damaged = `${DATABASE_FILE}.damaged-${timeText(nowMs).replaceAll(/[-:]|\.\d+/g, '')}`
  linkSync(join(dir, DATABASE_FILE), join(dir, damaged))
  // The log is of the damaged file: beside the new one it would be written into it.
  if (existsSync(join(dir, LOG_FILE))) renameSync(join(dir, LOG_FILE), join(dir, `${damaged}-wal`))
  rmSync(join(dir, INDEX_FILE), { force: true })
  renameSync(join(dir, REPAIRED_FILE), join(dir, DATABASE_FILE))
  return join(dir, damaged)
}
