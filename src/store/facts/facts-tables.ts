import type Database from 'better-sqlite3'
import {
  Kysely,
  SqliteDialect,
  SqliteDriver,
  type DatabaseConnection,
  type SqliteDatabase,
  type SqliteStatement,
  type Transaction,
} from 'kysely'
import type { ConnectionLock } from '../connection-lock.ts'
import { failureOf } from '../database.ts'
import type { FactsSchema } from './schema.ts'

/**
 * Runs one piece of work: in SQLite exclusively on the connection, in PostgreSQL on one of several and, after a lost
 * connection, again. Reports its failures as `what`.
 */
export type RunFacts = <T>(what: string, work: (db: Kysely<FactsSchema>) => Promise<T>) => Promise<T>

/** Kysely over a shared connection of better-sqlite3. */
export function createRunFacts(database: Database.Database, lock: ConnectionLock): RunFacts {
  const dialect = new SqliteDialect({ database })
  const db = new Kysely<FactsSchema>({
    dialect: Object.assign(dialect, { createDriver: () => new FactsDriver(database) }),
  })
  return async (what, work) => {
    try {
      return await lock.run(() => work(db))
    } catch (thrown) {
      throw failureOf(what, thrown)
    }
  }
}

/** Limit for prepared statements: lists of values make many texts. */
const STATEMENTS_MAX = 200

/** A database that prepares each text once. Kysely prepares at each query, which takes longer than most of its queries. */
function withStatements(database: Database.Database): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>()
  return {
    close: () => {
      database.close()
    },
    prepare: (text) => {
      let statement = statements.get(text)
      if (statement !== undefined) return statement
      statement = database.prepare(text)
      if (statements.size >= STATEMENTS_MAX) statements.clear()
      statements.set(text, statement)
      return statement
    },
  }
}

/**
 * A failed transaction reports the cause of the failure. After some failures, a full disk among them, SQLite has rolled
 * back by itself: there is nothing left to roll back, and the complaint about that would take the place of the failure.
 *
 * https://www.sqlite.org/lang_transaction.html, "Response to errors within a transaction"
 */
class FactsDriver extends SqliteDriver {
  readonly #database: Database.Database

  constructor(database: Database.Database) {
    super({ database: withStatements(database) })
    this.#database = database
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.inTransaction) await super.rollbackTransaction(connection)
  }
}

/** Access of one kind of facts to its tables. */
export abstract class FactsTables {
  protected readonly run: RunFacts

  constructor(run: RunFacts) {
    this.run = run
  }

  /** As `run`, in one transaction: durable when it resolves. */
  protected transact<T>(what: string, work: (transaction: Transaction<FactsSchema>) => Promise<T>): Promise<T> {
    return this.run(what, (db) => db.transaction().execute(work))
  }

  /** As `transact`: all its reads see the same moment, as they always do in SQLite. */
  protected transactAtOneMoment<T>(
    what: string,
    work: (transaction: Transaction<FactsSchema>) => Promise<T>,
  ): Promise<T> {
    return this.run(what, (db) => db.transaction().setIsolationLevel('repeatable read').execute(work))
  }
}
