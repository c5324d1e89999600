import type Database from 'better-sqlite3'
import type { ExemplarSeries } from '../model/exemplar.ts'
import { compareLabels, compareText, type Labels } from '../model/labels.ts'
import type { Matcher } from '../model/matcher.ts'
import type { MetricFamily } from '../model/metadata.ts'
import type { Portions, Queryable, RunSelection, SelectRequest } from '../model/queryable.ts'
import { REGEX_STEPS_MAX, RegexWork } from '../model/regex-limits.ts'
import type { TimeRange } from '../model/time-range.ts'
import type { RollupRequest, RollupSelection } from '../model/rollup.ts'
import { columnsOf, lastOf, newestOf } from '../model/sample-columns.ts'
import type { SeriesColumns } from '../model/series.ts'
import { asFailure, openDatabaseForReading } from './database.ts'
import { readExemplars } from './head/exemplars.ts'
import type { HeadMemory } from './head/head-memory.ts'
import type { HeadReader } from './head/head-reader.ts'
import { HistogramReader } from './head/histogram-reader.ts'
import type { Damage } from './integrity/damage.ts'
import { DamagedRanges } from './integrity/damaged-ranges.ts'
import { readFamilies } from './index/metadata.ts'
import type { ClusterSeries } from './erasure/cluster-report.ts'
import type { StoreOptions } from './options.ts'
import { cardinalityOf, GrowthWatch, type Cardinality } from './index/cardinality.ts'
import { indexStatusOf, storedTimesOf, type IndexStatus, type StoredTimes } from './index/index-status.ts'
import { groupByMetric, PackReader } from './packs/pack-reader.ts'
import { ColdSelection } from './index/cold-selection.ts'
import { PairTable } from './index/pair-table.ts'
import { SeriesIndex } from './index/postings.ts'
import { RollupReader, StoreRollupSelection } from './rollups/rollup-reader.ts'
import { RollupSamples, samplesOf, type RollupRunSelection } from './rollups/rollup-samples.ts'
import type { RunSources, StoreRunSelection } from './index/run-selection.ts'
import type { SelectedRows } from './index/selected-rows.ts'
import type { SeriesRow } from './index/series-table.ts'
import { eachPair, eachSeries } from './index/series-rows.ts'
import { SharedHead, type IndexMessage } from './head/shared-head.ts'
import { eachFlatSeries, type ReaderShare } from './head/share.ts'

/**
 * Opens what a writer has shared. Throws FleetError when the database cannot be read.
 * @param onDamage called for each damage that a read finds
 */
export function openReader(
  options: Pick<StoreOptions, 'dir'>,
  share: ReaderShare,
  onDamage: (found: Damage) => void = () => undefined,
): StoreReader {
  const db = openDatabaseForReading(options.dir)
  try {
    return asFailure(`reading ${options.dir}`, () => new StoreReader(db, share, onDamage))
  } catch (thrown) {
    db.close()
    throw thrown
  }
}

/** The reading side of the store, on the query worker, or in tests on the writer's own thread. */
export class StoreReader implements Queryable {
  readonly #db: Database.Database
  readonly #shared: SharedHead
  readonly #memory: HeadMemory
  readonly #pairs = new PairTable()
  readonly #index = new SeriesIndex(this.#pairs)
  readonly #cold: ColdSelection
  readonly #head: HeadReader
  readonly #damaged: DamagedRanges
  readonly #packs: PackReader
  readonly #rollups: RollupReader
  readonly #rollupSamples: RollupSamples
  readonly #histograms: HistogramReader
  readonly #growth = new GrowthWatch()
  readonly #sources: RunSources

  constructor(db: Database.Database, share: ReaderShare, onDamage: (found: Damage) => void) {
    this.#db = db
    this.#shared = new SharedHead(share, {
      received: (message) => {
        this.#take(message)
      },
    })
    this.#memory = this.#shared.memory
    this.#head = this.#shared.reader
    this.#damaged = new DamagedRanges(db, onDamage)
    this.#cold = new ColdSelection(db, this.#damaged)
    this.#packs = new PackReader(db, this.#damaged)
    this.#rollups = new RollupReader(db, this.#packs, this.#damaged)
    this.#rollupSamples = new RollupSamples(db, this.#rollups)
    this.#histograms = new HistogramReader(db, this.#damaged)
    this.#sources = {
      memory: this.#memory,
      head: this.#shared.rows,
      packs: this.#packs,
      hasHistograms: (rows) => {
        // After samples were read: a reader that sees a first histogram then also has its announcement.
        this.#shared.receiveHistograms()
        return this.#histograms.isAnyOf(rows)
      },
      pinned: (work) => this.#shared.pinned(work),
      readingPacks: (work) => asFailure('reading packs', work),
      reportMissing: (rows, refs, range, missing) => {
        if (missing !== undefined) this.#damaged.eachMissing(refs, rows.metricOf, range, missing)
      },
    }
    this.#load(share)
  }

  /** Number of series in the reader's index: those with samples. */
  get seriesCount(): number {
    return this.#index.size
  }

  select(request: SelectRequest): readonly SeriesColumns[] {
    if (request.hint?.isNewestOnly === true) return [...this.selectNewest(request)].flat()
    const selection = this.#selectSamples(request)
    return this.#withHistograms(columnsOf(selection, 0, selection.rows.length, request.maxSamples))
  }

  *selectNewest(request: SelectRequest): Portions<SeriesColumns> {
    const selection = this.#selectSamples(request)
    for (const portion of newestOf(selection)) {
      yield this.#withHistograms(portion, ({ ref }) => {
        // The newest sample is a histogram that is not committed yet: the one before it counts.
        const row = selection.rows.refs.indexOf(ref)
        return this.#withHistograms(columnsOf(selection, row, row + 1, request.maxSamples)).map(lastOf)
      })
    }
  }

  #selectSamples({ matchers, fromMs, toMs, maxSamples, work, missing }: SelectRequest): Selection {
    const request = {
      ...{ matchers, fromMs, toMs, maxSamples },
      ...(work === undefined ? {} : { work }),
      ...(missing === undefined ? {} : { missing }),
    }
    // Native histograms are recognised by their bits below: the selection must not drop them.
    const sources = { ...this.#sources, hasHistograms: () => false }
    return this.#selectRuns(request, sources)
  }

  /** @param before what counts where no sample is committed yet */
  #withHistograms(
    series: readonly SeriesColumns[],
    before: (columns: SeriesColumns) => readonly SeriesColumns[] = () => [],
  ): readonly SeriesColumns[] {
    this.#shared.receiveHistograms()
    if (this.#histograms.isEmpty) return series
    return asFailure('reading native histograms', () =>
      series.flatMap((columns) => {
        if (!this.#histograms.has(columns.ref)) return [columns]
        const attached = this.#histograms.attach(columns)
        return attached === undefined ? before(columns) : [attached]
      }),
    )
  }

  selectRuns(request: SelectRequest): RunSelection {
    return this.#selectRuns(request, this.#sources)
  }

  #selectRuns(request: SelectRequest, sources: RunSources): Selection {
    this.#shared.receive()
    return samplesOf(this.#rowsOf(request.matchers, request, request), request, sources, this.#rollupSamples)
  }

  selectRollup(request: RollupRequest): RollupSelection | undefined {
    this.#shared.receive()
    const plan = asFailure('reading blocks', () => this.#rollups.plan(request))
    if (plan === undefined) return undefined
    const rows = this.#rowsOf(request.matchers, request, request)
    // Buckets contain only floats.
    if (this.#sources.hasHistograms(rows)) return undefined
    return new StoreRollupSelection(rows, request, plan, this.#rollups, this.#sources)
  }

  *series(matchers: readonly Matcher[], range: TimeRange): Portions<Labels> {
    for (const { rows, refs } of this.#rowsInRange(matchers, range)) yield refs.map((ref) => rows.labelsOf(ref))
  }

  *labelNames(matchers: readonly Matcher[], range: TimeRange): Portions<string> {
    for (const { rows, refs } of this.#rowsInRange(matchers, range)) {
      const ids = new Set<number>()
      const names = new Set<string>()
      for (const ref of refs) {
        if (this.#index.slotOf(ref) >= 0) for (const id of this.#index.pairIdsOf(ref)) ids.add(id)
        else for (const [name] of rows.labelsOf(ref).pairs()) names.add(name)
      }
      for (const id of ids) names.add(this.#pairs.get(id)![0])
      yield [...names]
    }
  }

  *labelValues(name: string, matchers: readonly Matcher[], range: TimeRange): Portions<string> {
    const hasName: Matcher = { name, op: '!=', value: '' }
    for (const { rows, refs } of this.#rowsInRange([...matchers, hasName], range)) {
      yield [...new Set(refs.map((ref) => rows.labelsOf(ref).get(name)))]
    }
  }

  /** Series with one of these names in one of these labels. */
  seriesNamed(labels: readonly string[], names: readonly string[]): ClusterSeries {
    this.#shared.receive()
    const refs = new Set<number>()
    const [metrics, labelNames] = [new Set<string>(), new Set<string>()]
    for (const name of labels) {
      for (const value of names) {
        const rows = this.#rowsOf([{ name, op: '=', value }], ALL_TIMES)
        rows.refs.forEach((ref, row) => {
          if (refs.has(ref)) return
          refs.add(ref)
          const { metricName, flat } = rows.at(row)
          metrics.add(metricName)
          for (let i = 0; i < flat.length; i += 2) labelNames.add(flat[i]!)
        })
      }
    }
    return { refs, metrics: [...metrics].sort(compareText), labels: [...labelNames].sort(compareText) }
  }

  exemplars(matchers: readonly Matcher[], range: TimeRange): readonly ExemplarSeries[] {
    this.#shared.receive()
    const rows = this.#rowsOf(matchers, range)
    const found = asFailure('reading exemplars', () => readExemplars(this.#db, rows.refs, range))
    return Array.from(found, ([ref, exemplars]) => ({ labels: rows.labelsOf(ref), exemplars })).sort((a, b) =>
      compareLabels(a.labels, b.labels),
    )
  }

  metadata(name?: string): readonly MetricFamily[] {
    return asFailure('reading metadata', () => readFamilies(this.#db, name))
  }

  /** Records the newest series, from which `cardinality` derives which are new. Call it about once a minute. */
  recordGrowth(nowMs: number): void {
    this.#shared.receive()
    this.#growth.note(nowMs, this.#index.newestRef)
  }

  /** Series counts by metric and label; lists have at most `top` entries. `by`: a label whose values are counted too. */
  cardinality({ nowMs, top, by }: { nowMs: number; top: number; by: string }): Cardinality {
    this.recordGrowth(nowMs)
    const since = this.#growth.since ?? { atMs: nowMs, newestRef: this.#index.newestRef }
    return cardinalityOf(this.#index, this.#pairs, since, { top, by })
  }

  /** The size of the index, its largest names and values, and the time range of stored samples. */
  status(top: number): IndexStatus & StoredTimes {
    this.#shared.receive()
    const times = asFailure('reading blocks', () => storedTimesOf(this.#db))
    return { ...indexStatusOf(this.#index, this.#pairs, top), ...times }
  }

  close(): void {
    this.#shared.close()
    this.#db.close()
  }

  /** Loads the stored series, then receives the announcements since. */
  #load({ series, histograms }: ReaderShare): void {
    const slots = new Map<number, number>()
    for (let i = 0; i < series.length; i += 2) slots.set(series[i]!, series[i + 1]!)
    eachPair(this.#db, (id, name, value) => {
      this.#pairs.add(id, name, value)
    })
    eachSeries(this.#db, ({ ref, pairIds }) => {
      const slot = slots.get(ref)
      if (slot !== undefined) this.#index.add({ ref, slot, pairIds })
    })
    this.#index.removeUnusedPairs()
    for (const ref of histograms) this.#histograms.add(ref)
    this.#shared.receive()
  }

  #take(message: IndexMessage): void {
    switch (message.kind) {
      case 'series': {
        for (const { id, name, value } of message.pairs) this.#pairs.add(id, name, value)
        const { newestRef } = this.#index
        const warm: SeriesRow[] = []
        eachFlatSeries(message.series, (row) => {
          if (row.ref > newestRef) this.#index.add(row)
          else warm.push(row)
        })
        this.#index.insert(warm)
        break
      }
      case 'histograms':
        this.#histograms.add(message.ref)
        break
      case 'damaged':
        this.#damaged.add(message.damage)
        break
      case 'removed':
        this.#cold.untilMs = Math.max(this.#cold.untilMs, message.coldUntilMs)
        this.#histograms.remove(message.refs)
        this.#index.remove(message.refs)
        break
    }
  }

  /** Matching series: those in memory, and cold ones that may have a sample in the range. Call `receive` before. */
  #rowsOf(matchers: readonly Matcher[], range: TimeRange, request: SelectRows = {}): SelectedRows {
    if (range.fromMs > this.#cold.untilMs) return this.#index.select(matchers, request)
    const work = request.work ?? new RegexWork(REGEX_STEPS_MAX)
    for (;;) {
      const { generation } = this.#index
      const cold = asFailure('reading cold series', () => this.#cold.select(matchers, range, work, request.missing))
      this.#shared.receive()
      // Otherwise a series became cold after the cold ones were read.
      if (this.#index.generation === generation) return this.#index.select(matchers, { ...request, work }).with(cold)
    }
  }

  /**
   * Matching series with a sample in the range, in portions. First those that memory alone decides; the others metric by
   * metric, because each pack has one metric.
   */
  *#rowsInRange(matchers: readonly Matcher[], range: TimeRange): Iterable<RowsInRange> {
    const rows = this.#shared.pinned(() => this.#rowsOf(matchers, range))
    const unsure: number[] = []
    for (let from = 0; from < rows.length; from += ROWS_OF_PORTION) {
      const refs = rows.refs.subarray(from, from + ROWS_OF_PORTION)
      yield { rows, refs: this.#inMemory(rows, refs, range, unsure) }
    }
    // Not only those with `flushedUntilMs` after the range: a flush may have moved their samples in the meantime.
    const byMetric = groupByMetric(Uint32Array.from(unsure), rows.metricOf).flatMap(({ refs }) => refs)
    for (let from = 0; from < byMetric.length; from += ROWS_OF_PORTION) {
      yield { rows, refs: this.#inPacks(rows, byMetric.slice(from, from + ROWS_OF_PORTION), range) }
    }
  }

  /** @param unsure gets those that are to be looked for in packs */
  #inMemory(rows: SelectedRows, refs: Uint32Array, { fromMs, toMs }: TimeRange, unsure: number[]): readonly number[] {
    const inRange: number[] = []
    this.#shared.pinned(() => {
      for (const ref of refs) {
        // No slot: the series is cold, or was removed since the rows were selected.
        const slot = this.#index.slotOf(ref)
        const flushedUntilMs = slot < 0 ? rows.coldLastMs(ref) : this.#memory.flushedUntilMs(slot)
        if (flushedUntilMs >= fromMs && flushedUntilMs <= toMs) inRange.push(ref)
        else if (slot >= 0 && this.#head.hasSample(slot, fromMs, toMs)) inRange.push(ref)
        else unsure.push(ref)
      }
    })
    return inRange
  }

  /** @param refs rising in each metric */
  #inPacks({ metricOf }: SelectedRows, refs: readonly number[], { fromMs, toMs }: TimeRange): readonly number[] {
    const inRange: number[] = []
    asFailure('reading packs', () => {
      this.#packs.withSample(Uint32Array.from(refs), metricOf, fromMs, toMs, (ref) => inRange.push(ref))
      if (this.#rollupSamples.widthMs({ fromMs, toMs }) === 0) return
      const known = new Set(inRange)
      const left = Uint32Array.from(refs.filter((ref) => !known.has(ref)))
      this.#rollupSamples.withSample(left, metricOf, { fromMs, toMs }, (ref) => inRange.push(ref))
    })
    return inRange
  }
}

/** Refs of some of the rows. */
interface RowsInRange {
  readonly rows: SelectedRows
  readonly refs: readonly number[]
}

type Selection = StoreRunSelection | RollupRunSelection

type SelectRows = Pick<SelectRequest, 'tally' | 'work' | 'missing'>

const ALL_TIMES: TimeRange = { fromMs: -Infinity, toMs: Infinity }

/** Series that are looked at in one piece: some ms. */
const ROWS_OF_PORTION = 2048
