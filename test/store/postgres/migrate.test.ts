import Database from 'better-sqlite3'
import { Client } from 'pg'
import { describe, expect, test } from 'vitest'
import { SCHEMA_VERSION, migrate } from '../../../src/store/migrations.ts'
import { openFactsIn } from '../../../src/store/facts/facts.ts'
import type { FactsSchema } from '../../../src/store/facts/schema.ts'
import { NOTHING_REPORTED } from '../../../src/model/process-report.ts'
import { POSTGRES_BASELINE } from '../../../src/store/postgres/baseline.ts'
import { POSTGRES_BASELINE_VERSION } from '../../../src/store/postgres/migrate.ts'
import { POSTGRES_DEFAULTS } from '../../../src/store/postgres/options.ts'
import { openTempFacts, POSTGRES, sharedPostgres } from './temp-postgres.ts'

/** All of them: the compiler says which one is missing. */
const FACTS_TABLES: Readonly<Record<keyof FactsSchema, true>> = {
  ...{ meta: true, token: true, session: true, notification_log: true, delivery: true, alert_state: true },
  ...{ silence: true, acknowledgement: true, audit: true, alert_run: true, alert_change: true },
  ...{ external_alert: true, adoption_day: true, adoption_cube: true, fleet_cluster: true, upgrade: true },
  ...{ version_interval: true, modification: true, decommission: true, accepted_risk: true },
  ...{ configuration_baseline: true, update_graph: true, cluster_values: true },
  ...{ runbook_work: true, runbook_revision: true },
}

const TYPES: Readonly<Record<string, string>> = {
  INTEGER: 'bigint',
  REAL: 'double precision',
  TEXT: 'text',
  BLOB: 'bytea',
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

  test('of the first release becomes the present one, and the release before goes on beside it', async () => {
    const options = await postgres.options()
    await ask(options.url, POSTGRES_BASELINE.join(''))
    await ask(options.url, 'CREATE TABLE daytwo_schema (version bigint NOT NULL, readable_from bigint NOT NULL)')
    const first = POSTGRES_BASELINE_VERSION
    await ask(options.url, `INSERT INTO daytwo_schema VALUES (${first}, ${first})`)
    // As that release writes it, before and after the step.
    const beat = (name: string): string => `
      INSERT INTO process (name, instance, version, roles, started_at_ms, seen, lives_until)
      VALUES ('${name}', '${name}-of-older', '1', 'evaluate', 1, clock_timestamp(), clock_timestamp() + interval '1 minute')
      ON CONFLICT (name) DO UPDATE SET instance = excluded.instance, version = excluded.version, roles = excluded.roles,
        started_at_ms = excluded.started_at_ms, seen = excluded.seen, lives_until = excluded.lives_until
      WHERE process.instance = excluded.instance OR process.started_at_ms <= excluded.started_at_ms
        OR process.lives_until <= clock_timestamp()`
    await ask(options.url, beat('older'))
    const facts = await openTempFacts(options)
    const [schema] = await ask<{ version: number; from: number }>(
      options.url,
      'SELECT version::int, readable_from::int AS from FROM daytwo_schema',
    )
    // That release reads `readable_from`: its own version is not below.
    expect(schema).toEqual({ version: SCHEMA_VERSION, from: first })
    const self = { name: 'newer', instance: 'newer-1', version: '2', roles: ['evaluate'], startedMs: 2 }
    const leases = facts.leasesOf(self)
    await ask(options.url, beat('older'))
    const known = await leases.beat(60_000, NOTHING_REPORTED)
    expect(known?.map(({ name, state, report }) => [name, state, report !== undefined])).toEqual([
      ['newer', 'running', true],
      ['older', 'running', false],
    ])
    // The older one counts the newer one among those that live, and takes its place when it is replaced by it.
    const living = await ask<{ name: string }>(
      options.url,
      'SELECT name, version, roles, started_at_ms FROM process WHERE lives_until > clock_timestamp() ORDER BY name',
    )
    expect(living.map(({ name }) => name)).toEqual(['newer', 'older'])
    await leases.leave(NOTHING_REPORTED)
    await ask(options.url, beat('newer'))
    const other = facts.leasesOf({ ...self, name: 'other', instance: 'other-1' })
    const after = await other.beat(60_000, NOTHING_REPORTED)
    expect(after?.find(({ name }) => name === 'newer')).toMatchObject({ state: 'running', report: undefined })
    await ask(options.url, `DELETE FROM process WHERE instance = 'older-of-older'`)
    expect((await other.beat(60_000, NOTHING_REPORTED))?.map(({ name }) => name)).toEqual(['newer', 'other'])
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
