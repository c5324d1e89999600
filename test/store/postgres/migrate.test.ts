import Database from 'better-sqlite3'
import { Client } from 'pg'
import { describe, expect, test } from 'vitest'
import { SCHEMA_VERSION, migrate } from '../../../src/store/migrations.ts'
import { openFactsIn } from '../../../src/store/facts/facts.ts'
import type { FactsSchema } from '../../../src/store/facts/schema.ts'
import { POSTGRES_DEFAULTS } from '../../../src/store/postgres/options.ts'
import { openTempFacts, POSTGRES, sharedPostgres } from './temp-postgres.ts'

/** All of them: the compiler says which one is missing. */
const FACTS_TABLES: Readonly<Record<keyof FactsSchema, true>> = {
  ...{ meta: true, token: true, session: true, notification_log: true, delivery: true, alert_state: true },
  ...{ silence: true, acknowledgement: true, audit: true, alert_run: true, alert_change: true },
  ...{ external_alert: true, adoption_day: true, adoption_cube: true, fleet_cluster: true, upgrade: true },
  ...{ version_interval: true, modification: true, decommission: true, accepted_risk: true },
}

const TYPES: Readonly<Record<string, string>> = {
  INTEGER: 'bigint',
  REAL: 'double precision',
  TEXT: 'text',
}

describe.skipIf(POSTGRES === undefined)('the schema in PostgreSQL', () => {
  const postgres = sharedPostgres()

  async function ask<R extends object>(url: string, text: string): Promise<R[]> {
    const client = new Client(url)
    await client.connect()
    try {
      return (await client.query<R>(text)).rows
    } finally {
      await client.end()
    }
  }

  test('has the tables of facts with the columns, keys and indexes that SQLite has', async () => {
    const options = await postgres.options()
    await openTempFacts(options)
    const tables = Object.keys(FACTS_TABLES)
    const list = tables.map((table) => `'${table}'`).join(', ')
    const columns = await ask<{ line: string }>(
      options.url,
      `SELECT concat_ws(' ', table_name, column_name, data_type, is_nullable) AS line
         FROM information_schema.columns WHERE table_schema = 'public' AND table_name IN (${list})`,
    )
    const sqlite = new Database(':memory:')
    migrate(sqlite, 'memory')
    const wanted = tables.flatMap((table) =>
      (sqlite.pragma(`table_info(${table})`) as { name: string; type: string; notnull: number; pk: number }[]).map(
        ({ name, type, notnull, pk }) => `${table} ${name} ${TYPES[type]!} ${notnull || pk > 0 ? 'NO' : 'YES'}`,
      ),
    )
    expect(columns.map(({ line }) => line).sort()).toEqual(wanted.sort())
    const indexes = await ask<{ name: string }>(
      options.url,
      `SELECT indexname AS name FROM pg_indexes WHERE tablename IN (${list})
         AND indexname NOT LIKE '%_pkey' AND indexname NOT LIKE '%_key' ORDER BY 1`,
    )
    const named = sqlite
      .prepare<[], string>(
        `SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL AND tbl_name IN (${list}) ORDER BY name`,
      )
      .pluck()
      .all()
    expect(indexes.map(({ name }) => name)).toEqual(named)
  })

  test('is made once by several servers that start at one moment', async () => {
    const options = await postgres.options()
    const all = await Promise.all([1, 2, 3, 4].map(() => openTempFacts(options)))
    await all[0]!.meta.set('a', 'b')
    expect(await all[3]!.meta.get('a')).toBe('b')
    expect(await ask(options.url, 'SELECT version::int FROM daytwo_schema')).toEqual([{ version: SCHEMA_VERSION }])
  })

  test('of a later release is used while that release allows it, and refused afterwards', async () => {
    const options = await postgres.options()
    await (await openFactsIn(options)).close()
    await ask(
      options.url,
      `UPDATE daytwo_schema SET version = ${SCHEMA_VERSION + 3}, readable_from = ${SCHEMA_VERSION}`,
    )
    await (await openFactsIn(options)).close()
    expect(await ask(options.url, 'SELECT version::int FROM daytwo_schema')).toEqual([{ version: SCHEMA_VERSION + 3 }])
    await ask(options.url, `UPDATE daytwo_schema SET readable_from = ${SCHEMA_VERSION + 1}`)
    await expect(openFactsIn(options)).rejects.toMatchObject({
      code: 'data_dir_too_new',
      message: expect.stringContaining(`schema version ${SCHEMA_VERSION + 3}, which programs of`) as string,
    })
  })

  test('is refused in a database of another program, or with another encoding, and nothing is left', async () => {
    const options = await postgres.options()
    await ask(options.url, 'CREATE TABLE session (id int)')
    await expect(openFactsIn(options)).rejects.toMatchObject({
      code: 'storage_failed',
      hint: 'give Daytwo a database of its own',
    })
    expect(await ask(options.url, `SELECT to_regclass('meta') AS meta`)).toEqual([{ meta: null }])
    const url = options.url.replace(/[^/]*$/, 'latin')
    await ask(options.url, `CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`)
    await expect(openFactsIn({ ...POSTGRES_DEFAULTS, url })).rejects.toMatchObject({
      code: 'storage_failed',
      message: expect.stringMatching(/is PostgreSQL 1[5-9] with encoding LATIN1, want 15 or later with UTF8/) as string,
    })
  })
})
