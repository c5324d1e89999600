import type Database from 'better-sqlite3'

/** A connection, so that a class can prepare its statements where it declares them. */
export abstract class Statements {
  protected readonly db: Database.Database
  /** Runs `work` in one transaction: all its reads see the same moment. */
  protected readonly atomically: <T>(work: () => T) => T

  constructor(db: Database.Database) {
    this.db = db
    this.atomically = db.transaction((work: () => unknown) => work()) as <T>(work: () => T) => T
  }
}
