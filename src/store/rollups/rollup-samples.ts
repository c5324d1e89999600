import type Database from 'better-sqlite3'
import type { RunSelection, SelectRequest } from '../../model/queryable.ts'
import type { TimeRange } from '../../model/time-range.ts'
import { BUCKET_ENDS_STALE, type RollupColumns } from '../../model/rollup.ts'
import { RunColumns } from '../../model/run-columns.ts'
import { STALE_HIGH_WORD, STALE_LOW_WORD } from '../../model/sample.ts'
import type { SeriesRef } from '../../model/series.ts'
import { BucketList } from './bucket-list.ts'
import { highWordOf, lowWordOf } from '../bytes.ts'
import { asFailure } from '../database.ts'
import { groupByMetric } from '../packs/pack-reader.ts'
import { decodeBuckets } from './rollup-codec.ts'
import type { RollupReader } from './rollup-reader.ts'
import { StoreRunSelection, isOnlyInHead, type RunSources } from '../index/run-selection.ts'
import type { SelectedRows } from '../index/selected-rows.ts'
import { hasTier, RAW_BIT, ROLLUP_TIERS, type RollupTier } from './tiers.ts'

/**
 * Samples from rollups, for ranges whose samples are removed and for queries that buckets cannot answer: from the
 * narrowest stored rollups, the first and the last sample of each bucket, unchanged, and a stale marker right after the
 * last one where the bucket ends with one.
 */

const NO_PARTS = { extremes: false, sums: false }

export class RollupSamples {
  readonly #blocks: Database.Statement<[number, number], { id: number; tiers: number }>
  readonly #rollups: RollupReader
  readonly #list = new BucketList(1)

  constructor(db: Database.Database, rollups: RollupReader) {
    this.#rollups = rollups
    this.#blocks = db.prepare(
      `SELECT id, tiers FROM block WHERE to_ms >= ? AND from_ms <= ? AND tiers & ${RAW_BIT} = 0 AND tiers != 0
       ORDER BY position`,
    )
  }

  /** Width of the widest buckets that replace samples in a range; 0 when all samples are stored. */
  widthMs(range: TimeRange): number {
    return this.#blocksIn(range).reduce((widest, { tier }) => Math.max(widest, tier.widthMs), 0)
  }

  /** Visits the buckets of `refs` (sorted), with the index of their series; those of one series come oldest first. */
  each(
    refs: Uint32Array,
    metricOf: (ref: SeriesRef) => number,
    range: TimeRange,
    visit: (place: number, buckets: BucketList) => void,
  ): void {
    const list = this.#list
    const groups = groupByMetric(refs, metricOf)
    for (const { id, tier } of this.#blocksIn(range)) {
      list.widthMs = tier.widthMs
      for (const group of groups) {
        this.#rollups.eachChunk(id, tier, group, NO_PARTS, (place, { base, chunk }) => {
          list.clear()
          decodeBuckets(chunk, base, NO_PARTS, list)
          visit(place, list)
        })
      }
    }
  }

  /** Finds which of `refs` (sorted) have a bucket with samples in a range. */
  withSample(
    refs: Uint32Array,
    metricOf: (ref: SeriesRef) => number,
    range: TimeRange,
    found: (ref: SeriesRef) => void,
  ): void {
    if (refs.length === 0) return
    const known = new Set<number>()
    this.each(refs, metricOf, range, (place, buckets) => {
      if (known.has(place) || !hasBucketIn(buckets, range)) return
      known.add(place)
      found(refs[place]!)
    })
  }

  #blocksIn({ fromMs, toMs }: TimeRange): readonly { readonly id: number; readonly tier: RollupTier }[] {
    return this.#blocks.all(fromMs, toMs).map(({ id, tiers }) => {
      return { id, tier: ROLLUP_TIERS.find((tier) => hasTier(tiers, tier.bit))! }
    })
  }
}

function hasBucketIn({ count, counts, firstsMs, lastsMs }: RollupColumns, { fromMs, toMs }: TimeRange): boolean {
  for (let i = 0; i < count; i++) if (counts[i]! > 0 && firstsMs[i]! <= toMs && lastsMs[i]! >= fromMs) return true
  return false
}

/** Adds the remaining samples of one row by rising time. */
export function pushBuckets(list: BucketList, { fromMs, toMs }: TimeRange, into: RunColumns): void {
  const { count, numbers, counts, flags, firstsMs, lastsMs, firsts, lasts, widthMs } = list
  for (let i = 0; i < count; i++) {
    const isEmpty = counts[i] === 0
    if (!isEmpty) {
      const first = firsts[i]!
      const last = lasts[i]!
      into.pushCut(firstsMs[i]!, 0, 1, lowWordOf(first), highWordOf(first), fromMs, toMs)
      if (counts[i]! > 1) into.pushCut(lastsMs[i]!, 0, 1, lowWordOf(last), highWordOf(last), fromMs, toMs)
    }
    if ((flags[i]! & BUCKET_ENDS_STALE) === 0) continue
    const staleMs = (isEmpty ? numbers[i]! * widthMs : lastsMs[i]!) + 1
    into.pushCut(staleMs, 0, 1, STALE_LOW_WORD, STALE_HIGH_WORD, fromMs, toMs)
  }
}

/** The runs of some series in a range: their samples, and rollups where samples are removed. */
export function samplesOf(
  rows: SelectedRows,
  { fromMs, toMs, maxSamples, tally, missing }: Omit<SelectRequest, 'matchers'>,
  sources: RunSources,
  rollups: RollupSamples,
): StoreRunSelection | RollupRunSelection {
  const range = { fromMs, toMs }
  const samples = new StoreRunSelection(rows, range, maxSamples, sources, tally, missing)
  // An empty selection has no resolution.
  if (rows.length === 0) return samples
  if (sources.pinned(() => isOnlyInHead(rows.slots(), fromMs, sources.memory))) return samples
  const resolutionMs = asFailure('reading blocks', () => rollups.widthMs(range))
  if (resolutionMs === 0) return samples
  return new RollupRunSelection(rows, samples, range, resolutionMs, rollups, sources)
}

/** A selection over a range in which some blocks have only rollups. */
export class RollupRunSelection implements RunSelection {
  readonly rows: SelectedRows
  readonly resolutionMs: number
  readonly hasHistograms: boolean
  readonly #base: RunSelection
  readonly #range: TimeRange
  readonly #rollups: RollupSamples
  readonly #sources: RunSources

  constructor(
    rows: SelectedRows,
    base: RunSelection,
    range: TimeRange,
    resolutionMs: number,
    rollups: RollupSamples,
    sources: RunSources,
  ) {
    this.rows = rows
    this.resolutionMs = resolutionMs
    this.hasHistograms = base.hasHistograms === true
    this.#base = base
    this.#range = range
    this.#rollups = rollups
    this.#sources = sources
  }

  readRuns(from: number, to: number, into: RunColumns): void {
    // First, because what is missing is reported after it.
    const rollupRuns = this.#rollupRunsOf(from, to)
    this.#base.readRuns(from, to, into)
    if (rollupRuns.size === 0) return
    const samples = new RunColumns()
    samples.exchange(into)
    into.clear(Infinity)
    for (let row = 0; row < to - from; row++) {
      const first = row === 0 ? 0 : samples.ends[row - 1]!
      mergeRow(rollupRuns.get(row), samples, first, samples.ends[row]!, into)
      into.endRow()
    }
  }

  get refs(): Uint32Array {
    return this.rows.refs
  }

  readNewest(timesMs: Float64Array, values: Float64Array): void {
    const rollupRuns = this.#rollupRunsOf(0, this.rows.length)
    this.#base.readNewest(timesMs, values)
    const words = new Int32Array(values.buffer, values.byteOffset, values.length * 2)
    for (const [row, { count, startsMs, words: rollupWords }] of rollupRuns) {
      const last = count - 1
      if (last < 0 || startsMs[last]! <= timesMs[row]!) continue
      timesMs[row] = startsMs[last]!
      words[row * 2] = rollupWords[last * 2]!
      words[row * 2 + 1] = rollupWords[last * 2 + 1]!
    }
  }

  #rollupRunsOf(from: number, to: number): ReadonlyMap<number, RunColumns> {
    const byPlace = new Map<number, RunColumns>()
    const refs = this.rows.refs.subarray(from, to)
    if (refs.length === 0) return byPlace
    this.#sources.readingPacks(() => {
      this.#rollups.each(refs, this.rows.metricOf, this.#range, (place, buckets) => {
        const known = byPlace.get(place) ?? new RunColumns()
        byPlace.set(place, known)
        pushBuckets(buckets, this.#range, known)
      })
    })
    return byPlace
  }
}

/** Merges both by rising time; for a time in both, the sample wins. */
function mergeRow(
  rollupRuns: RunColumns | undefined,
  samples: RunColumns,
  first: number,
  end: number,
  into: RunColumns,
): void {
  if (rollupRuns === undefined) {
    into.pushFrom(samples, first, end, -Infinity)
    return
  }
  let next = 0
  const pushRollupUntil = (timeMs: number): void => {
    while (next < rollupRuns.count && rollupRuns.startsMs[next]! < timeMs)
      into.pushFrom(rollupRuns, next, ++next, -Infinity)
    while (next < rollupRuns.count && rollupRuns.startsMs[next] === timeMs) next++
  }
  for (let run = first; run < end; run++) {
    const startMs = samples.startsMs[run]!
    const count = samples.counts[run]!
    pushRollupUntil(startMs)
    const lastMs = startMs + (count === 1 ? 0 : samples.deltasMs[run]! * (count - 1))
    if (next === rollupRuns.count || rollupRuns.startsMs[next]! > lastMs) {
      into.pushFrom(samples, run, run + 1, -Infinity)
      continue
    }
    const low = samples.words[run * 2]!
    const high = samples.words[run * 2 + 1]!
    for (let i = 0; i < count; i++) {
      const timeMs = startMs + (i === 0 ? 0 : samples.deltasMs[run]! * i)
      pushRollupUntil(timeMs)
      into.pushCut(timeMs, 0, 1, low, high, -Infinity, Infinity)
    }
  }
  pushRollupUntil(Infinity)
}
