import type Database from 'better-sqlite3'
import { Kysely } from 'kysely'
import { failureOf } from '../database.ts'
import type { ConnectionLock } from '../connection-lock.ts'
import { FactsDialect } from './facts-dialect.ts'
import type { FactsSchema } from './schema.ts'

/** Runs one piece of work on the connection, alone, and names its failures. */
export type RunFacts = <T>(what: string, work: (db: Kysely<FactsSchema>) => Promise<T>) => Promise<T>

export function createRunFacts(database: Database.Database, lock: ConnectionLock): RunFacts {
  const db = new Kysely<FactsSchema>({ dialect: new FactsDialect(database) })
  return async (what, work) => {
    try {
      return await lock.run(() => work(db))
    } catch (thrown) {
      throw failureOf(what, thrown)
    }
  }
}
