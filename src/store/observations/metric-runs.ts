import type { MetricRun, MetricSignal } from '../../model/observation.ts'
import { Statements } from '../statements.ts'

/** Runs of clusters' series, as rows. A series is one signal with its labels, and is stored as a number. */

export interface RunRow {
  readonly signal: string
  readonly labels: string
  readonly firstMs: number
  readonly lastMs: number
  /** SQLite stores a NaN as NULL. */
  readonly value: number | null
  readonly beforeMs: number | null
  readonly afterMs: number | null
}

export const RUN_COLUMNS = `signal, labels, first_ms AS firstMs, last_ms AS lastMs, value, before_ms AS beforeMs,
  after_ms AS afterMs`
export const RUN_TABLES = 'metric_run JOIN metric_run_series ON metric_run_series.id = metric_run.series'

/** In the order of signal, labels and start. */
export const RUN_ORDER = 'signal, labels, first_ms'

export function runOf(cluster: string, row: RunRow): MetricRun {
  const { signal, labels, firstMs, lastMs, value, beforeMs, afterMs } = row
  return {
    cluster,
    signal: signal as MetricSignal,
    labels: JSON.parse(labels) as Record<string, string>,
    value: value ?? NaN,
    firstMs,
    lastMs,
    ...(beforeMs === null ? {} : { beforeMs }),
    ...(afterMs === null ? {} : { afterMs }),
  }
}

export class MetricRuns extends Statements {
  readonly #find = this.db.prepare<[string, string], { id: number }>(
    'SELECT id FROM metric_run_series WHERE signal = ? AND labels = ?',
  )
  readonly #add = this.db.prepare<[string, string]>('INSERT INTO metric_run_series (signal, labels) VALUES (?, ?)')
  readonly #stored = this.db.prepare<[number, number], RunRow & { series: number }>(
    `SELECT series, first_ms AS firstMs, last_ms AS lastMs, value, before_ms AS beforeMs, after_ms AS afterMs
         FROM metric_run WHERE cluster = ? AND first_ms >= ? ORDER BY first_ms, series`,
  )
  readonly #remove = this.db.prepare<[number, number]>('DELETE FROM metric_run WHERE cluster = ? AND first_ms >= ?')
  readonly #put = this.db.prepare<(number | null)[]>('INSERT OR REPLACE INTO metric_run VALUES (?, ?, ?, ?, ?, ?, ?)')
  readonly #series = new Map<string, number>()

  /** False when the stored runs are equal. */
  replaceFrom(cluster: number, fromMs: number, runs: readonly MetricRun[]): boolean {
    const rows = runs.map((run) => this.#rowOf(run)).sort((a, b) => a[0] - b[0] || a[1] - b[1])
    const stored = this.#stored.all(cluster, fromMs)
    const isSame =
      stored.length === rows.length &&
      stored.every((row, i) => {
        const was = [row.firstMs, row.series, row.lastMs, row.value, row.beforeMs, row.afterMs]
        return was.every((field, j) => field === rows[i]![j])
      })
    if (isSame) return false
    this.#remove.run(cluster, fromMs)
    for (const row of rows) this.#put.run(cluster, ...row)
    return true
  }

  forget(): void {
    this.#series.clear()
  }

  #rowOf(run: MetricRun): [number, number, number, number | null, number | null, number | null] {
    const { firstMs, lastMs, value, beforeMs, afterMs } = run
    const storedValue = Number.isNaN(value) ? null : value
    return [firstMs, this.#seriesOf(run), lastMs, storedValue, beforeMs ?? null, afterMs ?? null]
  }

  #seriesOf({ signal, labels }: MetricRun): number {
    const sorted = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))
    const text = JSON.stringify(Object.fromEntries(sorted))
    const key = `${signal} ${text}`
    const known = this.#series.get(key)
    if (known !== undefined) return known
    const id = this.#find.get(signal, text)?.id ?? Number(this.#add.run(signal, text).lastInsertRowid)
    if (this.#series.size >= SERIES_KNOWN_MAX) this.#series.clear()
    this.#series.set(key, id)
    return id
  }
}

const SERIES_KNOWN_MAX = 50_000
