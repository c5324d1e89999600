import { METRIC_NAME } from '../../model/labels.ts'
import type { SeriesRef } from '../../model/series.ts'
import type { PairTable } from './pair-table.ts'
import type { SeriesIndex } from './postings.ts'

/** The number of series by metric, label and cluster, from the index only: no sample is read. */

interface ValueCount {
  readonly value: string
  readonly series: number
  /** Of these, how many are new. */
  readonly added: number
}

export interface ValueCounts {
  /** Values with a series. */
  readonly count: number
  readonly top: ValueCount[]
  /** Most new series first; without any they are left out. */
  readonly growing: ValueCount[]
}

export interface Cardinality {
  readonly series: number
  /** Series that are new since `sinceMs`. */
  readonly added: number
  readonly sinceMs: number
  readonly metrics: ValueCounts
  readonly labels: { readonly count: number; readonly top: { name: string; values: number; series: number }[] }
  readonly by: { readonly label: string; readonly values: ValueCounts }
}

const WATCHED_MS = 3_600_000
const NOTE_EVERY_MS = 60_000

/** The newest ref at moments of the last hour. Refs only rise, so a ref above it belongs to a new series. */
export class GrowthWatch {
  readonly #notes: { readonly atMs: number; readonly newestRef: SeriesRef }[] = []

  /** Call regularly; more than once a minute has no effect. Restarts when the time goes backwards. */
  note(nowMs: number, newestRef: SeriesRef): void {
    const last = this.#notes.at(-1)
    if (last !== undefined && nowMs < last.atMs) this.#notes.length = 0
    else if (last !== undefined && nowMs - last.atMs < NOTE_EVERY_MS) return
    this.#notes.push({ atMs: nowMs, newestRef })
    // Retains one moment from an hour ago or earlier.
    while (this.#notes.length > 1 && this.#notes[1]!.atMs <= nowMs - WATCHED_MS) this.#notes.shift()
  }

  /** The oldest known moment; call `note` before. */
  get since(): { readonly atMs: number; readonly newestRef: SeriesRef } | undefined {
    return this.#notes[0]
  }
}

/** @param since series with a larger ref than its `newestRef` are new */
export function cardinalityOf(
  index: SeriesIndex,
  pairs: PairTable,
  since: { readonly atMs: number; readonly newestRef: SeriesRef },
  { top, by }: { readonly top: number; readonly by: string },
): Cardinality {
  const countsOf = (name: string): ValueCounts => {
    const all: ValueCount[] = []
    for (const [value, id] of pairs.valuesOf(name)) {
      const series = index.countOf(id)
      if (series > 0) all.push({ value, series, added: index.countAfter(id, since.newestRef) })
    }
    return {
      count: all.length,
      top: largest(all, top, (one) => one.series),
      growing: largest(
        all.filter((one) => one.added > 0),
        top,
        (one) => one.added,
      ),
    }
  }
  const labels: { name: string; values: number; series: number }[] = []
  for (const name of pairs.names()) {
    let values = 0
    let series = 0
    for (const id of pairs.valuesOf(name).values()) {
      const count = index.countOf(id)
      if (count > 0) values++
      series += count
    }
    if (values > 0) labels.push({ name, values, series })
  }
  return {
    series: index.size,
    added: index.countAllAfter(since.newestRef),
    sinceMs: since.atMs,
    metrics: countsOf(METRIC_NAME),
    labels: { count: labels.length, top: largest(labels, top, (one) => one.values) },
    by: { label: by, values: countsOf(by) },
  }
}

function largest<T>(all: readonly T[], top: number, sizeOf: (one: T) => number): T[] {
  return [...all].sort((a, b) => sizeOf(b) - sizeOf(a)).slice(0, top)
}
