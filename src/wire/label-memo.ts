import { grown } from '../base/grown.ts'
import { readLabel, readLabelFields, type LabelLimits, type RawLabel } from './label-fields.ts'

/**
 * Reads label sets, and caches single labels by their bytes: a new cluster brings sixty label sets of the same few
 * names, versions and namespaces, and decoding two strings costs more than all other work on a label. Bounded: the
 * cache is cleared when it is full.
 *
 * ```
 * table   hash of the content -> number          open addressing, 0 for free
 * number  -> RawLabel, and the place of its content in `bytes`, to compare
 * ```
 */
const LABELS_MAX = 65_536
const BYTES_MAX = 4 * 1024 * 1024
const TABLE_SLOTS = LABELS_MAX * 2
const LABEL = 0x0a
/** Contents of this many bytes have a length of one byte. */
const CONTENT_BYTES_MAX = 127

export class LabelMemo {
  readonly #limits: LabelLimits
  readonly #table = new Int32Array(TABLE_SLOTS)
  readonly #hashes = new Int32Array(LABELS_MAX)
  readonly #starts = new Int32Array(LABELS_MAX)
  readonly #lengths = new Uint8Array(LABELS_MAX)
  #labels: RawLabel[] = []
  #bytes = new Uint8Array(64 * 1024)
  #view = new DataView(this.#bytes.buffer)
  #used = 0

  constructor(limits: LabelLimits) {
    this.#limits = limits
  }

  /**
   * Equals `readLabelFields` for the same bytes and limits.
   * @throws DecodeError when the bytes are not label fields
   */
  read(view: DataView, start: number, length: number): RawLabel[] {
    const end = start + length
    const labels: RawLabel[] = []
    let at = start
    while (at + 2 <= end && labels.length <= this.#limits.labelsMax) {
      const bytes = view.getUint8(at + 1)
      if (view.getUint8(at) !== LABEL || bytes > CONTENT_BYTES_MAX || at + 2 + bytes > end) break
      labels.push(this.#label(view, at + 2, bytes))
      at += 2 + bytes
    }
    if (at === end || labels.length > this.#limits.labelsMax) return labels
    return readLabelFields(view, start, length, this.#limits)
  }

  #label(view: DataView, start: number, length: number): RawLabel {
    const hash = hashOf(view, start, length)
    let slot = hash & (TABLE_SLOTS - 1)
    for (; this.#table[slot] !== 0; slot = (slot + 1) & (TABLE_SLOTS - 1)) {
      const number = this.#table[slot]! - 1
      if (this.#hashes[number] === hash && this.#isSame(number, view, start, length)) return this.#labels[number]!
    }
    const label = readLabel(view, start, length, this.#limits.textBytesMax)
    this.#remember(slot, hash, label, view, start, length)
    return label
  }

  #isSame(number: number, view: DataView, start: number, length: number): boolean {
    if (this.#lengths[number] !== length) return false
    const kept = this.#starts[number]!
    let at = 0
    for (; at + 4 <= length; at += 4) {
      if (this.#view.getInt32(kept + at) !== view.getInt32(start + at)) return false
    }
    for (; at < length; at++) if (this.#bytes[kept + at] !== view.getUint8(start + at)) return false
    return true
  }

  #remember(slot: number, hash: number, label: RawLabel, view: DataView, start: number, length: number): void {
    if (this.#labels.length === LABELS_MAX || this.#used + length > BYTES_MAX) {
      this.#table.fill(0)
      this.#labels = []
      this.#used = 0
      slot = hash & (TABLE_SLOTS - 1)
    }
    if (this.#used + length > this.#bytes.length) {
      this.#bytes = grown(this.#bytes, this.#bytes.length * 2)
      this.#view = new DataView(this.#bytes.buffer)
    }
    const number = this.#labels.push(label) - 1
    this.#table[slot] = number + 1
    this.#hashes[number] = hash
    this.#starts[number] = this.#used
    this.#lengths[number] = length
    this.#bytes.set(new Uint8Array(view.buffer, view.byteOffset + start, length), this.#used)
    this.#used += length
  }
}

/** Of a few dozen bytes, for a table that compares: after MurmurHash3's 32-bit form. */
function hashOf(view: DataView, start: number, length: number): number {
  let hash = length
  let at = start
  const end = start + length
  for (; at + 4 <= end; at += 4) {
    const word = Math.imul(view.getInt32(at, true), 0xcc9e2d51)
    hash ^= Math.imul((word << 15) | (word >>> 17), 0x1b873593)
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0
  }
  for (; at < end; at++) hash = Math.imul(hash ^ view.getUint8(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return hash ^ (hash >>> 13)
}
