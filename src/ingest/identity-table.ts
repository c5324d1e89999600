import { randomFillSync } from 'node:crypto'
import { invariant } from '../base/invariant.ts'
import type { SeriesRef } from '../model/series.ts'
import type { RefusedSeries } from './refusals.ts'

/**
 * From the raw bytes of a label set to its series or refusal: a label set is parsed once, not with every sample. Entries
 * of 32 bytes in the order in which they were remembered, and an index of them by hash (linear probing):
 *
 * ```
 * word  0..3  128 keyed bits of the bytes (wire/label-hash.ts); the bytes themselves are not stored or compared
 *       4     their length
 *       5     > 0 the series, < 0 the refusal at index -1 - value
 *       6     minute in which it was last found
 *       7     the sender's number (`Intake.senderOf`); 0 if unknown
 * ```
 *
 * A sender repeats its label sets in one order, so the entry behind the one that was found last is tried before the index:
 * then a scrape reads neighbouring memory, and not one random place in megabytes for each series.
 *
 * Eviction loses no data: an unknown label set is parsed again and resolved to the same series. When the table is full,
 * the half found the longest ago is evicted (an approximate LRU that costs one word per lookup). A label set that
 * senders encode in two ways (another order, another encoding) has two entries and one series.
 */
const ENTRY_WORDS = 8
const LENGTH = 4
const VALUE = 5
const MINUTE = 6
const SENDER = 7
const ENTRIES_AT_START = 2048
/** Each refusal includes a text; label sets beyond this limit are checked again each time. */
const REFUSALS_MAX = 10_000
/** Limit for bound clusters with a key; normally one per token, so it only bounds automated token creation. */
const SCOPES_MAX = 65_536

/** The sender's scope, part of the key: equal bytes from another bound cluster are another series. */
export type IdentityScope = Int32Array

export class IdentityTable {
  readonly entriesMax: number
  readonly #drawKey: () => Int32Array
  readonly #scopes = new Map<string, IdentityScope>()
  readonly #unbound: IdentityScope
  #entries = new Int32Array(ENTRIES_AT_START * ENTRY_WORDS)
  #size = 0
  /** Entry + 1; 0 for free. Twice as many places as there is room for entries, so that a search ends after one or two. */
  #index = new Int32Array(ENTRIES_AT_START * 2)
  /** The offset behind the entry that was found last. */
  #expected = 0
  #minute = 0
  #refusals: RefusedSeries[] = []
  /** Where in `#refusals` one is. */
  readonly #refusalPlaces = new Map<RefusedSeries, number>()
  /** Of the label set that the last `find` found. */
  foundSender = 0

  /**
   * @param entriesMax the maximum number of label sets; at least 2
   * @param drawKey four random words, drawn once per scope; tests pass fixed words to be repeatable
   */
  constructor(entriesMax: number, drawKey: () => Int32Array = randomKey) {
    invariant(entriesMax >= 2, 'an identity table has room for two label sets')
    this.entriesMax = entriesMax
    this.#drawKey = drawKey
    this.#unbound = drawKey()
  }

  get size(): number {
    return this.#size
  }

  /** Sets the time of later finds and inserts. */
  setTime(nowMs: number): void {
    this.#minute = Math.floor(nowMs / 60_000) | 0
  }

  /** The scope of a bound cluster, or of senders that are not bound. */
  scope(cluster: string | undefined): IdentityScope {
    if (cluster === undefined) return this.#unbound
    const known = this.#scopes.get(cluster)
    if (known !== undefined) return known
    // With a new key the old entries are never found again, and age out.
    if (this.#scopes.size === SCOPES_MAX) this.#scopes.clear()
    const drawn = this.#drawKey()
    this.#scopes.set(cluster, drawn)
    return drawn
  }

  /**
   * HOT. 0: unknown. Above 0: the series. Below 0: refused, see `refusal`; valid until the next `remember`.
   * @param hashes four words a series, under the key of the sender's scope
   */
  find(hashes: Int32Array, series: number, length: number): number {
    const entries = this.#entries
    let at = this.#expected
    if (!isEntryOf(entries, at, hashes, series, length)) {
      const entry = this.#index[this.#placeOf(hashes, series, length)]!
      if (entry === 0) {
        this.foundSender = 0
        return 0
      }
      at = (entry - 1) * ENTRY_WORDS
    }
    this.#expected = at + ENTRY_WORDS
    entries[at + MINUTE] = this.#minute
    this.foundSender = entries[at + SENDER]!
    return entries[at + VALUE]!
  }

  refusal(found: number): RefusedSeries {
    const refusal = this.#refusals[-1 - found]
    invariant(refusal !== undefined, 'a refusal in the identity table has its reason')
    return refusal
  }

  /** Stores the series of an unknown label set, and its sender. */
  remember(hashes: Int32Array, series: number, length: number, ref: SeriesRef, sender = 0): void {
    invariant(ref > 0 && ref <= 0x7fffffff, 'a series ref fits a positive 32-bit integer')
    this.#makeRoom()
    this.#insert(hashes, series, length, ref, sender)
  }

  /** Stores the refusal of an unknown label set. */
  rememberRefusal(hashes: Int32Array, series: number, length: number, refusal: RefusedSeries): void {
    if (this.#refusals.length >= REFUSALS_MAX && !this.#refusalPlaces.has(refusal)) {
      this.#rebuild(this.#capacity, (_, value) => value > 0)
    }
    this.#makeRoom()
    let place = this.#refusalPlaces.get(refusal)
    if (place === undefined) {
      place = this.#refusals.push(refusal)
      this.#refusalPlaces.set(refusal, place)
    }
    this.#insert(hashes, series, length, -place, 0)
  }

  /** Removes series that the store has dropped: their refs must not be used again. Scans the whole table. */
  forget(refs: ReadonlySet<SeriesRef>): void {
    this.#rebuild(this.#capacity, (_, value) => value > 0 && !refs.has(value))
  }

  /** Forgets everything. */
  clear(): void {
    this.#rebuild(ENTRIES_AT_START, () => false)
  }

  get #capacity(): number {
    return this.#index.length / 2
  }

  #insert(hashes: Int32Array, series: number, length: number, value: number, sender: number): void {
    const place = this.#placeOf(hashes, series, length)
    if (this.#index[place] === 0) this.#index[place] = ++this.#size
    const at = (this.#index[place]! - 1) * ENTRY_WORDS
    const entries = this.#entries
    for (let word = 0; word < LENGTH; word++) entries[at + word] = hashes[series * 4 + word]!
    entries[at + LENGTH] = length
    entries[at + VALUE] = value
    entries[at + MINUTE] = this.#minute
    entries[at + SENDER] = sender
  }

  #makeRoom(): void {
    if (this.#size >= this.entriesMax) this.#dropOldest()
    else if (this.#size === this.#capacity) this.#rebuild(this.#capacity * 2, (_, value) => value > 0)
  }

  /**
   * Evicts half of the label sets, those found the longest ago. Some 100 ms at a million, once per half a million new
   * ones.
   */
  #dropOldest(): void {
    const minutes = new Int32Array(this.#size)
    for (let entry = 0; entry < this.#size; entry++) minutes[entry] = this.#entries[entry * ENTRY_WORDS + MINUTE]!
    minutes.sort()
    const kept = this.#size >>> 1
    const oldestKept = minutes[this.#size - kept]!
    // Many share the minute at the border: as many of them stay as there is room for, the first ones.
    let leftAtBorder = kept - minutes.filter((minute) => minute > oldestKept).length
    this.#rebuild(this.#capacity, (at, value) => {
      const minute = this.#entries[at + MINUTE]!
      return value > 0 && (minute > oldestKept || (minute === oldestKept && leftAtBorder-- > 0))
    })
  }

  /**
   * Moves the entries that `keeps` selects (by offset and value), in their order. Refusals are always removed: they are
   * cheap to recompute, and their list starts over.
   */
  #rebuild(capacity: number, keeps: (at: number, value: number) => boolean): void {
    const old = this.#entries
    const entries = new Int32Array(capacity * ENTRY_WORDS)
    const index = new Int32Array(capacity * 2)
    const mask = index.length - 1
    let size = 0
    for (let at = 0; at < this.#size * ENTRY_WORDS; at += ENTRY_WORDS) {
      if (!keeps(at, old[at + VALUE]!)) continue
      entries.set(old.subarray(at, at + ENTRY_WORDS), size * ENTRY_WORDS)
      let place = old[at]! & mask
      while (index[place] !== 0) place = (place + 1) & mask
      index[place] = ++size
    }
    this.#entries = entries
    this.#index = index
    this.#size = size
    this.#expected = 0
    this.#refusals = []
    this.#refusalPlaces.clear()
  }

  /** HOT. The place in the index of the hashed label set, or the free place for it. */
  #placeOf(hashes: Int32Array, series: number, length: number): number {
    const index = this.#index
    const mask = index.length - 1
    for (let place = hashes[series * 4]! & mask; ; place = (place + 1) & mask) {
      const entry = index[place]!
      if (entry === 0 || isEntryOf(this.#entries, (entry - 1) * ENTRY_WORDS, hashes, series, length)) return place
    }
  }
}

/** HOT. An offset without an entry has zeros, whose value says that nothing is known; behind the end nothing is equal. */
function isEntryOf(entries: Int32Array, at: number, hashes: Int32Array, series: number, length: number): boolean {
  const from = series * 4
  return (
    entries[at] === hashes[from] &&
    entries[at + 1] === hashes[from + 1] &&
    entries[at + 2] === hashes[from + 2] &&
    entries[at + 3] === hashes[from + 3] &&
    entries[at + LENGTH] === length
  )
}

function randomKey(): Int32Array {
  return randomFillSync(new Int32Array(4))
}
