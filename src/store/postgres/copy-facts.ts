import type Database from 'better-sqlite3'
import { sql, type Kysely, type Transaction } from 'kysely'
import { FleetError } from '../../base/errors.ts'
import { ownValue } from '../../base/own-value.ts'
import { asFailure } from '../database.ts'
import { insertBatches } from '../facts/row-values.ts'
import type { FactsSchema } from '../facts/schema.ts'
import type { PostgresOptions } from './options.ts'
import { openPostgres } from './run-facts.ts'

/**
 * Copies the facts of a data directory to PostgreSQL: all of them as of one moment, in one transaction that takes the place of an
 * earlier copy. So a copy is there as a whole or not at all, whenever either side ends, and a later one has what changed since.
 */

/** All tables of facts but `meta`, each with the column by which its rows are read in portions, in their order. */
const TABLES = {
  token: ['id'],
  session: ['id'],
  silence: ['id'],
  acknowledgement: ['fingerprint', 'active_at_ms'],
  alert_state: ['group_key', 'position'],
  alert_run: ['fingerprint', 'active_at_ms'],
  alert_change: ['position'],
  external_alert: ['fingerprint'],
  notification_log: ['key'],
  delivery: ['id'],
  audit: ['id'],
  adoption_day: ['day'],
  adoption_cube: ['operator', 'day'],
  fleet_cluster: ['cluster'],
  upgrade: ['id'],
  version_interval: ['cluster', 'operator', 'from_ms', 'version'],
  modification: ['id'],
  cluster_values: ['cluster'],
  decommission: ['id'],
  accepted_risk: ['id', 'cluster'],
  update_graph: ['name'],
  configuration_baseline: ['id'],
  runbook_work: ['fingerprint', 'active_at_ms', 'number'],
  runbook_revision: ['runbook', 'from_ms'],
} as const satisfies { readonly [T in Exclude<keyof FactsSchema, 'meta'>]: readonly (keyof FactsSchema[T])[] }

type FactsTable = keyof typeof TABLES

const NAMES = Object.keys(TABLES) as readonly FactsTable[]
/** Of `meta`: other entries are about the directory itself, or numbers of its changes. */
const COPIED_META = ['audit.anchor']
/** The entry of `meta` with the directory that was copied. */
const SOURCE_KEY = 'migration.source'
/** The numbers of rows that are added later are above those of copied rows. */
const NUMBERED = { token: 'id', delivery: 'id' } as const

export interface CopiedFacts {
  /** All that was stored until then. */
  readonly atMs: number
  readonly rows: ReadonlyMap<string, number>
}

export interface FactsCopy {
  /** For reading; the caller closes it. */
  readonly source: Database.Database
  readonly target: PostgresOptions
  /** The random id of the directory. */
  readonly sourceId: string
  readonly nowMs: () => number
  readonly onProgress: (copied: number, total: number) => void
}

/** The name of the process that compares answers after a copy. */
export const COMPARING_PROCESS = 'daytwo migrate'

/** Removes what comparing left: a process that has ended, and its empty data directory. Throws FleetError. */
export async function forgetComparing(target: PostgresOptions, sourceId: string): Promise<void> {
  const postgres = await openPostgres(target)
  try {
    await postgres.run('removing a process', (db) =>
      db.transaction().execute(async (transaction) => {
        await sql`DELETE FROM process WHERE name = ${COMPARING_PROCESS}`.execute(transaction)
        await sql`DELETE FROM collector WHERE key = ${sourceId}`.execute(transaction)
        await transaction.deleteFrom('meta').where('key', '=', `fleet.position ${COMPARING_PROCESS}`).execute()
      }),
    )
  } finally {
    await postgres.close()
  }
}

/** Throws FleetError, `config_invalid` when the database has facts of its own, or is in use. Nothing is changed then. */
export async function copyFacts({ source, target, sourceId, nowMs, onProgress }: FactsCopy): Promise<CopiedFacts> {
  const postgres = await openPostgres(target)
  try {
    return await postgres.run('copying facts', (db) =>
      db.transaction().execute(async (transaction) => {
        await checkTarget(transaction, sourceId, target.url)
        return copyAll(source, transaction, sourceId, nowMs, onProgress)
      }),
    )
  } finally {
    await postgres.close()
  }
}

async function copyAll(
  source: Database.Database,
  into: Transaction<FactsSchema>,
  sourceId: string,
  nowMs: () => number,
  onProgress: (copied: number, total: number) => void,
): Promise<CopiedFacts> {
  // The snapshot begins with the first read.
  source.exec('BEGIN')
  try {
    const counts = new Map(NAMES.map((name) => [name, countOf(source, name)]))
    const atMs = nowMs()
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
    let copied = 0
    for (const name of NAMES) {
      await into.deleteFrom(name).execute()
      for (const rows of portionsOf(source, name)) {
        for (const batch of insertBatches(rows)) await insert(into, name, batch)
        onProgress((copied += rows.length), total)
      }
    }
    await copyMeta(source, into, sourceId)
    await raiseNumbers(into)
    return { atMs, rows: counts }
  } finally {
    source.exec('COMMIT')
  }
}

/** Some thousand rows, or less of a table with long ones. */
const PORTION = 2000

type Row = Readonly<Record<string, unknown>>

function* portionsOf(source: Database.Database, table: FactsTable): Generator<readonly Row[]> {
  const keys: readonly string[] = TABLES[table]
  const list = keys.map((key) => `"${key}"`).join(', ')
  const after = source.prepare<unknown[], Row>(
    `SELECT * FROM ${table} WHERE (${list}) > (${keys.map(() => '?').join(', ')}) ORDER BY ${list} LIMIT ${PORTION}`,
  )
  const first = source.prepare<[], Row>(`SELECT * FROM ${table} ORDER BY ${list} LIMIT ${PORTION}`)
  for (let rows = read(() => first.all()); rows.length > 0;) {
    yield rows
    const last = rows.at(-1)!
    rows = read(() => after.all(...keys.map((key) => ownValue(last, key))))
  }
}

const read = <T>(work: () => T): T => asFailure('reading facts', work)

function countOf(source: Database.Database, table: FactsTable): number {
  return read(() => source.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0)
}

/** Kysely's types name the columns of one table; these are of any. */
type AnySchema = Readonly<Record<string, Row>>

async function insert(into: Kysely<FactsSchema>, table: string, rows: readonly Row[]): Promise<void> {
  await (into as unknown as Kysely<AnySchema>).insertInto(table).values(rows).execute()
}

async function copyMeta(source: Database.Database, into: Transaction<FactsSchema>, sourceId: string): Promise<void> {
  await into.deleteFrom('meta').execute()
  const find = source.prepare<[string], string>('SELECT value FROM meta WHERE key = ?').pluck()
  const rows = COPIED_META.flatMap((key) => {
    const value = read(() => find.get(key))
    return value === undefined ? [] : [{ key, value }]
  })
  await into
    .insertInto('meta')
    .values([...rows, { key: SOURCE_KEY, value: sourceId }])
    .execute()
}

async function raiseNumbers(into: Transaction<FactsSchema>): Promise<void> {
  for (const [table, column] of Object.entries(NUMBERED)) {
    await sql`SELECT setval(pg_get_serial_sequence(${table}, ${column}),
      greatest(1, (SELECT coalesce(max(id), 0) + 1 FROM ${sql.table(table)})), false)`.execute(into)
  }
  await sql`SELECT setval('alert_change_position',
    greatest(1, (SELECT coalesce(max(position), 0) + 1 FROM alert_change)), false)`.execute(into)
  // An audit of which all entries expired goes on after its anchor.
  await sql`UPDATE audit_last SET id = greatest((SELECT coalesce(max(id), 0) FROM audit),
    (SELECT coalesce(max((value::json ->> 'id')::bigint), 0) FROM meta WHERE key = 'audit.anchor'))`.execute(into)
}

/** A database that is empty, or has an earlier copy of the same directory that no process has worked on. */
async function checkTarget(db: Transaction<FactsSchema>, sourceId: string, url: string): Promise<void> {
  // Another copy at the same time waits.
  await sql`LOCK TABLE audit_last IN EXCLUSIVE MODE`.execute(db)
  const live = await sql<{ name: string }>`
    SELECT name FROM process WHERE lives_until > clock_timestamp() AND name <> ${COMPARING_PROCESS} ORDER BY 1`.execute(
    db,
  )
  if (live.rows.length > 0) {
    const names = live.rows.map(({ name }) => name).join(', ')
    throw refused(`${url} is used by the processes ${names}`, 'stop them: the copy takes the place of what they stored')
  }
  const meta = await db.selectFrom('meta').selectAll().execute()
  const isDerived = (key: string): boolean => key.startsWith('fleet.position') && !key.endsWith(` ${COMPARING_PROCESS}`)
  if (meta.some(({ key }) => isDerived(key))) {
    throw refused(
      `${url} has facts that servers have stored since the migration, or without one`,
      'a migration ends when the first server uses the database; to repeat it, create an empty database',
    )
  }
  const marked = meta.find(({ key }) => key === SOURCE_KEY)?.value
  if (marked === sourceId) return
  for (const table of NAMES) {
    const { rows } = await sql`SELECT 1 FROM ${sql.table(table)} LIMIT 1`.execute(db)
    if (rows.length > 0) throw refused(`${url} has facts of another data directory`, 'create an empty database')
  }
}

function refused(message: string, hint: string): FleetError {
  return new FleetError('config_invalid', message, { hint })
}
