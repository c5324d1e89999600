import { sql, type Kysely } from 'kysely'
import { ownValue } from '../../base/own-value.ts'
import { mentionsAny, type ErasedCluster } from '../../model/erasure.ts'
import { BLANK_AUDIT } from '../facts/audit.ts'
import type { RunFacts } from '../facts/facts-tables.ts'
import type { FactsSchema } from '../facts/schema.ts'

/** Removes facts about a cluster, as `store/erasure/erase-facts.ts` does in SQLite. One pass; call it until it removes nothing. */

const ROWS_PER_READ = 1000

const BY_NAME: readonly (readonly [table: string, column: string])[] = [
  ['fleet_cluster', 'cluster'],
  ['upgrade', 'cluster'],
  ['version_interval', 'cluster'],
  ['modification', 'cluster'],
  ['cluster_values', 'cluster'],
  ['decommission', 'cluster'],
  ['accepted_risk', 'cluster'],
  ['configuration_baseline', 'cluster'],
  ['runbook_work', 'cluster'],
  ['alert_change', 'cluster'],
  ['token', 'cluster'],
  ['lease', 'name'],
  ['ha_election', 'cluster'],
]

/** Rows whose labels or matchers name the cluster. */
const BY_LABELS: readonly (readonly [table: string, keys: readonly string[], column: string])[] = [
  ['alert_state', ['group_key', 'position'], 'labels'],
  ['external_alert', ['fingerprint'], 'labels'],
  ['silence', ['id'], 'matchers'],
]

/** Texts in which people and programs may mention a cluster; a row that does is removed, or blanked. */
const BY_TEXT: readonly (readonly [table: string, key: string, columns: readonly string[]])[] = [
  ['audit', 'id', ['subject', 'detail', 'by']],
  ['delivery', 'id', ['group_key', 'payload', 'answer', 'error', 'target', 'receiver']],
  ['notification_log', 'key', ['key']],
  ['notification_claim', 'key', ['key']],
  ['session', 'id', ['person', 'name', 'groups']],
]

/** Returns how many rows it removed, or blanked. Each statement is a transaction of its own. */
export async function eraseFactsIn(run: RunFacts, cluster: ErasedCluster): Promise<number> {
  const names = [...cluster.names]
  const named = sql`= ANY(${names}::text[])`
  const runs = sql`(SELECT fingerprint FROM alert_run WHERE cluster ${named})`
  let removed = 0
  const change = async (statement: ReturnType<typeof sql>): Promise<void> => {
    const { numAffectedRows = 0n } = await run('erasing facts', (db) => statement.execute(db))
    removed += Number(numAffectedRows)
  }
  await change(sql`DELETE FROM acknowledgement WHERE fingerprint IN ${runs}`)
  await change(sql`${sql.raw(BLANK_AUDIT)} WHERE action <> 'erased' AND subject IN ${runs}`)
  await change(sql`DELETE FROM alert_run WHERE cluster ${named}`)
  for (const [table, column] of BY_NAME) {
    const isOfCluster = table === 'lease' ? sql`kind = 'cluster' AND` : sql``
    await change(sql`DELETE FROM ${sql.table(table)} WHERE ${isOfCluster} ${sql.ref(column)} ${named}`)
  }
  for (const [table, keys, column] of BY_LABELS) {
    for (const row of await run('erasing facts', (db) => rowsOf(db, table, [...keys, column]))) {
      if (!isAbout(ownValue(row, column), cluster)) continue
      const where = sql.join(
        keys.map((key) => sql`${sql.ref(key)} = ${ownValue(row, key)}`),
        sql` AND `,
      )
      await change(sql`DELETE FROM ${sql.table(table)} WHERE ${where}`)
    }
  }
  for (const [table, key, columns] of BY_TEXT) {
    for (let after: unknown; ;) {
      const rows = await run('erasing facts', (db) => rowsOf(db, table, [key, ...columns], key, after))
      for (const row of rows) {
        const texts = columns.flatMap((column) => textsOf(ownValue(row, column)))
        if (!texts.some((text) => mentionsAny(text, names))) continue
        const remove = table === 'audit' ? sql.raw(BLANK_AUDIT) : sql`DELETE FROM ${sql.table(table)}`
        await change(sql`${remove} WHERE ${sql.ref(key)} = ${ownValue(row, key)}`)
      }
      const last = rows.at(-1)
      after = last && ownValue(last, key)
      if (rows.length < ROWS_PER_READ) break
    }
  }
  return removed
}

function textsOf(value: unknown): readonly string[] {
  return typeof value === 'string' ? [value] : []
}

type AnyRow = Readonly<Record<string, unknown>>

/** All rows; with a key, the next ones after it. */
async function rowsOf(
  db: Kysely<FactsSchema>,
  table: string,
  columns: readonly string[],
  key?: string,
  after?: unknown,
): Promise<readonly AnyRow[]> {
  const list = sql.join([...new Set(columns)].map((column) => sql.ref(column)))
  const page =
    key === undefined
      ? sql``
      : sql`${after === undefined ? sql`` : sql`WHERE ${sql.ref(key)} > ${after}`}
          ORDER BY ${sql.ref(key)} LIMIT ${ROWS_PER_READ}`
  return (await sql<AnyRow>`SELECT ${list} FROM ${sql.table(table)} ${page}`.execute(db)).rows
}

/** Labels are names and values, alternating; matchers are objects. */
function isAbout(text: unknown, { names, labels }: ErasedCluster): boolean {
  const parts = JSON.parse(text as string) as readonly (string | { name: string; op: string; value: string })[]
  return parts.some((part, i) => {
    if (typeof part !== 'string') return part.op === '=' && labels.has(part.name) && names.has(part.value)
    const label = parts[i - 1]
    return i % 2 === 1 && labels.has(label as string) && names.has(part)
  })
}
