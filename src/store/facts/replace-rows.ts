import { sql, type Insertable, type Kysely } from 'kysely'
import { ownValue } from '../../base/own-value.ts'
import { insertBatches } from './row-values.ts'
import type { FactsSchema } from './schema.ts'

/** The columns by which a row takes the place of another. */
const KEYS = {
  meta: ['key'],
  silence: ['id'],
  acknowledgement: ['fingerprint', 'active_at_ms'],
  external_alert: ['fingerprint'],
  notification_log: ['key'],
  adoption_day: ['day'],
  fleet_cluster: ['cluster'],
  upgrade: ['id'],
  version_interval: ['cluster', 'operator', 'from_ms', 'version'],
  modification: ['id'],
  cluster_values: ['cluster'],
  decommission: ['id'],
  accepted_risk: ['id', 'cluster'],
  configuration_baseline: ['id'],
  update_graph: ['name'],
} as const satisfies { readonly [T in keyof FactsSchema]?: readonly (keyof FactsSchema[T])[] }

/** Kysely's types name the columns of one table; these are of any. */
type AnyRow = Readonly<Record<string, unknown>>
type AnySchema = Readonly<Record<string, AnyRow>>

/** Adds rows, or replaces those of the same key. Of rows with one key the last counts. */
export async function replaceRows<T extends keyof typeof KEYS>(
  db: Kysely<FactsSchema>,
  table: T,
  rows: readonly Insertable<FactsSchema[T]>[],
): Promise<void> {
  const name: string = table
  const keys: readonly string[] = KEYS[table]
  const byKey = new Map(
    (rows as readonly AnyRow[]).map((row) => [JSON.stringify(keys.map((key) => ownValue(row, key))), row]),
  )
  for (const batch of insertBatches([...byKey.values()])) {
    const others = Object.keys(batch[0] ?? {}).filter((column) => !keys.includes(column))
    await (db as unknown as Kysely<AnySchema>)
      .insertInto(name)
      .values(batch)
      .onConflict((conflict) =>
        conflict
          .columns(keys)
          .doUpdateSet(Object.fromEntries(others.map((column) => [column, sql.ref(`excluded.${column}`)]))),
      )
      .execute()
  }
}
