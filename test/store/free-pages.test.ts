import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/store/database.ts'
import { FreePages } from '../../src/store/free-pages.ts'
import { tempDir } from './temp-store.ts'

const MEGABYTE = Buffer.alloc(1024 * 1024, 7)

function pagesOf(db: Database.Database): { all: number; free: number } {
  const count = (pragma: string): number => Number(db.pragma(pragma, { simple: true }))
  return { all: count('page_count'), free: count('freelist_count') }
}

/** A log of some megabytes, of which the first ones are gone. */
function fill(db: Database.Database, megabytes: number, removed: number): void {
  const insert = db.prepare('INSERT INTO log (max_ms, payload) VALUES (0, ?)')
  for (let i = 0; i < megabytes; i++) insert.run(MEGABYTE)
  db.prepare('DELETE FROM log WHERE id <= ?').run(removed)
}

describe('free pages', () => {
  test('go back to the disk in steps until few are left, and what is stored stays', () => {
    const db = openDatabase(tempDir())
    fill(db, 40, 35)
    const before = pagesOf(db)
    expect(before.free).toBeGreaterThan(8000)
    const pages = new FreePages(db)
    let steps = 0
    while (pages.step()) {
      steps++
      expect(pagesOf(db).free).toBeLessThan(before.free)
    }
    expect(steps).toBeGreaterThan(10)
    const after = pagesOf(db)
    expect(after.free).toBeLessThanOrEqual(1024)
    expect(after.all).toBeLessThan(before.all / 4)
    expect(db.prepare('SELECT sum(length(payload)) FROM log').pluck().get()).toBe(5 * MEGABYTE.length)
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
    db.close()
  })

  test('stay where they are few, against the whole file', () => {
    const db = openDatabase(tempDir())
    fill(db, 40, 4)
    expect(new FreePages(db).step()).toBe(false)
    db.close()
  })

  test('stay in a file that cannot give any back', () => {
    const db = new Database(`${tempDir()}/old.db`)
    db.exec('CREATE TABLE log (id INTEGER PRIMARY KEY, max_ms INTEGER NOT NULL, payload BLOB NOT NULL)')
    fill(db, 20, 19)
    expect(new FreePages(db).step()).toBe(false)
    db.close()
  })
})
