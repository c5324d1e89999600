/** Values of columns that contain texts or JSON. Only this folder writes these columns. */
import { PostgresAdapter, sql, type Kysely, type Selectable } from 'kysely'
import { invariant } from '../../base/invariant.ts'
import { Labels } from '../../model/labels.ts'
import type { NotificationLogEntry } from '../../model/notification-log.ts'
import type { FactsSchema, NotificationLogTable } from './schema.ts'

/** Databases limit the number of parameters of one statement. */
const ROWS_PER_INSERT = 500

/** Rows as several INSERTs take them. */
export function insertBatches<R>(rows: readonly R[]): readonly (readonly R[])[] {
  const count = Math.ceil(rows.length / ROWS_PER_INSERT)
  return Array.from({ length: count }, (_, i) => rows.slice(i * ROWS_PER_INSERT, (i + 1) * ROWS_PER_INSERT))
}

/** The right side of `in` for a list of any length, as one parameter. */
export function listed(db: Kysely<FactsSchema>, values: readonly string[]) {
  if (isPostgres(db)) return sql<string>`(SELECT unnest(${values}::text[]))`
  return sql<string>`(SELECT value FROM json_each(${JSON.stringify(values)}))`
}

export function isPostgres(db: Kysely<FactsSchema>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}

/** Of those who move the start of the audit. 1, 3, 4 and 5 are in `store/postgres/` and `store/shipping/`. */
export const AUDIT_TURN = 2
/** Of those who number entries of work on alerts. */
export const WORK_TURN = 6
/** Of those who end decommissions, acceptances of risks, and silences. */
export const ENDS_TURN = 7

/** Waits until no other transaction has this turn, and keeps it until the end of this one. SQLite has one writer anyway. */
export async function inTurn(db: Kysely<FactsSchema>, turn: number): Promise<void> {
  if (isPostgres(db)) await sql`SELECT pg_advisory_xact_lock(1144149079, ${turn})`.execute(db)
}

/** A text that is one of these. */
export function oneOf<T extends string>(values: readonly T[], text: string): T {
  const value = values.find((known) => known === text)
  invariant(value !== undefined, 'only known values are written')
  return value
}

export function textsOf(json: string): readonly string[] {
  return JSON.parse(json) as string[]
}

/** Written as `JSON.stringify(labels.flat)`. */
export function labelsOf(json: string): Labels {
  return Labels.fromFlat(textsOf(json))
}

export function annotationsOf(json: string): Readonly<Record<string, string>> {
  return JSON.parse(json) as Record<string, string>
}

export function logEntryOf(row: Selectable<NotificationLogTable>): NotificationLogEntry {
  const { key, at_ms: atMs, firing, resolved, expires_at_ms: expiresAtMs } = row
  return { key, atMs, firing: textsOf(firing), resolved: textsOf(resolved), expiresAtMs }
}
