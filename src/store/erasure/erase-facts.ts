import type Database from 'better-sqlite3'
import { mentionsAny, type ErasedCluster } from '../../model/erasure.ts'
import { inTransaction } from '../database.ts'
import { BLANK_AUDIT } from '../facts/audit.ts'

/**
 * Removes what is stored of a cluster besides series and spans: rows that have its name in a column, rows of numbers that
 * belong to it, and rows with a text that mentions one of its names. Entries of the audit are blanked: their hashes stay in
 * its chain. Each `yield` is the end of a step of some milliseconds.
 * Counts of the whole fleet (versions in use per day) stay: they name no cluster.
 */

/** Rows removed in one step. */
const ROWS_PER_STEP = 1000

/** Tables with the name of a cluster in a column. */
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
  ['upgrade_trace', 'cluster'],
  ['token', 'cluster'],
  ['cluster_claim', 'cluster'],
  ['cluster_claim', 'name'],
]

/** Texts in which people and programs may mention a cluster; a row that does is removed, or blanked. */
const BY_TEXT: readonly (readonly [table: string, key: string, columns: readonly string[]])[] = [
  ['audit', 'id', ['subject', 'detail', 'by']],
  ['delivery', 'id', ['group_key', 'payload', 'answer', 'error', 'target', 'receiver']],
  ['notification_log', 'key', ['key']],
  ['session', 'id', ['person', 'name', 'groups']],
]

/**
 * Returns how many rows it removed.
 * @param forget called when rows were removed of which a writer may remember the number
 */
export function* eraseFacts(
  db: Database.Database,
  cluster: ErasedCluster,
  forget: () => void,
): Generator<void, number> {
  const names = [...cluster.names]
  const list = JSON.stringify(names)
  let removed = 0
  removed += yield* eraseObservations(db, list, forget)
  removed += yield* eraseLogs(db, list, forget)
  removed += yield* eraseAlerts(db, cluster, list)
  for (const [table, column] of BY_NAME) {
    const where = `${column} IN (SELECT value FROM json_each(?))`
    removed += db.prepare<[string]>(`DELETE FROM ${table} WHERE ${where}`).run(list).changes
    yield
  }
  for (const [table, key, columns] of BY_TEXT) removed += yield* eraseMentions(db, table, key, columns, names)
  return removed
}

function* eraseObservations(db: Database.Database, names: string, forget: () => void): Generator<void, number> {
  const clusters = db
    .prepare<[string], number>('SELECT id FROM observed_cluster WHERE name IN (SELECT value FROM json_each(?))')
    .pluck()
    .all(names)
  let removed = 0
  for (const cluster of clusters) {
    for (const sql of [
      `DELETE FROM object_state WHERE object IN
         (SELECT id FROM observed_object WHERE cluster = ? AND EXISTS (SELECT 1 FROM object_state WHERE object = id) LIMIT 100)`,
      `DELETE FROM observed_object WHERE id IN (SELECT id FROM observed_object WHERE cluster = ? LIMIT ${ROWS_PER_STEP})`,
      `DELETE FROM object_listing WHERE (cluster, kind, namespace) IN
         (SELECT cluster, kind, namespace FROM object_listing WHERE cluster = ? LIMIT ${ROWS_PER_STEP})`,
    ]) {
      removed += yield* repeated(db, sql, cluster)
    }
    // In one transaction: of a part of the runs, it would not be known which series are left without any.
    inTransaction(db, () => {
      const runs = db.prepare<[number], number>('SELECT DISTINCT series FROM metric_run WHERE cluster = ?')
      const series = JSON.stringify(runs.pluck().all(cluster))
      removed += db.prepare('DELETE FROM metric_run WHERE cluster = ?').run(cluster).changes + 1
      db.prepare('DELETE FROM observed_cluster WHERE id = ?').run(cluster)
      db.prepare(
        `DELETE FROM metric_run_series WHERE id IN (SELECT value FROM json_each(?))
           AND id NOT IN (SELECT series FROM metric_run)`,
      ).run(series)
    })
    forget()
    yield
  }
  return removed
}

function* eraseLogs(db: Database.Database, names: string, forget: () => void): Generator<void, number> {
  const sources = db
    .prepare<[string], number>('SELECT id FROM log_source WHERE cluster IN (SELECT value FROM json_each(?))')
    .pluck()
    .all(names)
  let removed = 0
  for (const source of sources) {
    removed += yield* repeated(
      db,
      `DELETE FROM log_record WHERE (time_ns, source, hash) IN
         (SELECT time_ns, source, hash FROM log_record WHERE source = ? LIMIT ${ROWS_PER_STEP})`,
      source,
    )
    removed += db.prepare<[number]>('DELETE FROM log_source WHERE id = ?').run(source).changes
    forget()
    yield
  }
  return removed
}

/** Runs a statement with a limit until it changes nothing. */
function* repeated(db: Database.Database, sql: string, key: number): Generator<void, number> {
  const statement = db.prepare<[number]>(sql)
  let removed = 0
  for (;;) {
    const { changes } = statement.run(key)
    if (changes === 0) return removed
    removed += changes
    yield
  }
}

/** Occurrences with their acknowledgements and audit, states, alerts of others, and silences of the cluster alone. */
function* eraseAlerts(db: Database.Database, cluster: ErasedCluster, names: string): Generator<void, number> {
  let removed = 0
  const runs = 'SELECT fingerprint FROM alert_run WHERE cluster IN (SELECT value FROM json_each(?))'
  for (const sql of [
    `DELETE FROM acknowledgement WHERE fingerprint IN (${runs})`,
    `${BLANK_AUDIT} WHERE subject IN (${runs})`,
    'DELETE FROM alert_run WHERE cluster IN (SELECT value FROM json_each(?))',
  ]) {
    removed += db.prepare<[string]>(sql).run(names).changes
    yield
  }
  const isOf = (name: string, value: string): boolean => cluster.labels.has(name) && cluster.names.has(value)
  const hasName = (labels: string): boolean =>
    (JSON.parse(labels) as string[]).some((value, i, flat) => i % 2 === 1 && isOf(flat[i - 1]!, value))
  removed += yield* eraseRows(db, 'alert_state', ['group_key', 'position'], 'labels', hasName)
  removed += yield* eraseRows(db, 'external_alert', ['fingerprint'], 'labels', hasName)
  removed += yield* eraseRows(db, 'silence', ['id'], 'matchers', (matchers) =>
    (JSON.parse(matchers) as { name: string; op: string; value: string }[]).some(
      ({ name, op, value }) => op === '=' && isOf(name, value),
    ),
  )
  return removed
}

/** Small tables: all rows are looked at in one step. */
function* eraseRows(
  db: Database.Database,
  table: string,
  keys: readonly string[],
  column: string,
  isErased: (text: string) => boolean,
): Generator<void, number> {
  const rows = db
    .prepare<[], unknown[]>(`SELECT ${column}, ${keys.join(', ')} FROM ${table}`)
    .raw()
    .all()
  const remove = db.prepare(`DELETE FROM ${table} WHERE ${keys.map((key) => `${key} = ?`).join(' AND ')}`)
  const erased = rows.filter(([text]) => isErased(text as string))
  inTransaction(db, () => {
    for (const [, ...key] of erased) remove.run(...key)
  })
  yield
  return erased.length
}

function* eraseMentions(
  db: Database.Database,
  table: string,
  key: string,
  columns: readonly string[],
  names: readonly string[],
): Generator<void, number> {
  const some = db
    .prepare<[number], unknown[]>(
      `SELECT ${key}, ${columns.join(', ')} FROM ${table} ORDER BY ${key} LIMIT ${ROWS_PER_STEP} OFFSET ?`,
    )
    .raw()
  const isBlanked = table === 'audit'
  const remove = db.prepare<[unknown]>(`${isBlanked ? BLANK_AUDIT : `DELETE FROM ${table}`} WHERE ${key} = ?`)
  let removed = 0
  for (let from = 0; ;) {
    const rows = some.all(from)
    if (rows.length === 0) return removed
    const erased = rows.filter(([, ...texts]) =>
      texts.some((text) => typeof text === 'string' && mentionsAny(text, names)),
    )
    inTransaction(db, () => {
      for (const [id] of erased) remove.run(id)
    })
    removed += erased.length
    from += rows.length - (isBlanked ? 0 : erased.length)
    yield
  }
}
