import { randomFillSync } from 'node:crypto'
import { invariant } from '../base/invariant.ts'
import type { SeriesRef } from '../model/series.ts'
import type { RefusedSeries } from './refusals.ts'

/**
 * From the raw bytes of a label set to its series or refusal: a label set is parsed once, not with every sample. A
 * hash table with linear probing in one array, 32 bytes per slot:
 *
 * ```
 * word  0..3  128 keyed bits of the bytes (wire/label-hash.ts); the bytes themselves are not stored or compared
 *       4     their length
 *       5     0 free, > 0 the series, < 0 the refusal at index -1 - value
 *       6     minute in which it was last found
 *       7     the sender's number (`Intake.senderOf`); 0 if unknown
 * ```
 *
 * Eviction loses no data: an unknown label set is parsed again and resolved to the same series. When the table is full,
 * the half found the longest ago is evicted (an approximate LRU that costs one word per lookup). A label set that
 * senders encode in two ways (another order, another encoding) has two entries and one series.
 */
const SLOT_WORDS = 8
const LENGTH = 4
const VALUE = 5
const MINUTE = 6
const SENDER = 7
const SLOTS_AT_START = 4096
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
  #slots = new Int32Array(SLOTS_AT_START * SLOT_WORDS)
  #mask = SLOTS_AT_START - 1
  #size = 0
  #minute = 0
  #refusals: RefusedSeries[] = []
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
    const at = this.#slotOf(hashes, series, length)
    const slots = this.#slots
    const value = slots[at + VALUE]!
    if (value !== 0) slots[at + MINUTE] = this.#minute
    this.foundSender = slots[at + SENDER]!
    return value
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
    if (this.#refusals.length >= REFUSALS_MAX) this.#rebuild(this.#mask + 1, (_, value) => value > 0)
    this.#makeRoom()
    this.#refusals.push(refusal)
    this.#insert(hashes, series, length, -this.#refusals.length, 0)
  }

  /** Removes series that the store has dropped: their refs must not be used again. Scans the whole table. */
  forget(refs: ReadonlySet<SeriesRef>): void {
    this.#rebuild(this.#mask + 1, (_, value) => value > 0 && !refs.has(value))
  }

  /** Forgets everything. */
  clear(): void {
    this.#rebuild(SLOTS_AT_START, () => false)
  }

  #insert(hashes: Int32Array, series: number, length: number, value: number, sender: number): void {
    const at = this.#slotOf(hashes, series, length)
    const slots = this.#slots
    if (slots[at + VALUE] === 0) this.#size++
    for (let word = 0; word < LENGTH; word++) slots[at + word] = hashes[series * 4 + word]!
    slots[at + LENGTH] = length
    slots[at + VALUE] = value
    slots[at + MINUTE] = this.#minute
    slots[at + SENDER] = sender
  }

  /** At most half of the slots are used, so that a search ends after one or two. */
  #makeRoom(): void {
    const slots = this.#mask + 1
    if (this.#size >= this.entriesMax) this.#dropOldest()
    else if (this.#size * 2 >= slots) this.#rebuild(slots * 2, (_, value) => value > 0)
  }

  /**
   * Evicts half of the label sets, those found the longest ago. Some 100 ms at a million, once per half a million new
   * ones.
   */
  #dropOldest(): void {
    const minutes = new Int32Array(this.#size)
    let count = 0
    for (let at = 0; at < this.#slots.length; at += SLOT_WORDS) {
      if (this.#slots[at + VALUE] !== 0) minutes[count++] = this.#slots[at + MINUTE]!
    }
    minutes.sort()
    const kept = this.#size >>> 1
    const oldestKept = minutes[this.#size - kept]!
    // Many share the minute at the border: as many of them stay as there is room for, in no order.
    let leftAtBorder = kept - minutes.filter((minute) => minute > oldestKept).length
    this.#rebuild(this.#mask + 1, (at, value) => {
      const minute = this.#slots[at + MINUTE]!
      return value > 0 && (minute > oldestKept || (minute === oldestKept && leftAtBorder-- > 0))
    })
  }

  /**
   * Moves the entries that `keeps` selects (by slot offset and value) into a new array. Refusals are always removed:
   * they are cheap to recompute, and their list starts over.
   */
  #rebuild(slotCount: number, keeps: (at: number, value: number) => boolean): void {
    const old = this.#slots
    const slots = new Int32Array(slotCount * SLOT_WORDS)
    const mask = slotCount - 1
    let size = 0
    for (let at = 0; at < old.length; at += SLOT_WORDS) {
      const value = old[at + VALUE]!
      if (value === 0 || !keeps(at, value)) continue
      let slot = old[at]! & mask
      while (slots[slot * SLOT_WORDS + VALUE] !== 0) slot = (slot + 1) & mask
      for (let word = 0; word < SLOT_WORDS; word++) slots[slot * SLOT_WORDS + word] = old[at + word]!
      size++
    }
    this.#slots = slots
    this.#mask = mask
    this.#size = size
    this.#refusals = []
  }

  /** HOT. The slot of the hashed label set, or the free slot for it. Ends because the table is never full. */
  #slotOf(hashes: Int32Array, series: number, length: number): number {
    const a = hashes[series * 4]!
    const b = hashes[series * 4 + 1]!
    const c = hashes[series * 4 + 2]!
    const d = hashes[series * 4 + 3]!
    const slots = this.#slots
    const mask = this.#mask
    for (let slot = a & mask; ; slot = (slot + 1) & mask) {
      const at = slot * SLOT_WORDS
      if (
        slots[at + VALUE] === 0 ||
        (slots[at] === a &&
          slots[at + 1] === b &&
          slots[at + 2] === c &&
          slots[at + 3] === d &&
          slots[at + LENGTH] === length)
      ) {
        return at
      }
    }
  }
}

function randomKey(): Int32Array {
  return randomFillSync(new Int32Array(4))
}
