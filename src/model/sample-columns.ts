import { FleetError } from '../base/errors.ts'
import type { Portions, RunSelection } from './queryable.ts'
import { RunColumns } from './run-columns.ts'
import type { SeriesColumns } from './series.ts'

/**
 * The samples of a selection as columns, for queries that runs cannot answer. Rows without samples are left out; series of a
 * selection without refs have ref 0.
 */

/** Rows that are read together. */
const ROWS_PER_READ = 1024

/** All samples of rows `[from, to)`. Throws FleetError `query_limit` beyond `samplesMax`. */
export function columnsOf(selection: RunSelection, from: number, to: number, samplesMax: number): SeriesColumns[] {
  const { rows } = selection
  const runs = new RunColumns()
  const series: SeriesColumns[] = []
  let samples = 0
  for (let first = from; first < to; first += ROWS_PER_READ) {
    const end = Math.min(first + ROWS_PER_READ, to)
    selection.readRuns(first, end, runs)
    let count = 0
    for (let run = 0; run < runs.count; run++) count += runs.counts[run]!
    samples += count
    if (samples > samplesMax) {
      throw new FleetError('query_limit', `the query reads more than ${samplesMax} samples`, {
        hint: 'select fewer series or a shorter range',
      })
    }
    const { timesMs, values } = samplesOf(runs, count)
    let at = 0
    let run = 0
    for (let row = first; row < end; row++) {
      const start = at
      while (run < runs.ends[row - first]!) at += runs.counts[run++]!
      if (at === start) continue
      series.push({
        ref: selection.refs?.[row] ?? 0,
        labels: rows.at(row),
        count: at - start,
        timesMs: timesMs.subarray(start, at),
        values: values.subarray(start, at),
      })
    }
  }
  return series
}

/** HOT. The `count` samples of all runs, one after the other. Values as words preserve the bits of a stale marker. */
function samplesOf(runs: RunColumns, count: number): { readonly timesMs: Float64Array; readonly values: Float64Array } {
  const { startsMs, deltasMs, counts, words: runWords } = runs
  const timesMs = new Float64Array(count)
  const values = new Float64Array(count)
  const words = new Int32Array(values.buffer)
  let at = 0
  for (let run = 0; run < runs.count; run++) {
    const startMs = startsMs[run]!
    const left = counts[run]!
    const deltaMs = left === 1 ? 0 : deltasMs[run]!
    const low = runWords[run * 2]!
    const high = runWords[run * 2 + 1]!
    for (let i = 0; i < left; i++, at++) {
      timesMs[at] = startMs + deltaMs * i
      words[at * 2] = low
      words[at * 2 + 1] = high
    }
  }
  return { timesMs, values }
}

/** The newest sample of all rows, in portions. */
export function* newestOf(selection: RunSelection): Portions<SeriesColumns> {
  const { rows } = selection
  const timesMs = new Float64Array(rows.length)
  const values = new Float64Array(rows.length)
  selection.readNewest(timesMs, values)
  let series: SeriesColumns[] = []
  for (let row = 0; row < rows.length; row++) {
    if (Number.isNaN(timesMs[row]!)) continue
    if (series.length === ROWS_PER_READ) {
      yield series
      series = []
    }
    series.push({
      ref: selection.refs?.[row] ?? 0,
      labels: rows.at(row),
      count: 1,
      timesMs: timesMs.subarray(row, row + 1),
      values: values.subarray(row, row + 1),
    })
  }
  yield series
}

/** The newest sample of a series. */
export function lastOf({ ref, labels, count, timesMs, values, histograms }: SeriesColumns): SeriesColumns {
  const last = count - 1
  const newest = { ref, labels, count: 1, timesMs: timesMs.slice(last), values: values.slice(last) }
  return histograms === undefined ? newest : { ...newest, histograms: histograms.slice(last) }
}
