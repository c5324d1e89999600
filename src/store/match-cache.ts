import type { Labels } from '../model/labels.ts'
import { compileMatcher, type Matcher } from '../model/matcher.ts'
import type { SeriesRef } from '../model/series.ts'

/**
 * What matchers matched before: a rule asks the same every half minute, and a dashboard every few seconds. New series
 * are tested one by one and added at the end, because their refs are larger than all before; when series are removed,
 * all is forgotten.
 */

/** The most selections, and refs in all of them (4 bytes each), that are kept; the oldest go first. */
const SELECTIONS_MAX = 2000
const REFS_MAX = 8_000_000
/** With more new series than this it is cheaper to match again. */
const NEW_SERIES_MAX = 2000

interface Selection {
  readonly accepts: readonly { readonly name: string; readonly test: (value: string) => boolean }[]
  refs: Uint32Array
  /** How many series the index had. */
  seenSeries: number
}

export class MatchCache {
  readonly #selections = new Map<string, Selection>()
  #refCount = 0

  /**
   * @param all refs of all series, rising; only grows at its end until `clear`
   * @param match finds all refs that the matchers accept. Throws `RegexError`.
   */
  get(
    matchers: readonly Matcher[],
    all: Uint32Array,
    labelsOf: (ref: SeriesRef) => Labels,
    match: () => Uint32Array,
  ): Uint32Array {
    const key = JSON.stringify(matchers.map(({ name, op, value }) => [name, op, value]))
    const known = this.#selections.get(key)
    if (known === undefined || all.length - known.seenSeries > NEW_SERIES_MAX) {
      if (known !== undefined) this.#forget(key, known)
      const refs = match()
      this.#keep(key, { accepts: matchers.map(testOf), refs, seenSeries: all.length })
      return refs
    }
    if (known.seenSeries < all.length) this.#extend(known, all.subarray(known.seenSeries), labelsOf)
    known.seenSeries = all.length
    return known.refs
  }

  /** To be called when a series was removed. */
  clear(): void {
    this.#selections.clear()
    this.#refCount = 0
  }

  #extend(selection: Selection, added: Uint32Array, labelsOf: (ref: SeriesRef) => Labels): void {
    const accepted = added.filter((ref) => {
      const labels = labelsOf(ref)
      return selection.accepts.every(({ name, test }) => test(labels.get(name)))
    })
    if (accepted.length === 0) return
    const refs = new Uint32Array(selection.refs.length + accepted.length)
    refs.set(selection.refs)
    refs.set(accepted, selection.refs.length)
    selection.refs = refs
    this.#refCount += accepted.length
  }

  #keep(key: string, selection: Selection): void {
    this.#selections.set(key, selection)
    this.#refCount += selection.refs.length
    for (const [oldest, old] of this.#selections) {
      if (this.#selections.size <= SELECTIONS_MAX && this.#refCount <= REFS_MAX) return
      this.#forget(oldest, old)
    }
  }

  #forget(key: string, selection: Selection): void {
    this.#selections.delete(key)
    this.#refCount -= selection.refs.length
  }
}

function testOf(matcher: Matcher): { readonly name: string; readonly test: (value: string) => boolean } {
  return { name: matcher.name, test: compileMatcher(matcher) }
}
