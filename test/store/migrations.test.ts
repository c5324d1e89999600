import type Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { openDatabase } from '../../src/store/database.ts'
import { SCHEMA_VERSION, versionOf } from '../../src/store/migrations.ts'
import { unpackStoredData } from '../support/stored-data.ts'
import { makeOlder } from './older-schema.ts'
import { tempDir } from './temp-store.ts'

// A file of every schema since the first release becomes one of the present, and keeps every row. The file of the baseline
// is one that the program of then wrote; those between are made from it.

const BASELINE = 21

/** Columns that a schema before a version does not have: their values are lost on the way back to it. */
const SINCE: Readonly<Record<number, readonly string[]>> = {
  22: ['object_state.seen_ms'],
  23: ['external_alert.sender'],
  24: ['observed_cluster.joined'],
  25: ['log.checksum', 'head_part.checksum', 'series_batch.checksum', 'series_state.checksum'],
}

function tablesOf(db: Database.Database): readonly string[] {
  return db
    .prepare<[], string>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`,
    )
    .pluck()
    .all()
}

/** Tables with their columns, and indexes with their texts. The order of columns differs between ways to a schema. */
function schemaOf(db: Database.Database): unknown {
  const columns = tablesOf(db).map((table) => {
    const all = db.pragma(`table_info(${table})`) as {
      name: string
      type: string
      notnull: number
      dflt_value: string
    }[]
    return [table, all.map((one) => `${one.name} ${one.type} ${one.notnull} ${one.dflt_value}`).sort()]
  })
  const indexes = db
    .prepare(`SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY sql`)
    .pluck()
  return { columns, indexes: indexes.all() }
}

/** All rows of all tables, without some columns. */
function rowsOf(db: Database.Database, without: readonly string[]): Record<string, readonly unknown[]> {
  const rows = tablesOf(db).map((table) => {
    const columns = (db.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name).sort()
    const kept = columns.filter((column) => !without.includes(`${table}.${column}`))
    const list = kept.map((column) => `"${column}"`).join(', ')
    const rows = db.prepare<[], unknown[]>(`SELECT ${list} FROM ${table} ORDER BY ${list}`).safeIntegers().raw().all()
    // Drawn when the table that needs it is made.
    return [table, table === 'meta' ? rows.filter(([key]) => key !== 'cold.key') : rows]
  })
  return Object.fromEntries(rows) as Record<string, readonly unknown[]>
}

const versions = Array.from({ length: SCHEMA_VERSION - BASELINE }, (_, i) => BASELINE + i)

test.each(versions)('schema %i becomes the present one, and every row stays', (version) => {
  const dir = tempDir()
  unpackStoredData(dir)
  const direct = openDatabase(dir)
  expect(versionOf(direct)).toBe(SCHEMA_VERSION)
  // Not yet there at the version, or claimed anew after it.
  const lost = Object.entries(SINCE).flatMap(([since, columns]) => (Number(since) > version ? columns : []))
  const before = rowsOf(direct, lost)
  expect(before['pack']!.length).toBeGreaterThan(0)
  if (version < 24) delete before['cluster_claim']
  makeOlder(direct, version)
  direct.close()

  const db = openDatabase(dir)
  expect(versionOf(db)).toBe(SCHEMA_VERSION)
  const after = rowsOf(db, lost)
  if (version < 24) delete after['cluster_claim']
  expect(after).toEqual(before)
  expect(db.prepare("SELECT length(value) FROM meta WHERE key = 'cold.key'").pluck().get()).toBe(32)
  const fresh = openDatabase(tempDir())
  expect(schemaOf(db)).toEqual(schemaOf(fresh))
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
  fresh.close()
  db.close()
})
