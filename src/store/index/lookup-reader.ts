import type Database from 'better-sqlite3'
import { invariant } from '../../base/invariant.ts'
import type { Labels } from '../../model/labels.ts'
import { keyOfMatchers, type Matcher } from '../../model/matcher.ts'
import type { Queryable, RunSelection, SelectRequest } from '../../model/queryable.ts'
import type { RollupRequest } from '../../model/rollup.ts'
import type { SeriesColumns, SeriesRef } from '../../model/series.ts'
import { asFailure, openDatabaseForReading } from '../database.ts'
import type { StoreOptions } from '../options.ts'
import { PackReader } from '../packs/pack-reader.ts'
import { RollupReader } from '../rollups/rollup-reader.ts'
import { columnsOf, KeptSamples, samplesOf } from '../rollups/rollup-samples.ts'
import type { RunSources } from './run-selection.ts'
import { Generation, SelectedRows, type RowIndex } from './selected-rows.ts'
import { SharedHead } from '../head/shared-head.ts'
import type { WatchMessage, WatchShare } from '../head/share.ts'

/** What a reader found: columns of one length, by rising ref. Structured-cloneable. */
export interface FoundSeries {
  readonly refs: Uint32Array
  readonly slots: Int32Array
  /** The number of the pair that names the metric. */
  readonly metrics: Uint32Array
  readonly labels: readonly Labels[]
}

/** How a reader on another thread finds series; undefined when they are too many or not of floats alone. */
export type FindSeries = (matchers: readonly Matcher[]) => Promise<FoundSeries | undefined>

/** A selector is not among those that were learnt, or is of a kind that only the whole reader can do. */
export class LookupMiss extends Error {
  override readonly name = 'LookupMiss'
}

/** Whether a selector can be read now; `changed`: something touched it meanwhile, and it may be asked for again. */
export type Learnt = 'known' | 'changed' | 'unfit'

/** Learnt selectors; when there are more, all are forgotten. */
const LEARNT_MAX = 4000
/** Main answers requests beside: it keeps little, and does not inflate for long. */
const PACKS = { cacheBytesMax: 16 * 1024 * 1024, packBytesMax: 1024 * 1024 }

/** Throws FleetError when the database cannot be read. */
export function openLookups({ dir }: Pick<StoreOptions, 'dir'>, share: WatchShare): LookupReader {
  const db = openDatabaseForReading(dir)
  try {
    return asFailure(`reading ${dir}`, () => new LookupReader(db, share))
  } catch (thrown) {
    db.close()
    throw thrown
  }
}

/**
 * A store of a few series, for a thread without an index: it asks a reader once which series matchers find, and then reads
 * their samples itself, from the head's shared memory and from packs. New series of a metric, removed ones and first
 * histograms make it forget what they touch. Everything acknowledged before a read is in it, as in a reader's.
 */
export class LookupReader implements Queryable {
  readonly #db: Database.Database
  readonly #shared: SharedHead<WatchMessage>
  readonly #rollups: RollupReader
  readonly #kept: KeptSamples
  readonly #sources: Omit<RunSources, 'metricOf'>
  readonly #learnt = new Map<string, KnownSeries>()
  /** Selectors that are being asked for; one that something touched meanwhile is taken out. */
  readonly #asked = new Map<string, string>()
  readonly #histogramRefs = new Set<SeriesRef>()

  constructor(db: Database.Database, share: WatchShare) {
    this.#db = db
    this.#shared = new SharedHead(share, {
      told: (message) => {
        this.#take(message)
      },
      forget: (refs) => {
        this.#forget(refs)
      },
    })
    this.#rollups = new RollupReader(this.#db)
    this.#kept = new KeptSamples(this.#db)
    this.#sources = {
      memory: this.#shared.memory,
      head: this.#shared.rows,
      packs: new PackReader(this.#db, PACKS),
      hasHistograms: (rows) => this.#haveHistograms(rows),
      pinned: (work) => this.#shared.pinned(work),
      readingPacks: (work) => asFailure('reading packs', work),
    }
    this.receive()
  }

  /** Whether these selectors can be read now. */
  knows(selectors: readonly (readonly Matcher[])[]): boolean {
    this.receive()
    return selectors.every((matchers) => this.#learnt.has(keyOfMatchers(matchers)))
  }

  /** Asks for a selector, which must name its metric. Rejects as `find` does. */
  async learn(matchers: readonly Matcher[], find: FindSeries): Promise<Learnt> {
    const metric = metricNamedBy(matchers)
    invariant(metric !== undefined, 'a selector that is learnt names its metric')
    const key = keyOfMatchers(matchers)
    this.receive()
    if (this.#learnt.has(key)) return 'known'
    this.#asked.set(key, metric)
    try {
      const found = await find(matchers)
      // What was told until the answer came may be in it or not.
      this.receive()
      if (found === undefined) return 'unfit'
      if (!this.#asked.has(key)) return 'changed'
      if (this.#learnt.size >= LEARNT_MAX) this.#learnt.clear()
      this.#learnt.set(key, new KnownSeries(metric, found, this.#sources))
      return 'known'
    } finally {
      this.#asked.delete(key)
    }
  }

  selectRuns(request: SelectRequest): RunSelection {
    const { rows, sources } = this.#known(request.matchers)
    return samplesOf(rows, request, sources, this.#kept)
  }

  /** Buckets are the reader's. */
  selectRollup(request: RollupRequest): undefined {
    if (asFailure('reading blocks', () => this.#rollups.plan(request)) !== undefined) {
      throw new LookupMiss('rollups would be read')
    }
    return undefined
  }

  select(request: SelectRequest): readonly SeriesColumns[] {
    const runs = this.selectRuns(request)
    if (runs.hasHistograms === true) throw new LookupMiss('some series has native histograms by now')
    return columnsOf(runs, runs.refs!, request.hint?.isNewestOnly === true)
  }

  series(): readonly Labels[] {
    throw new LookupMiss('there is no index')
  }

  labelNames(): readonly string[] {
    throw new LookupMiss('there is no index')
  }

  labelValues(): readonly string[] {
    throw new LookupMiss('there is no index')
  }

  /** Takes in what the writer told since. To be called now and then even when nothing is read. */
  receive(): void {
    this.#shared.receive()
  }

  close(): void {
    this.#shared.close()
    this.#db.close()
  }

  #known(matchers: readonly Matcher[]): KnownSeries {
    this.receive()
    const known = this.#learnt.get(keyOfMatchers(matchers))
    if (known === undefined) throw new LookupMiss('a selector that was not learnt, or that was forgotten')
    return known
  }

  #forgetMetrics(names: ReadonlySet<string>): void {
    for (const [key, { metric }] of this.#learnt) if (names.has(metric)) this.#learnt.delete(key)
    for (const [key, metric] of this.#asked) if (names.has(metric)) this.#asked.delete(key)
  }

  #take(message: Exclude<WatchMessage, { readonly kind: 'slots' | 'pages' }>): void {
    switch (message.kind) {
      case 'metrics':
        this.#forgetMetrics(new Set(message.names))
        break
      case 'histograms':
        this.#histogramRefs.add(message.ref)
        this.#asked.clear()
        break
      case 'removed':
        this.#asked.clear()
        break
    }
  }

  #forget(refs: readonly SeriesRef[]): void {
    if (refs.length === 0) return
    const gone = new Set(refs)
    for (const ref of gone) this.#histogramRefs.delete(ref)
    for (const [key, known] of this.#learnt) if (known.remove(gone)) this.#learnt.delete(key)
  }

  #haveHistograms({ refs }: SelectedRows): boolean {
    this.#shared.receiveHistograms()
    return this.#histogramRefs.size > 0 && refs.some((ref) => this.#histogramRefs.has(ref))
  }
}

/** The series of one selector. Whoever still reads them when they are forgotten reads on. */
class KnownSeries implements RowIndex {
  readonly metric: string
  readonly rows: SelectedRows
  readonly sources: RunSources
  generation = new Generation()
  readonly #found: FoundSeries

  constructor(metric: string, found: FoundSeries, sources: Omit<RunSources, 'metricOf'>) {
    this.metric = metric
    this.#found = found
    this.rows = new SelectedRows(found.refs, this)
    this.sources = { ...sources, metricOf: (ref) => found.metrics[this.#rowOf(ref)]! }
  }

  slotOf(ref: SeriesRef): number {
    return this.#found.slots[this.#rowOf(ref)]!
  }

  labelsOf(ref: SeriesRef): Labels {
    return this.#found.labels[this.#rowOf(ref)]!
  }

  valueOf(ref: SeriesRef, name: string): string {
    return this.labelsOf(ref).get(name)
  }

  labelsOfPairIds(): Labels {
    throw new TypeError('bug: labels of removed series stay where they are')
  }

  /** Of the removed series those have no slot from now on; answers whether there is one among these. */
  remove(gone: ReadonlySet<SeriesRef>): boolean {
    const { refs, slots } = this.#found
    const rows = refs.reduce<number[]>((found, ref, row) => (gone.has(ref) ? [...found, row] : found), [])
    for (const row of rows) slots[row] = -1
    if (rows.length > 0) this.generation = this.generation.end(new Map())
    return rows.length > 0
  }

  /** There are few. */
  #rowOf(ref: SeriesRef): number {
    return this.#found.refs.indexOf(ref)
  }
}

/** The metric that matchers ask for by name; undefined when they do not. */
export function metricNamedBy(matchers: readonly Matcher[]): string | undefined {
  return matchers.find(({ name, op, value }) => name === '__name__' && op === '=' && value !== '')?.value
}
