import { groupBy } from '../../base/group-by.ts'
import { compareText } from '../../model/labels.ts'
import type { MetricRun, MetricSignal } from '../../model/observation.ts'
import { Statements } from '../statements.ts'

/** Runs of clusters' series, as rows. A series is one signal with its labels, and is stored as a number. */

interface RunRow {
  readonly series: number
  readonly firstMs: number
  readonly lastMs: number
  /** SQLite stores a NaN as NULL. */
  readonly value: number | null
  readonly beforeMs: number | null
  readonly afterMs: number | null
}

const RUN_COLUMNS = 'series, first_ms AS firstMs, last_ms AS lastMs, value, before_ms AS beforeMs, after_ms AS afterMs'

interface RunSeries {
  readonly signal: MetricSignal
  readonly labels: MetricRun['labels']
  /** The text of `labels` that is stored. */
  readonly text: string
}

/** Reads the runs of clusters. All runs of a series share one object of labels. */
export class MetricRunReader extends Statements {
  readonly #runs = this.db.prepare<[number], RunRow>(
    `SELECT ${RUN_COLUMNS} FROM metric_run WHERE cluster = ? ORDER BY first_ms`,
  )
  readonly #find = this.db.prepare<[number], { signal: MetricSignal; labels: string }>(
    'SELECT signal, labels FROM metric_run_series WHERE id = ?',
  )
  readonly #series = new Map<number, RunSeries>()

  /** In the order of signal, labels and start. */
  read(cluster: string, id: number): MetricRun[] {
    const bySeries = groupBy(this.#runs.all(id), ({ series }) => series)
    const all = Array.from(bySeries, ([series, rows]) => ({ series: this.#seriesOf(series), rows }))
    all.sort((a, b) => compareText(a.series.signal, b.series.signal) || compareText(a.series.text, b.series.text))
    return all.flatMap(({ series, rows }) => rows.map((row) => runOf(cluster, series, row)))
  }

  #seriesOf(id: number): RunSeries {
    const known = this.#series.get(id)
    if (known !== undefined) return known
    const { signal, labels: text } = this.#find.get(id)!
    const series = { signal, labels: JSON.parse(text) as Record<string, string>, text }
    if (this.#series.size >= SERIES_KNOWN_MAX) this.#series.clear()
    this.#series.set(id, series)
    return series
  }
}

function runOf(cluster: string, { signal, labels }: RunSeries, row: RunRow): MetricRun {
  const { firstMs, lastMs, value, beforeMs, afterMs } = row
  return {
    cluster,
    signal,
    labels,
    value: value ?? NaN,
    firstMs,
    lastMs,
    ...(beforeMs === null ? {} : { beforeMs }),
    ...(afterMs === null ? {} : { afterMs }),
  }
}

/** Writes runs. */
export class MetricRuns extends Statements {
  readonly #find = this.db.prepare<[string, string], { id: number }>(
    'SELECT id FROM metric_run_series WHERE signal = ? AND labels = ?',
  )
  readonly #add = this.db.prepare<[string, string]>('INSERT INTO metric_run_series (signal, labels) VALUES (?, ?)')
  readonly #stored = this.db.prepare<[number, number], RunRow>(
    `SELECT ${RUN_COLUMNS} FROM metric_run WHERE cluster = ? AND first_ms >= ? ORDER BY first_ms, series`,
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
