import { compileMatcher, keyOfMatchers, type Matcher } from '../../model/matcher.ts'
import { NO_REGEX_LIMITS, type RegexWork } from '../../model/regex-limits.ts'
import type { ReadTally } from '../../model/read-tally.ts'
import { SelectedRows, type RowIndex } from './selected-rows.ts'

/**
 * Results of earlier selections: a rule repeats its query every half minute, a dashboard every few seconds. New series
 * are tested one by one and added at the end, because their refs are the largest; the removal of series clears the
 * cache.
 */

/** Limits for the number of selections and their bytes; the least recently used one is evicted. */
const SELECTIONS_MAX = 2000
const BYTES_MAX = 64 * 1024 * 1024
/** With more new series than this it is cheaper to match again. */
const NEW_SERIES_MAX = 2000

interface Selection {
  readonly accepts: readonly { readonly name: string; readonly test: ReturnType<typeof compileMatcher> }[]
  readonly rows: SelectedRows
  /** How many series the index had. */
  seenSeries: number
}

export class MatchCache {
  readonly #index: RowIndex
  readonly #selections = new Map<string, Selection>()
  #bytes = 0

  constructor(index: RowIndex) {
    this.#index = index
  }

  /**
   * @param all refs of all series, rising; only grows at its end until `clear`
   * @param match finds all refs that the matchers accept. Throws `RegexError`.
   * @param work bounds the tests of new series
   */
  get(
    matchers: readonly Matcher[],
    all: Uint32Array,
    match: () => Uint32Array,
    work: RegexWork,
    tally?: ReadTally,
  ): SelectedRows {
    const key = keyOfMatchers(matchers)
    const known = this.#selections.get(key)
    // Deleted and inserted again: the map's order is the order of last use.
    if (known !== undefined) this.#forget(key, known)
    const selection = this.#current(known, matchers, all, match, work)
    this.#keep(key, selection)
    if (tally !== undefined) tally.isMatchKnown = known !== undefined
    return selection.rows
  }

  /** Call when a series was removed. */
  clear(): void {
    this.#selections.clear()
    this.#bytes = 0
  }

  #current(
    known: Selection | undefined,
    matchers: readonly Matcher[],
    all: Uint32Array,
    match: () => Uint32Array,
    work: RegexWork,
  ): Selection {
    if (known === undefined) {
      return { accepts: matchers.map(testOf), rows: new SelectedRows(match(), this.#index), seenSeries: all.length }
    }
    const added = all.length - known.seenSeries
    if (added === 0) return known
    const refs = added > NEW_SERIES_MAX ? match() : this.#extended(known, all.subarray(known.seenSeries), work)
    const isLonger = refs.length > known.rows.length
    const rows = isLonger ? new SelectedRows(refs, this.#index, known.rows) : known.rows
    return { ...known, rows, seenSeries: all.length }
  }

  #extended({ accepts, rows }: Selection, added: Uint32Array, work: RegexWork): Uint32Array {
    const accepted = added.filter((ref) =>
      accepts.every(({ name, test }) => test(this.#index.valueOf(ref, name), work)),
    )
    if (accepted.length === 0) return rows.refs
    const refs = new Uint32Array(rows.length + accepted.length)
    refs.set(rows.refs)
    refs.set(accepted, rows.length)
    return refs
  }

  #keep(key: string, selection: Selection): void {
    this.#selections.set(key, selection)
    this.#bytes += selection.rows.bytes
    for (const [oldest, old] of this.#selections) {
      if (this.#selections.size <= SELECTIONS_MAX && this.#bytes <= BYTES_MAX) return
      this.#forget(oldest, old)
    }
  }

  #forget(key: string, selection: Selection): void {
    this.#selections.delete(key)
    this.#bytes -= selection.rows.bytes
  }
}

function testOf(matcher: Matcher): { readonly name: string; readonly test: ReturnType<typeof compileMatcher> } {
  return { name: matcher.name, test: compileMatcher(matcher, NO_REGEX_LIMITS) }
}
