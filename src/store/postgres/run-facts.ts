import { Kysely, PostgresDialect } from 'kysely'
import type { RunFacts } from '../facts/facts-tables.ts'
import type { FactsSchema } from '../facts/schema.ts'
import { PostgresFailure, postgresFailureOf } from './failures.ts'
import { migratePostgres } from './migrate.ts'
import type { PostgresOptions } from './options.ts'
import { createPool } from './pool.ts'

/** How often work is tried: enough for a lost connection. When PostgreSQL is down the caller gets the error at once. */
const ATTEMPTS_MAX = 3

export interface PostgresFacts {
  readonly run: RunFacts
  close(): Promise<void>
}

/** Connects, and brings the schema up to date. Throws FleetError. */
export async function openPostgres(options: PostgresOptions): Promise<PostgresFacts> {
  const db = new Kysely<FactsSchema>({ dialect: new PostgresDialect({ pool: await createPool(options) }) })
  const run: RunFacts = (what, work) => repeating(what, () => work(db))
  try {
    await repeating(`opening ${options.url}`, () => migratePostgres(db as unknown as Kysely<never>, options.url))
    return { run, close: () => db.destroy() }
  } catch (thrown) {
    await db.destroy()
    throw thrown
  }
}

/**
 * Runs work again that a lost connection or a deadlock undid. Work is a transaction, or writes the same when it is repeated.
 * Work of which the COMMIT has no answer is not repeated.
 */
export async function repeating<T>(what: string, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (thrown) {
      if (!(thrown instanceof PostgresFailure) || !thrown.isRepeatable || attempt === ATTEMPTS_MAX) {
        throw postgresFailureOf(what, thrown)
      }
    }
  }
}
