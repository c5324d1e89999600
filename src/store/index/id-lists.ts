import { grown } from '../../base/grown.ts'

/**
 * A short list of numbers for each slot, all in one typed array: half a million series would otherwise be half a
 * million arrays. Space of removed lists is won back when it is more than half, and given
 * back when it is more than three quarters.
 */
const IDS_MIN = 1024

export class IdLists {
  #ids = new Uint32Array(IDS_MIN)
  #used = 0
  #wasted = 0
  #offsets = new Float64Array(1024)
  #lengths = new Uint32Array(1024)

  set(slot: number, ids: ArrayLike<number>): void {
    this.remove(slot)
    if (slot >= this.#offsets.length) this.#growSlots(slot)
    if (this.#used + ids.length > this.#ids.length) this.#makeRoom(ids.length)
    this.#ids.set(ids, this.#used)
    this.#offsets[slot] = this.#used
    this.#lengths[slot] = ids.length
    this.#used += ids.length
  }

  /** A view; valid until the next `set` or `remove`. Empty when the slot has none. */
  get(slot: number): Uint32Array {
    const offset = this.#offsets[slot] ?? 0
    return this.#ids.subarray(offset, offset + (this.#lengths[slot] ?? 0))
  }

  /** Whether a slot's list is this one. */
  isEqual(slot: number, ids: ArrayLike<number>): boolean {
    const length = this.#lengths[slot]
    if (length !== ids.length) return false
    const offset = this.#offsets[slot]!
    for (let i = 0; i < length; i++) if (this.#ids[offset + i] !== ids[i]) return false
    return true
  }

  remove(slot: number): void {
    this.#wasted += this.#lengths[slot] ?? 0
    if (slot < this.#lengths.length) this.#lengths[slot] = 0
    if (this.#used > IDS_MIN && this.#wasted * 4 > this.#used * 3) this.#moveTo(this.#used >> 1)
  }

  #makeRoom(count: number): void {
    const isMostlyWaste = this.#wasted * 2 > this.#used
    const size = isMostlyWaste ? this.#ids.length : Math.max(this.#ids.length * 2, this.#used + count)
    this.#moveTo(Math.max(size, this.#used - this.#wasted + count))
  }

  /** Moves all lists into an array of `size`. */
  #moveTo(size: number): void {
    const next = new Uint32Array(size)
    let used = 0
    for (let slot = 0; slot < this.#lengths.length; slot++) {
      const length = this.#lengths[slot]!
      const offset = this.#offsets[slot]!
      next.set(this.#ids.subarray(offset, offset + length), used)
      this.#offsets[slot] = used
      used += length
    }
    this.#ids = next
    this.#used = used
    this.#wasted = 0
  }

  #growSlots(slot: number): void {
    const size = Math.max(this.#offsets.length * 2, slot + 1)
    this.#offsets = grown(this.#offsets, size)
    this.#lengths = grown(this.#lengths, size)
  }
}
