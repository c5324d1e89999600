import { sql, type Kysely, type Transaction } from 'kysely'
import { FleetError } from '../../base/errors.ts'
import { SCHEMA_VERSION, STEPS, versionOfStep } from '../migrations.ts'
import { POSTGRES_BASELINE } from './baseline.ts'

/** The version of the schema that `POSTGRES_BASELINE` makes: that of the first release with PostgreSQL. */
export const POSTGRES_BASELINE_VERSION = 32

/**
 * The oldest version of this program's schema that can work with what this program makes: that of the release before. Two
 * releases run side by side while processes are replaced, so a step only adds (tables, columns with a default); what a
 * release stops using is removed by the release after the next.
 */
const READABLE_FROM = POSTGRES_BASELINE_VERSION

const SERVER_VERSION_MIN = 150_000

/** One process at a time. The first number is Daytwo's, the second what is locked. */
const LOCK = sql`SELECT pg_advisory_xact_lock(1144149079, 1)`

interface Schema {
  /** Of the newest program that changed the schema. */
  readonly version: number
  /** The oldest program that can work with it. */
  readonly readable_from: number
}

/**
 * Creates the schema in an empty database, and runs the missing steps, in one transaction: several processes may start at
 * one moment. Throws FleetError `data_dir_too_new` or `storage_failed`, and failures of the connection.
 * @param place for messages
 */
export async function migratePostgres(db: Kysely<never>, place: string): Promise<void> {
  const found = await schemaOf(db)
  if (found !== undefined && isCurrent(found, place)) return
  await db.transaction().execute(async (transaction) => {
    // Waiting for another process that migrates is no slow statement.
    await sql`SET LOCAL statement_timeout = 0`.execute(transaction)
    await LOCK.execute(transaction)
    const schema = await schemaOf(transaction)
    if (schema === undefined) await createSchema(transaction, place)
    else if (isCurrent(schema, place)) return
    const version = schema?.version ?? POSTGRES_BASELINE_VERSION
    for (const [i, step] of STEPS.entries()) {
      if (versionOfStep(i) <= version || typeof step === 'string') continue
      await sql.raw(step.postgres).execute(transaction)
    }
    await sql`DELETE FROM daytwo_schema`.execute(transaction)
    await sql`INSERT INTO daytwo_schema VALUES (${SCHEMA_VERSION}, ${READABLE_FROM})`.execute(transaction)
  })
}

async function createSchema(db: Transaction<never>, place: string): Promise<void> {
  const { rows } = await sql<{ version: number; encoding: string }>`
    SELECT current_setting('server_version_num')::bigint AS version, current_setting('server_encoding') AS encoding
  `.execute(db)
  const { version = 0, encoding = '' } = rows[0] ?? {}
  if (version < SERVER_VERSION_MIN || encoding !== 'UTF8') {
    throw new FleetError(
      'storage_failed',
      `${place} is PostgreSQL ${Math.floor(version / 10_000)} with encoding ${encoding}, want 15 or later with UTF8`,
      { hint: 'create the database with encoding UTF8 on a server of version 15 or later' },
    )
  }
  await sql`CREATE TABLE daytwo_schema (version bigint NOT NULL, readable_from bigint NOT NULL)`.execute(db)
  for (const tables of POSTGRES_BASELINE) await sql.raw(tables).execute(db)
}

async function schemaOf(db: Kysely<never>): Promise<Schema | undefined> {
  // By a scan: a name that was looked up before another process made the table may stay unknown.
  const { rows } = await sql<{ is_there: boolean }>`
    SELECT EXISTS (
      SELECT 1 FROM pg_tables WHERE tablename = 'daytwo_schema' AND schemaname = current_schema()
    ) AS is_there
  `.execute(db)
  if (rows[0]?.is_there !== true) return undefined
  return (await sql<Schema>`SELECT version, readable_from FROM daytwo_schema`.execute(db)).rows[0]
}

/** True when there is nothing to do. */
function isCurrent({ version, readable_from: readableFrom }: Schema, place: string): boolean {
  if (readableFrom > SCHEMA_VERSION) {
    throw new FleetError(
      'data_dir_too_new',
      `${place} has schema version ${version}, which programs of ${readableFrom} and later read; this one knows ${SCHEMA_VERSION}`,
      { hint: 'start the newer daytwo; two neighbouring releases may share a database, others may not' },
    )
  }
  return version >= SCHEMA_VERSION
}
