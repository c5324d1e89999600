import { groupBy } from '../../base/group-by.ts'
import { compareText } from '../../model/labels.ts'
import type { MetricRun, MetricSignal } from '../../model/observation.ts'
import { Statements } from '../statements.ts'

/** Runs of clusters' series, as rows. A series is one signal with its labels, and is stored as a number. */

/** Without the cluster. A list, because objects with a name for each column take twice as long to read. */
type RunRow = [
  firstMs: number,
  series: number,
  lastMs: number,
  /** SQLite stores a NaN as NULL. */
  value: number | null,
  beforeMs: number | null,
  afterMs: number | null,
]

const RUN_COLUMNS = 'first_ms, series, last_ms, value, before_ms, after_ms'

interface RunSeries {
  readonly signal: MetricSignal
  readonly labels: MetricRun['labels']
  /** The text of `labels` that is stored. */
  readonly text: string
}

/** Reads the runs of clusters. All runs of a series share one object of labels. */
export class MetricRunReader extends Statements {
  readonly #runs = this.db
    .prepare<[number], RunRow>(`SELECT ${RUN_COLUMNS} FROM metric_run WHERE cluster = ? ORDER BY first_ms`)
    .raw()
  readonly #find = this.db.prepare<[number], { signal: MetricSignal; labels: string }>(
    'SELECT signal, labels FROM metric_run_series WHERE id = ?',
  )
  readonly #series = new Map<number, RunSeries>()

  /** In the order of signal, labels and start. */
  read(cluster: string, id: number): MetricRun[] {
    const bySeries = groupBy(this.#runs.all(id), ([, series]) => series)
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

function runOf(
  cluster: string,
  { signal, labels }: RunSeries,
  [firstMs, , lastMs, value, beforeMs, afterMs]: RunRow,
): MetricRun {
  // Assigned: spreading objects without properties takes as long as all the rest.
  const run: Mutable<MetricRun> = { cluster, signal, labels, value: value ?? NaN, firstMs, lastMs }
  if (beforeMs !== null) run.beforeMs = beforeMs
  if (afterMs !== null) run.afterMs = afterMs
  return run
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** Writes runs. */
export class MetricRuns extends Statements {
  readonly #find = this.db.prepare<[string, string], { id: number }>(
    'SELECT id FROM metric_run_series WHERE signal = ? AND labels = ?',
  )
  readonly #add = this.db.prepare<[string, string]>('INSERT INTO metric_run_series (signal, labels) VALUES (?, ?)')
  readonly #stored = this.db
    .prepare<[number, number], RunRow>(
      `SELECT ${RUN_COLUMNS} FROM metric_run WHERE cluster = ? AND first_ms >= ? ORDER BY first_ms, series`,
    )
    .raw()
  readonly #remove = this.db.prepare<[number, number, number]>(
    'DELETE FROM metric_run WHERE cluster = ? AND first_ms = ? AND series = ?',
  )
  readonly #put = this.db.prepare<(number | null)[]>('INSERT OR REPLACE INTO metric_run VALUES (?, ?, ?, ?, ?, ?, ?)')
  readonly #series = new Map<string, number>()
  /** By the object of labels, which the runs of a series in one message share. */
  #newestSeries = new WeakMap<MetricRun['labels'], { readonly signal: MetricSignal; readonly id: number }>()

  /** Writes what differs from the stored runs. False when nothing does. */
  replaceFrom(cluster: number, fromMs: number, runs: readonly MetricRun[]): boolean {
    const rows = runs.map((run) => this.#rowOf(run)).sort(compareRows)
    const stored = this.#stored.all(cluster, fromMs)
    let isChanged = false
    let at = 0
    const removeBefore = (row: RunRow | undefined): void => {
      for (; at < stored.length && (row === undefined || compareRows(stored[at]!, row) < 0); at++) {
        this.#remove.run(cluster, stored[at]![0], stored[at]![1])
        isChanged = true
      }
    }
    for (const row of rows) {
      removeBefore(row)
      const was = stored[at]
      const isStored = was !== undefined && compareRows(was, row) === 0
      if (isStored) at++
      if (isStored && was.every((field, i) => field === row[i])) continue
      this.#put.run(cluster, ...row)
      isChanged = true
    }
    removeBefore(undefined)
    return isChanged
  }

  forget(): void {
    this.#series.clear()
    this.#newestSeries = new WeakMap()
  }

  #rowOf(run: MetricRun): RunRow {
    const { firstMs, lastMs, value, beforeMs, afterMs } = run
    const storedValue = Number.isNaN(value) ? null : value
    return [firstMs, this.#seriesOf(run), lastMs, storedValue, beforeMs ?? null, afterMs ?? null]
  }

  #seriesOf({ signal, labels }: MetricRun): number {
    const newest = this.#newestSeries.get(labels)
    if (newest?.signal === signal) return newest.id
    const id = this.#idOf(signal, labels)
    this.#newestSeries.set(labels, { signal, id })
    return id
  }

  #idOf(signal: MetricSignal, labels: MetricRun['labels']): number {
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

/** In the order of the table's key. */
function compareRows(a: RunRow, b: RunRow): number {
  return a[0] - b[0] || a[1] - b[1]
}

const SERIES_KNOWN_MAX = 50_000
