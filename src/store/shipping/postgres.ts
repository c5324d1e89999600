import type { SharedPool } from '../postgres/pool.ts'

/** Statements of PostgreSQL without Kysely: many rows at once, as one list per column. */

export interface Connection {
  query<R>(text: string, values?: readonly unknown[]): Promise<readonly R[]>
}

/** Runs `work` on one connection. Throws `PostgresFailure`. */
export async function onConnection<T>(pool: SharedPool, work: (connection: Connection) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    return await work({
      query: async <R>(text: string, values: readonly unknown[] = []) => (await client.query<R>(text, values)).rows,
    })
  } finally {
    client.release()
  }
}

/** Runs `work` in one transaction. Throws `PostgresFailure`. */
export function inPostgres<T>(
  pool: SharedPool,
  work: (connection: Connection) => Promise<T>,
  start = 'START TRANSACTION',
): Promise<T> {
  return onConnection(pool, async (connection) => {
    await connection.query(start)
    try {
      const result = await work(connection)
      await connection.query('commit')
      return result
    } catch (thrown) {
      // A connection that is lost has no transaction any more.
      await connection.query('rollback').catch(() => undefined)
      throw thrown
    }
  })
}

/** All statements of `work` see the same moment. */
export function readingPostgres<T>(pool: SharedPool, work: (connection: Connection) => Promise<T>): Promise<T> {
  return inPostgres(pool, work, 'START TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY')
}

/** The lists of a multi-row statement: one per column. `undefined` becomes NULL. */
export function columnsOf<R>(rows: readonly R[], ...columns: readonly (keyof R)[]): readonly unknown[][] {
  return columns.map((column) => rows.map((row) => row[column] ?? null))
}

/** Daytwo's number, and the number of what is locked (the others: store/postgres/). */
const POSITION_LOCK = 'SELECT pg_advisory_xact_lock(1144149079, 4)'

/** Call last in a transaction, before positions are taken: until it ends, nobody else takes any. */
export async function lockPositions(connection: Connection): Promise<void> {
  await connection.query(POSITION_LOCK)
}
