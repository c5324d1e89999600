import type Database from 'better-sqlite3'
import { METRIC_NAME } from '../../model/labels.ts'
import type { PairTable } from './pair-table.ts'
import type { SeriesIndex } from './postings.ts'

/** Prometheus' TSDB status: the size of the index, and the names and values with the most series. */

export interface NamedCount {
  readonly name: string
  readonly value: number
}

export interface IndexStatus {
  readonly series: number
  /** Pairs that some series has. */
  readonly labelPairs: number
  /** All lists are sorted by falling count, ties by name. */
  readonly seriesByMetric: readonly NamedCount[]
  readonly valuesByLabel: readonly NamedCount[]
  /** Bytes of a label's values, each counted once for each series that has it. */
  readonly bytesByLabel: readonly NamedCount[]
  /** Named `name=value`. */
  readonly seriesByPair: readonly NamedCount[]
}

/** Counts the current series of the index. Lists have at most `top` entries. */
export function indexStatusOf(index: SeriesIndex, pairs: PairTable, top: number): IndexStatus {
  const seriesByMetric = new TopList(top)
  const valuesByLabel = new TopList(top)
  const bytesByLabel = new TopList(top)
  const seriesByPair = new TopList(top)
  let labelPairs = 0
  for (const name of pairs.names()) {
    let values = 0
    let bytes = 0
    for (const [value, id] of pairs.valuesOf(name)) {
      const series = index.countOf(id)
      if (series === 0) continue
      values++
      bytes += Buffer.byteLength(value) * series
      if (seriesByPair.takes(series)) seriesByPair.add(`${name}=${value}`, series)
      if (name === METRIC_NAME) seriesByMetric.add(value, series)
    }
    labelPairs += values
    if (values === 0) continue
    valuesByLabel.add(name, values)
    bytesByLabel.add(name, bytes)
  }
  return {
    series: index.size,
    labelPairs,
    seriesByMetric: seriesByMetric.items,
    valuesByLabel: valuesByLabel.items,
    bytesByLabel: bytesByLabel.items,
    seriesByPair: seriesByPair.items,
  }
}

/** The largest items; holds no more than it returns, because there may be millions. */
class TopList {
  readonly #top: number
  readonly #items: NamedCount[] = []

  constructor(top: number) {
    this.#top = top
  }

  get items(): readonly NamedCount[] {
    return this.#items
  }

  /** Whether a count has a chance: making the name may cost. */
  takes(value: number): boolean {
    return this.#items.length < this.#top || value >= this.#items[this.#top - 1]!.value
  }

  add(name: string, value: number): void {
    if (!this.takes(value)) return
    let at = this.#items.length
    while (at > 0 && isBefore({ name, value }, this.#items[at - 1]!)) at--
    this.#items.splice(at, 0, { name, value })
    if (this.#items.length > this.#top) this.#items.pop()
  }
}

function isBefore(a: NamedCount, b: NamedCount): boolean {
  return a.value > b.value || (a.value === b.value && a.name < b.name)
}

/** Times of the oldest and the newest stored sample. */
export interface StoredTimes {
  /**
   * From the oldest block; before the first flush, the newest sample of the oldest commit. Undefined: nothing is
   * stored.
   */
  readonly oldestMs: number | undefined
  readonly newestMs: number | undefined
}

export function storedTimesOf(db: Database.Database): StoredTimes {
  const row = db
    .prepare<[], { oldestMs: number | null; newestMs: number | null }>(
      `SELECT coalesce((SELECT min(from_ms) FROM block), (SELECT min(max_ms) FROM log)) AS oldestMs,
              max(coalesce((SELECT max(max_ms) FROM log), -9e15), coalesce((SELECT max(to_ms) FROM block), -9e15)) AS newestMs`,
    )
    .get()
  const { oldestMs = null, newestMs = null } = row ?? {}
  if (oldestMs === null || newestMs === null) return { oldestMs: undefined, newestMs: undefined }
  return { oldestMs, newestMs }
}
