import type { ExpressionBuilder, Kysely, Selectable } from 'kysely'
import type {
  AlertRunKey,
  AlertRunPlace,
  AlertRunQuery,
  AlertRunReader,
  AlertRunRecord,
  AlertRunSpan,
  FiredAlert,
  FiredAlertReader,
  StoredAlertRun,
  MatchedRuns,
} from '../../model/alert-run.ts'
import { clusterOf } from '../../model/cluster-identity.ts'
import { compileMatcher, type Matcher } from '../../model/matcher.ts'
import type { TimeRange } from '../../model/time-range.ts'
import { FactsTables } from './facts-tables.ts'
import { annotationsOf, insertBatches, labelsOf, listed } from './row-values.ts'
import type { AlertRunTable, FactsSchema } from './schema.ts'

/** Rows of `matching` per read, between which other work runs. */
const ROWS_PER_READ = 2000
/** Limit for occurrences per cluster query. */
const FIRED_RUNS_MAX = 5000

/** Runs of alerts that fired, by (fingerprint, `activeAtMs`). */
export class SqlAlertRuns extends FactsTables implements AlertRunReader, FiredAlertReader {
  /** Adds occurrences, and updates the end of stored ones. One transaction; durable when it resolves. */
  async record(runs: readonly AlertRunRecord[]): Promise<void> {
    await this.transact('writing occurrences of alerts', async (transaction) => {
      for (const rows of insertBatches(runs.map(rowOf))) {
        await recordClusters(transaction, await withoutKnown(transaction, rows))
        await transaction
          .insertInto('alert_run')
          .values(rows)
          .onConflict((conflict) =>
            conflict
              .columns(['fingerprint', 'active_at_ms'])
              .doUpdateSet((update) => ({ resolved_at_ms: update.ref('excluded.resolved_at_ms') })),
          )
          .execute()
      }
    })
  }

  /** Runs that have not ended. */
  async listOpen(): Promise<readonly AlertRunRecord[]> {
    const rows = await this.run('reading open occurrences of alerts', (db) =>
      db.selectFrom('alert_run').selectAll().where('resolved_at_ms', 'is', null).orderBy('fired_at_ms').execute(),
    )
    return rows.map(recordOf)
  }

  async one({ fingerprint, activeAtMs }: AlertRunKey): Promise<StoredAlertRun | undefined> {
    const row = await this.run('reading an occurrence of an alert', (db) =>
      db
        .selectFrom('alert_run as r')
        .leftJoin('acknowledgement as a', (join) =>
          join.onRef('a.fingerprint', '=', 'r.fingerprint').onRef('a.active_at_ms', '=', 'r.active_at_ms'),
        )
        .selectAll('r')
        .select(ACKNOWLEDGED)
        .where('r.fingerprint', '=', fingerprint)
        .where('r.active_at_ms', '=', activeAtMs)
        .executeTakeFirst(),
    )
    return row && storedOf(row)
  }

  async page(query: AlertRunQuery): Promise<readonly StoredAlertRun[]> {
    const { fromMs, toMs, alertname, cluster, fingerprint, limit, after } = query
    const rows = await this.run('reading occurrences of alerts', async (db) => {
      let select = (await during(db, fromMs, toMs))
        .leftJoin('acknowledgement as a', (join) =>
          join.onRef('a.fingerprint', '=', 'r.fingerprint').onRef('a.active_at_ms', '=', 'r.active_at_ms'),
        )
        .selectAll('r')
        .select(ACKNOWLEDGED)
        .orderBy('r.fired_at_ms', 'desc')
        .orderBy('r.fingerprint')
        .orderBy('r.active_at_ms')
        .limit(limit)
      if (alertname !== undefined) select = select.where('r.alertname', '=', alertname)
      if (cluster !== undefined) select = select.where('r.cluster', '=', cluster)
      if (fingerprint !== undefined) select = select.where('r.fingerprint', '=', fingerprint)
      if (after !== undefined) select = select.where(isAfter(after))
      return select.execute()
    })
    return rows.map(storedOf)
  }

  async spans(fingerprints: readonly string[], fromMs: number, toMs: number): Promise<readonly AlertRunSpan[]> {
    if (fingerprints.length === 0) return []
    const rows = await this.run('reading when alerts fired', async (db) =>
      (await during(db, fromMs, toMs))
        .select(['r.fingerprint', 'r.fired_at_ms', 'r.resolved_at_ms'])
        .where('r.fingerprint', 'in', listed(db, fingerprints))
        .orderBy('r.fingerprint')
        .orderBy('r.fired_at_ms')
        .execute(),
    )
    return rows.map(({ fingerprint, fired_at_ms: firedAtMs, resolved_at_ms: resolvedAtMs }) => {
      return { fingerprint, firedAtMs, ...(resolvedAtMs === null ? {} : { resolvedAtMs }) }
    })
  }

  async clustersOf(fingerprints: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (fingerprints.length === 0) return new Map()
    const rows = await this.run('reading clusters of alerts', (db) =>
      db
        .selectFrom('alert_run')
        .select(['fingerprint', 'cluster'])
        .distinct()
        .where('fingerprint', 'in', listed(db, fingerprints))
        .execute(),
    )
    return new Map(rows.map(({ fingerprint, cluster }) => [fingerprint, cluster]))
  }

  async matching(matchers: readonly Matcher[], fromMs: number, toMs: number): Promise<readonly MatchedRuns[]> {
    const tests = matchers.map((matcher) => ({ name: matcher.name, test: compileMatcher(matcher) }))
    const counts = new Map<string, { runs: number; clusters: Set<string>; lastFiredAtMs: number }>()
    let after: AlertRunPlace | undefined
    for (;;) {
      const rows = await this.#matchingRows(matchers, fromMs, toMs, after)
      for (const row of rows) {
        const labels = labelsOf(row.labels)
        if (!tests.every(({ name, test }) => test(labels.get(name)))) continue
        const count = counts.get(row.alertname) ?? { runs: 0, clusters: new Set(), lastFiredAtMs: 0 }
        count.runs++
        count.clusters.add(row.cluster)
        count.lastFiredAtMs = Math.max(count.lastFiredAtMs, row.fired_at_ms)
        counts.set(row.alertname, count)
      }
      const last = rows.at(-1)
      if (last === undefined || rows.length < ROWS_PER_READ) break
      after = { firedAtMs: last.fired_at_ms, fingerprint: last.fingerprint, activeAtMs: last.active_at_ms }
    }
    return [...counts]
      .map(([alertname, { runs, clusters, lastFiredAtMs }]) => {
        return { alertname, runs, clusters: clusters.size, lastFiredAtMs }
      })
      .sort((a, b) => b.runs - a.runs || (a.alertname < b.alertname ? -1 : 1))
  }

  /** The next rows, newest first, without those that an equality matcher on a column excludes. */
  #matchingRows(matchers: readonly Matcher[], fromMs: number, toMs: number, after: AlertRunPlace | undefined) {
    return this.run('reading occurrences of alerts', async (db) => {
      let select = (await during(db, fromMs, toMs))
        .select(['r.fingerprint', 'r.active_at_ms', 'r.alertname', 'r.cluster', 'r.labels', 'r.fired_at_ms'])
        .orderBy('r.fired_at_ms', 'desc')
        .orderBy('r.fingerprint')
        .orderBy('r.active_at_ms')
        .limit(ROWS_PER_READ)
      for (const { name, op, value } of matchers) {
        if (op === '=' && name === 'alertname') select = select.where('r.alertname', '=', value)
      }
      return (after === undefined ? select : select.where(isAfter(after))).execute()
    })
  }

  async firedSince(position: number): Promise<{ readonly clusters: readonly string[]; readonly position: number }> {
    const rows = await this.run('reading where alerts fired', (db) =>
      db.selectFrom('alert_change').selectAll().where('position', '>', position).orderBy('position').execute(),
    )
    return { clusters: rows.map(({ cluster }) => cluster), position: rows.at(-1)?.position ?? position }
  }

  async firedOn(cluster: string, { fromMs, toMs }: TimeRange, limit: number): Promise<readonly FiredAlert[]> {
    const rows = await this.run('reading what fired on a cluster', (db) =>
      db
        .selectFrom('alert_run')
        .select(['fired_at_ms', 'labels'])
        .where('cluster', '=', cluster)
        .where('fired_at_ms', '>=', fromMs)
        .where('fired_at_ms', '<=', toMs)
        .orderBy('fired_at_ms')
        .orderBy('fingerprint')
        .limit(FIRED_RUNS_MAX)
        .execute(),
    )
    const fired = new Map<string, FiredAlert>()
    for (const row of rows) {
      const labels = labelsOf(row.labels)
      const alert = {
        alertname: labels.get('alertname'),
        severity: labels.get('severity'),
        firedAtMs: row.fired_at_ms,
      }
      const key = JSON.stringify(alert)
      if (!fired.has(key)) fired.set(key, alert)
      if (fired.size === limit) break
    }
    return [...fired.values()]
  }

  /** Removes runs that resolved before a time, and acknowledgements and work as old that have no run. */
  async prune(resolvedBeforeMs: number): Promise<void> {
    await this.transact('removing old occurrences of alerts', async (transaction) => {
      await transaction
        .deleteFrom('alert_run')
        // An alert that resolved before a time also fired before it: the index on the start applies.
        .where('fired_at_ms', '<', resolvedBeforeMs)
        .where('resolved_at_ms', '<', resolvedBeforeMs)
        .execute()
      for (const table of ['acknowledgement', 'runbook_work'] as const) {
        await transaction
          .deleteFrom(table)
          .where('at_ms', '<', resolvedBeforeMs)
          .where((eb) =>
            eb.not(
              eb.exists(
                eb
                  .selectFrom('alert_run as r')
                  .select('r.fingerprint')
                  .whereRef('r.fingerprint', '=', `${table}.fingerprint`)
                  .whereRef('r.active_at_ms', '=', `${table}.active_at_ms`),
              ),
            ),
          )
          .execute()
      }
    })
  }
}

const ACKNOWLEDGED = [
  'a.by as acknowledged_by',
  'a.note as acknowledged_note',
  'a.at_ms as acknowledged_at_ms',
] as const

function storedOf(
  row: Selectable<AlertRunTable> & {
    readonly acknowledged_by: string | null
    readonly acknowledged_note: string | null
    readonly acknowledged_at_ms: number | null
  },
): StoredAlertRun {
  const { acknowledged_by: acknowledgedBy, acknowledged_note: note, acknowledged_at_ms: acknowledgedAtMs } = row
  return {
    ...recordOf(row),
    ...(acknowledgedBy === null ? {} : { acknowledgedBy }),
    ...(note === null || note === '' ? {} : { acknowledgedNote: note }),
    ...(acknowledgedAtMs === null ? {} : { acknowledgedAtMs }),
  }
}

/** Those that are not stored yet. A firing alert is written once, so only ends need an update. */
async function withoutKnown(
  db: Kysely<FactsSchema>,
  rows: readonly AlertRunTable[],
): Promise<readonly AlertRunTable[]> {
  const ended = rows.filter((row) => row.resolved_at_ms !== null)
  if (ended.length === 0) return rows
  const found = await db
    .selectFrom('alert_run')
    .select(['fingerprint', 'active_at_ms'])
    .where(
      'fingerprint',
      'in',
      ended.map(({ fingerprint }) => fingerprint),
    )
    .execute()
  const known = new Set(found.map((row) => `${row.fingerprint} ${row.active_at_ms}`))
  return rows.filter((row) => !known.has(`${row.fingerprint} ${row.active_at_ms}`))
}

async function recordClusters(db: Kysely<FactsSchema>, rows: readonly AlertRunTable[]): Promise<void> {
  const clusters = [...new Set(rows.map(({ cluster }) => cluster))].filter((cluster) => cluster !== '')
  if (clusters.length === 0) return
  await db
    .insertInto('alert_change')
    .values(clusters.map((cluster) => ({ cluster })))
    // The position of a cluster that is there becomes the one that a new row would have.
    .onConflict((conflict) =>
      conflict.column('cluster').doUpdateSet((update) => ({ position: update.ref('excluded.position') })),
    )
    .execute()
}

/**
 * Occurrences that fired at some time in [fromMs, toMs). The start of the oldest is queried first: a query of a day
 * must not scan a year.
 */
async function during(db: Kysely<FactsSchema>, fromMs: number, toMs: number) {
  const [resolved, open] = await Promise.all([
    db
      .selectFrom('alert_run')
      .select(({ fn }) => fn.min('fired_at_ms').as('oldest_ms'))
      .where('resolved_at_ms', '>=', fromMs)
      .executeTakeFirst(),
    db
      .selectFrom('alert_run')
      .select(({ fn }) => fn.min('fired_at_ms').as('oldest_ms'))
      .where('resolved_at_ms', 'is', null)
      .executeTakeFirst(),
  ])
  const oldestMs = Math.min(resolved?.oldest_ms ?? toMs, open?.oldest_ms ?? toMs)
  return db
    .selectFrom('alert_run as r')
    .where('r.fired_at_ms', '>=', oldestMs)
    .where('r.fired_at_ms', '<', toMs)
    .where((eb) => eb.or([eb('r.resolved_at_ms', 'is', null), eb('r.resolved_at_ms', '>=', fromMs)]))
}

/** Behind a place in the order of `fired_at_ms` from the newest on, then of the key. */
function isAfter({ firedAtMs, fingerprint, activeAtMs }: AlertRunPlace) {
  return (eb: ExpressionBuilder<FactsSchema & { readonly r: AlertRunTable }, 'r'>) =>
    eb.or([
      eb('r.fired_at_ms', '<', firedAtMs),
      eb.and([eb('r.fired_at_ms', '=', firedAtMs), eb('r.fingerprint', '>', fingerprint)]),
      eb.and([
        eb('r.fired_at_ms', '=', firedAtMs),
        eb('r.fingerprint', '=', fingerprint),
        eb('r.active_at_ms', '>', activeAtMs),
      ]),
    ])
}

function rowOf(run: AlertRunRecord): AlertRunTable {
  return {
    fingerprint: run.fingerprint,
    active_at_ms: run.activeAtMs,
    alertname: run.labels.get('alertname'),
    cluster: clusterOf(run.labels),
    labels: JSON.stringify(run.labels.flat),
    annotations: JSON.stringify(run.annotations),
    fired_at_ms: run.firedAtMs,
    resolved_at_ms: run.resolvedAtMs ?? null,
  }
}

function recordOf(row: Selectable<AlertRunTable>): AlertRunRecord {
  return {
    fingerprint: row.fingerprint,
    labels: labelsOf(row.labels),
    annotations: annotationsOf(row.annotations),
    activeAtMs: row.active_at_ms,
    firedAtMs: row.fired_at_ms,
    ...(row.resolved_at_ms === null ? {} : { resolvedAtMs: row.resolved_at_ms }),
  }
}
