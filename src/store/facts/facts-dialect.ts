import type Database from 'better-sqlite3'
import { SqliteDialect, SqliteDriver, type DatabaseConnection } from 'kysely'

/** SQLite over one connection of better-sqlite3; a failed transaction reports the cause of the failure. */
export class FactsDialect extends SqliteDialect {
  readonly #database: Database.Database

  constructor(database: Database.Database) {
    super({ database })
    this.#database = database
  }

  override createDriver(): SqliteDriver {
    return new FactsDriver(this.#database)
  }
}

/**
 * After some failures, a full disk among them, SQLite has rolled back by itself: there is nothing left to roll back, and
 * the complaint about that would take the place of the failure.
 *
 * https://www.sqlite.org/lang_transaction.html, "Response to errors within a transaction"
 */
class FactsDriver extends SqliteDriver {
  readonly #database: Database.Database

  constructor(database: Database.Database) {
    super({ database })
    this.#database = database
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#database.inTransaction) await super.rollbackTransaction(connection)
  }
}
