import { grown } from '../../base/grown.ts'
import type { Labels } from '../../model/labels.ts'
import { compileMatcher, type Matcher } from '../../model/matcher.ts'
import { NO_REGEX_LIMITS, REGEX_STEPS_MAX, RegexWork } from '../../model/regex-limits.ts'
import type { ReadTally } from '../../model/read-tally.ts'
import type { SeriesRef } from '../../model/series.ts'
import { IdLists } from './id-lists.ts'
import type { PairTable } from './pair-table.ts'
import { MatchCache } from './match-cache.ts'
import { textsOf } from './match-texts.ts'
import { RefTable } from './ref-table.ts'
import { Generation, type RemovedSeries, type RowIndex, type SelectedRows } from './selected-rows.ts'
import { labelsOfPairs, type SeriesRow } from './series-table.ts'
import { countAbove, intersect, NO_REFS, subtract, unite } from './sorted-refs.ts'

/** Limit for cached label sets; when reached, the cache is cleared. */
const LABELS_CACHED_MAX = 200_000

/**
 * The index on the reader's side: for each label pair the refs of its series, rising. New series have larger refs than
 * all before, so lists grow at their end, except by series that were cold.
 */
export class SeriesIndex implements RowIndex {
  readonly #pairs: PairTable
  readonly #all = new PostingList()
  readonly #lists = new Map<number, PostingList>()
  readonly #slots = new RefTable()
  readonly #pairIds = new IdLists()
  /** By slot: the number of the metric name's pair. */
  #metrics = new Uint32Array(1024)
  readonly #labels = new Map<SeriesRef, Labels>()
  readonly #matched = new MatchCache(this)
  #generation = new Generation()

  constructor(pairs: PairTable) {
    this.#pairs = pairs
  }

  get size(): number {
    return this.#all.count
  }

  /** A new series: by rising ref. Ignores known ones. */
  add(series: SeriesRow): void {
    if (!this.#place(series)) return
    this.#all.push(series.ref)
    for (let i = 0; i < series.pairIds.length; i++) this.#listFor(series.pairIds[i]!).push(series.ref)
  }

  /** Series that were cold: their refs are among those that are here. */
  insert(all: readonly SeriesRow[]): void {
    const byPair = new Map<number, number[]>()
    const refs: number[] = []
    for (const series of all) {
      if (!this.#place(series)) continue
      refs.push(series.ref)
      for (let i = 0; i < series.pairIds.length; i++) {
        const id = series.pairIds[i]!
        const known = byPair.get(id)
        if (known === undefined) byPair.set(id, [series.ref])
        else known.push(series.ref)
      }
    }
    if (refs.length === 0) return
    this.#matched.clear()
    this.#all.insertAll(refs)
    for (const [id, inserted] of byPair) this.#listFor(id).insertAll(inserted)
  }

  /** False for a known series. */
  #place({ ref, slot, pairIds }: SeriesRow): boolean {
    if (this.#slots.get(ref) >= 0) return false
    this.#slots.set(ref, slot)
    this.#pairIds.set(slot, pairIds)
    this.#setMetric(slot, this.#pairs.metricOf(pairIds))
    return true
  }

  #listFor(pairId: number): PostingList {
    let list = this.#lists.get(pairId)
    if (list === undefined) this.#lists.set(pairId, (list = new PostingList()))
    return list
  }

  remove(refs: readonly SeriesRef[]): void {
    const known = refs.filter((ref) => this.#slots.get(ref) >= 0)
    if (known.length === 0) return
    this.#matched.clear()
    const sortedRefs = Uint32Array.from(known).sort()
    const touched = new Set<number>()
    const removed = new Map<SeriesRef, RemovedSeries>()
    for (const ref of known) {
      removed.set(ref, { metric: this.metricOf(ref), labels: this.labelsOf(ref) })
      for (const id of this.pairIdsOf(ref)) touched.add(id)
      this.#pairIds.remove(this.slotOf(ref))
      this.#slots.delete(ref)
      this.#labels.delete(ref)
    }
    this.#generation = this.#generation.end(removed)
    this.#all.removeAll(sortedRefs)
    for (const id of touched) {
      const list = this.#lists.get(id)!
      list.removeAll(sortedRefs)
      if (list.count > 0) continue
      this.#lists.delete(id)
      this.#pairs.remove(id)
    }
  }

  /** Call when all series are added: pairs without series are not needed. */
  removeUnusedPairs(): void {
    for (const id of [...this.#pairs.ids()]) if (!this.#lists.has(id)) this.#pairs.remove(id)
  }

  /** Ends when series are removed; until then rows that were selected stay as they are. */
  get generation(): Generation {
    return this.#generation
  }

  /** The largest ref of all; 0 when there is no series. */
  get newestRef(): SeriesRef {
    return this.#all.view.at(-1) ?? 0
  }

  /** How many series have a pair. */
  countOf(pairId: number): number {
    return this.#lists.get(pairId)?.count ?? 0
  }

  /** How many series with a pair have a larger ref. */
  countAfter(pairId: number, ref: SeriesRef): number {
    return countAbove(this.#listOf(pairId), ref)
  }

  countAllAfter(ref: SeriesRef): number {
    return countAbove(this.#all.view, ref)
  }

  slotOf(ref: SeriesRef): number {
    return this.#slots.get(ref)
  }

  pairIdsOf(ref: SeriesRef): Uint32Array {
    return this.#pairIds.get(this.slotOf(ref))
  }

  /** The number of the metric name's pair; 0 for a series without a name. */
  metricOf(ref: SeriesRef): number {
    return this.#metrics[this.slotOf(ref)] ?? 0
  }

  labelsOf(ref: SeriesRef): Labels {
    const cached = this.#labels.get(ref)
    if (cached !== undefined) return cached
    const labels = labelsOfPairs(this.#pairs, this.pairIdsOf(ref))
    if (this.#labels.size >= LABELS_CACHED_MAX) this.#labels.clear()
    this.#labels.set(ref, labels)
    return labels
  }

  /** One label's value, or the empty string; makes no label set. */
  valueOf(ref: SeriesRef, name: string): string {
    const cached = this.#labels.get(ref)
    if (cached !== undefined) return cached.get(name)
    for (const id of this.pairIdsOf(ref)) {
      const pair = this.#pairs.get(id)!
      if (pair[0] === name) return pair[1]
    }
    return ''
  }

  /** Refs of the series that all matchers accept, rising. Throws `RegexError`. */
  match(matchers: readonly Matcher[]): Uint32Array {
    return this.select(matchers).refs
  }

  /**
   * The matching series as rows. Required values are intersected, shortest list first; excluded values and matchers
   * that accept an absent label remove the values that do not match. Throws `RegexError`, and FleetError `query_limit`
   * when the regexes cost too much: they run over the distinct values of a label and cannot be interrupted.
   */
  select(
    matchers: readonly Matcher[],
    { tally, work = new RegexWork(REGEX_STEPS_MAX) }: { readonly tally?: ReadTally; readonly work?: RegexWork } = {},
  ): SelectedRows {
    return this.#matched.get(matchers, this.#all.view, () => this.#find(matchers, work), work, tally)
  }

  #find(matchers: readonly Matcher[], work: RegexWork): Uint32Array {
    const wanted: Uint32Array[] = []
    const unwanted: Uint32Array[] = []
    for (const matcher of matchers) {
      const acceptsAbsent = compileMatcher(matcher, NO_REGEX_LIMITS)('', work)
      const lists = this.#listsOf(matcher, acceptsAbsent, work)
      if (acceptsAbsent) unwanted.push(...lists)
      else wanted.push(unite(lists))
    }
    wanted.sort((a, b) => a.length - b.length)
    const matched = wanted.length === 0 ? this.#all.view : wanted.reduce(intersect)
    return subtract(matched, unite(unwanted))
  }

  /**
   * Lists of the values that a matcher accepts, or, when it accepts series without the label, of those that it rejects.
   */
  #listsOf(matcher: Matcher, acceptsAbsent: boolean, work: RegexWork): Uint32Array[] {
    const texts = textsOf(matcher)
    // The empty text is not a stored value: a matcher that lists it also selects series without the label.
    if (texts !== undefined && !texts.includes('')) {
      const ids = new Set(texts.map((text) => this.#pairs.find(matcher.name, text)))
      return [...ids].flatMap((id) => (id === undefined ? [] : [this.#listOf(id)]))
    }
    const accepts = compileMatcher(matcher, NO_REGEX_LIMITS)
    const lists: Uint32Array[] = []
    for (const [value, id] of this.#pairs.valuesOf(matcher.name)) {
      if (accepts(value, work) !== acceptsAbsent) lists.push(this.#listOf(id))
    }
    return lists
  }

  #setMetric(slot: number, metric: number): void {
    if (slot >= this.#metrics.length) {
      this.#metrics = grown(this.#metrics, Math.max(slot + 1, this.#metrics.length * 2))
    }
    this.#metrics[slot] = metric
  }

  #listOf(pairId: number): Uint32Array {
    return this.#lists.get(pairId)?.view ?? NO_REFS
  }
}

/** A rising list that mostly grows at its end. A view that was given out is never changed. */
class PostingList {
  count = 0
  #refs = new Uint32Array(4)

  get view(): Uint32Array {
    return this.#refs.subarray(0, this.count)
  }

  push(ref: SeriesRef): void {
    if (this.count === this.#refs.length) this.#refs = grown(this.#refs, this.count * 2)
    this.#refs[this.count++] = ref
  }

  insertAll(refs: readonly SeriesRef[]): void {
    this.#refs = unite([this.view, Uint32Array.from(refs)]).slice()
    this.count = this.#refs.length
  }

  removeAll(refs: Uint32Array): void {
    const left = subtract(this.view, refs)
    this.#refs = new Uint32Array(Math.max(4, left.length))
    this.#refs.set(left)
    this.count = left.length
  }
}
