import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { DATABASE_FILE } from '../../../src/store/database.ts'
import { HOUR_MS, MINUTE_MS, NOW_MS, TempStore } from '../temp-store.ts'

/** A store whose samples are in packs and rollups, and ways to damage its file. */

/** The times of its samples: two blocks of two hours. */
export const FROM_MS = Math.floor(NOW_MS / (24 * HOUR_MS)) * 24 * HOUR_MS
const HOURS = 4
export const TO_MS = FROM_MS + HOURS * HOUR_MS
export const AFTER_MS = TO_MS + 2 * HOUR_MS
export const METRICS = 'abcdefghijkl'.split('')
/** Of each metric. */
export const SERIES = 10

export async function flushedStore(compactToMs: readonly number[] = []): Promise<TempStore> {
  const store = new TempStore({ outOfOrderMs: 0, flushEveryMs: 2 * HOUR_MS, compactToMs }, FROM_MS)
  const refs = METRICS.flatMap((__name__) =>
    Array.from({ length: SERIES }, (_, i) => store.resolve({ __name__, i: String(i) })),
  )
  for (let atMs = FROM_MS + MINUTE_MS; atMs <= TO_MS; atMs += MINUTE_MS) {
    for (const ref of refs) store.writer.appender.append(ref, atMs, Math.sin(ref * atMs))
    if (atMs % HOUR_MS === 0) await store.writer.maintain(atMs + 15 * MINUTE_MS)
  }
  await store.writer.maintain(AFTER_MS)
  return store
}

/** Runs SQL on the file of a store, open or not. */
export function execute(store: TempStore, sql: string): void {
  const db = new Database(join(store.options.dir, DATABASE_FILE))
  db.exec(sql)
  db.close()
}

/** The middle byte of a blob becomes another one. */
export function flipByte(store: TempStore, table: string, column: string, where: string): void {
  const db = new Database(join(store.options.dir, DATABASE_FILE))
  db.function('flipped', (bytes: unknown) => {
    const changed = Buffer.from(bytes as Uint8Array)
    changed[changed.length >> 1]! ^= 0x55
    return changed
  })
  const { changes } = db.prepare(`UPDATE ${table} SET ${column} = flipped(${column}) WHERE ${where}`).run()
  if (changes === 0) throw new Error(`${table} has no row of ${where}`)
  db.close()
}

/** Overwrites a page of a table in the file of a closed store: in the middle of its pages. */
export function breakPage(store: TempStore, table: string, type: 'leaf' | 'internal' | 'overflow' = 'leaf'): void {
  const path = join(store.options.dir, DATABASE_FILE)
  const db = new Database(path)
  db.pragma('wal_checkpoint(TRUNCATE)')
  const pages = db
    .prepare<[string, string], number>('SELECT pageno FROM dbstat WHERE name = ? AND pagetype = ? ORDER BY pageno')
    .pluck()
    .all(table, type)
  const bytes = Number(db.pragma('page_size', { simple: true }))
  db.close()
  const page = pages[Math.floor(pages.length / 2)]
  if (page === undefined) throw new Error(`${table} has no ${type} page`)
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(bytes, 0x5a), 0, bytes, (page - 1) * bytes)
  closeSync(file)
}
