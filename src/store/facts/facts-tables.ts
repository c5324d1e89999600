import type { Kysely, Transaction } from 'kysely'
import type { FactsSchema } from './schema.ts'

/** Runs one piece of work exclusively on the connection; reports its failures as `what`. */
export type RunFacts = <T>(what: string, work: (db: Kysely<FactsSchema>) => Promise<T>) => Promise<T>

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
}
