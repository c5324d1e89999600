import type Database from 'better-sqlite3'
import { afterEach, describe } from 'vitest'
import { Client } from 'pg'
import { openDatabase, openDatabaseForReading } from '../../../src/store/database.ts'
import { openFactsForReading, type Facts } from '../../../src/store/facts/facts.ts'
import type { PostgresOptions } from '../../../src/store/postgres/options.ts'
import { openTempFacts, POSTGRES, sharedPostgres } from '../postgres/temp-postgres.ts'
import { TempStore } from '../temp-store.ts'

/** New, empty facts of one test, in one of the two databases. */
export interface TestFacts extends Facts {
  /** The same facts after a restart. */
  reopened(): Promise<Facts>
  /** As another thread or process reads them. */
  besides(): Promise<Pick<Facts, 'alertRuns' | 'fleet' | 'meta'>>
  /** Another value after each commit that wrote something. */
  commits(): Promise<unknown>
  /** Changes rows as somebody would who has the database. */
  tamper(change: string): Promise<void>
}

type OpenTestFacts = () => Promise<TestFacts>

/** The tests of facts, in SQLite and in PostgreSQL. */
export function describeInBoth(title: string, tests: (open: OpenTestFacts, database: 'SQLite' | 'PostgreSQL') => void) {
  describe(`${title} in SQLite`, () => {
    tests(() => Promise.resolve(inSqlite()), 'SQLite')
  })
  describe.skipIf(POSTGRES === undefined)(`${title} in PostgreSQL`, () => {
    const postgres = sharedPostgres()
    tests(async () => inPostgres(await postgres.options()), 'PostgreSQL')
  })
}

const closing: (() => void)[] = []

afterEach(() => {
  for (const close of closing.splice(0)) close()
})

function inSqlite(): TestFacts {
  const store = new TempStore()
  const { dir } = store.options
  let other: Database.Database | undefined
  closing.push(() => other?.close())
  return {
    ...store.writer.facts,
    reopened: async () => {
      await store.reopen()
      return store.writer.facts
    },
    besides: () => {
      const reader = openFactsForReading(dir)
      closing.push(() => {
        reader.close()
      })
      return Promise.resolve(reader as Facts & typeof reader)
    },
    commits: () => {
      other ??= openDatabaseForReading(dir)
      return Promise.resolve(other.pragma('data_version', { simple: true }))
    },
    tamper: (change) => {
      const database = openDatabase(dir)
      database.exec(change)
      database.close()
      return Promise.resolve()
    },
  }
}

async function inPostgres(options: PostgresOptions): Promise<TestFacts> {
  const ask = async (text: string): Promise<{ next?: unknown }[]> => {
    const client = new Client(options.url)
    await client.connect()
    const { rows } = await client.query<{ next?: unknown }>(text)
    await client.end()
    return rows
  }
  return {
    ...(await openTempFacts(options)),
    reopened: () => openTempFacts(options),
    besides: () => openTempFacts(options),
    commits: async () => (await ask('SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS next'))[0]?.next,
    tamper: async (change) => {
      await ask(change)
    },
  }
}
