import type { Histogram } from '../../model/histogram.ts'
import type { TimeRange } from '../../model/time-range.ts'
import type { RunColumns } from '../../model/run-columns.ts'
import { bitsOf } from '../../model/sample.ts'
import type { SeriesColumns, SeriesRef } from '../../model/series.ts'
import { ByteReader } from '../bytes.ts'
import { HISTOGRAM_HIGH_WORD, readHistogram } from './histogram-codec.ts'
import { decodeHistogramPack } from '../packs/histogram-pack.ts'
import type { DamagedRanges } from '../integrity/damaged-ranges.ts'
import type { SelectedRows } from '../index/selected-rows.ts'
import { Statements } from '../statements.ts'

/**
 * Native histograms on the reader's side. The writer announces which series have some, so a selection without
 * histograms costs one comparison. A histogram is looked up by series and time; a sample whose histogram is not
 * committed yet was not acknowledged, and is omitted.
 */

/** As an unsigned word in a view of bits. */
const HIGH_BITS = HISTOGRAM_HIGH_WORD >>> 0

export class HistogramReader extends Statements {
  readonly #series = new Set<SeriesRef>()
  /** Incremented by every change of `#series`. */
  #changes = 0
  readonly #known = new WeakMap<SelectedRows, { readonly changes: number; readonly hasAny: boolean }>()
  readonly #rows = this.db.prepare<[number, number, number], { timeMs: number; payload: Uint8Array }>(
    'SELECT time_ms AS timeMs, payload FROM histogram WHERE ref = ? AND time_ms >= ? AND time_ms <= ?',
  )
  readonly #packs = this.db.prepare<[number, number, number], { payload: Uint8Array }>(
    'SELECT payload FROM histogram_pack WHERE ref = ? AND to_ms >= ? AND from_ms <= ?',
  )

  readonly #damaged: DamagedRanges

  constructor(db: Statements['db'], damaged: DamagedRanges) {
    super(db)
    this.#damaged = damaged
  }

  get isEmpty(): boolean {
    return this.#series.size === 0
  }

  add(ref: SeriesRef): void {
    this.#series.add(ref)
    this.#changes++
  }

  remove(refs: readonly SeriesRef[]): void {
    if (this.#series.size === 0) return
    for (const ref of refs) this.#series.delete(ref)
    this.#changes++
  }

  has(ref: SeriesRef): boolean {
    return this.#series.has(ref)
  }

  /** Whether some of the series have, or had, histograms. */
  isAnyOf(rows: SelectedRows): boolean {
    if (rows.hasColdHistograms) return true
    if (this.#series.size === 0) return false
    const known = this.#known.get(rows)
    if (known?.changes === this.#changes) return known.hasAny
    const hasAny = rows.refs.some((ref) => this.#series.has(ref))
    this.#known.set(rows, { changes: this.#changes, hasAny })
    return hasAny
  }

  /** The samples of one series with their histograms; undefined when nothing is left. */
  attach(columns: SeriesColumns): SeriesColumns | undefined {
    const bits = bitsOf(columns.values)
    const places: number[] = []
    for (let i = 0; i < columns.count; i++) if (bits[i * 2 + 1] === HIGH_BITS) places.push(i)
    if (places.length === 0) return columns
    const { ref, timesMs } = columns
    const byTime = this.#read(ref, { fromMs: timesMs[places[0]!]!, toMs: timesMs[places.at(-1)!]! })
    const histograms = new Array<Histogram | undefined>(columns.count)
    for (const place of places) histograms[place] = byTime.get(timesMs[place]!)
    const isKept = (i: number): boolean => bits[i * 2 + 1] !== HIGH_BITS || histograms[i] !== undefined
    return places.every(isKept) ? { ...columns, histograms } : keepOnly(columns, histograms, isKept)
  }

  #read(ref: SeriesRef, { fromMs, toMs }: TimeRange): ReadonlyMap<number, Histogram> {
    const byTime = new Map<number, Histogram>()
    // One snapshot of both: rows go over into packs meanwhile.
    this.atomically(() => {
      const place = { kind: 'histogram_pack', id: ref, block: 0, metric: -1, firstRef: ref, lastRef: ref } as const
      for (const { payload } of this.#packs.iterate(ref, fromMs, toMs)) {
        this.#damaged.around(place, () => {
          for (const { timeMs, histogram } of decodeHistogramPack(payload)) byTime.set(timeMs, histogram)
        })
      }
      for (const { timeMs, payload } of this.#rows.iterate(ref, fromMs, toMs)) {
        this.#damaged.around(place, () => {
          byTime.set(timeMs, readHistogram(new ByteReader(payload)))
        })
      }
    })
    return byTime
  }
}

/** Copies: views of a read are of all its series. */
function keepOnly(
  columns: SeriesColumns,
  histograms: readonly (Histogram | undefined)[],
  isKept: (place: number) => boolean,
): SeriesColumns | undefined {
  const kept = Array.from({ length: columns.count }, (_, i) => i).filter(isKept)
  if (kept.length === 0) return undefined
  const timesMs = Float64Array.from(kept, (i) => columns.timesMs[i]!)
  // By words: a float that passes through a register may lose what makes it a stale marker.
  const from = bitsOf(columns.values)
  const values = new Float64Array(kept.length)
  const to = bitsOf(values)
  kept.forEach((place, i) => {
    to[i * 2] = from[place * 2]!
    to[i * 2 + 1] = from[place * 2 + 1]!
  })
  const shown = kept.map((i) => histograms[i])
  const floats = { ref: columns.ref, labels: columns.labels, count: kept.length, timesMs, values }
  return shown.some((one) => one !== undefined) ? { ...floats, histograms: shown } : floats
}

/** Removes the histograms from runs: floats stay, in the same rows. */
export function dropHistograms(runs: RunColumns): void {
  let to = 0
  let from = 0
  for (let row = 0; row < runs.rows; row++) {
    for (; from < runs.ends[row]!; from++) {
      if (runs.words[from * 2 + 1] === HISTOGRAM_HIGH_WORD) continue
      runs.startsMs[to] = runs.startsMs[from]!
      runs.deltasMs[to] = runs.deltasMs[from]!
      runs.counts[to] = runs.counts[from]!
      runs.words[to * 2] = runs.words[from * 2]!
      runs.words[to * 2 + 1] = runs.words[from * 2 + 1]!
      to++
    }
    runs.ends[row] = to
  }
  runs.count = to
}
