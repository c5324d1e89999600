import type Database from 'better-sqlite3'
import { isDamage } from './database.ts'

/** A connection, so that a class can prepare its statements where it declares them. */
export abstract class Statements {
  protected readonly db: Database.Database
  readonly #begin: Database.Statement
  readonly #commit: Database.Statement

  constructor(db: Database.Database) {
    this.db = db
    this.#begin = db.prepare('BEGIN')
    this.#commit = db.prepare('COMMIT')
  }

  /** Runs `work`, which only reads, in one transaction: all its reads see the same moment. */
  protected atomically<T>(work: () => T): T {
    if (this.db.inTransaction) return work()
    this.#begin.run()
    let result: T
    try {
      result = work()
    } catch (thrown) {
      this.#end()
      throw thrown
    }
    this.#end()
    return result
  }

  #end(): void {
    try {
      this.#commit.run()
    } catch (thrown) {
      // After a read of a broken page the end of the transaction reports it again, and has ended it all the same.
      if (!isDamage(thrown)) throw thrown
    }
  }
}
