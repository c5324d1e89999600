import type { WriteBatch } from './write-batch.ts'

/**
 * The hash that identifies a label set by its raw bytes: 128 bits, keyed, only for a table in memory, never stored.
 * Defined here; `assembly/write-decoder.ts` computes the same sixteen bytes at a time.
 *
 * It is not a cryptographic hash, and need not be. A sender without a bound cluster may already write any series under
 * its true name, so it gains nothing by a deliberate collision. A sender bound to a cluster hashes under a random key
 * of that cluster (see `IdentityTable.scope`) and can only confuse its own series. The probability of an accidental
 * collision among a million label sets is about 2^-89.
 *
 * ```
 * bytes     |  block 0  |  block 1  |  block 2  | ...  | the last 1 to 15 bytes, then zeros |
 * state        even        odd         even              odd
 * ```
 *
 * Two states of four 32-bit lanes alternate, so that one waits for its block while the other is computed. A block is
 * multiplied, rotated and multiplied again, joined to its state by XOR, and the state is rotated and mixed over its
 * lanes. (With one multiplication, a difference in the last byte of a word stays there, and label sets that differ in
 * the same digit at three unlucky places could cancel out.) Each round is a permutation of the state for its input
 * bytes, so a difference only vanishes by another one. At the end both states are mixed into each other.
 */
const SPREAD_1 = 0x239b961b | 0
const SPREAD_2 = 0xab0e9789 | 0
const SPREAD_3 = 0x38b34ae5 | 0
const SPREAD_4 = 0xa1e38b93 | 0
/** Distinguishes the key of the odd state from that of the even one. */
const ODD_1 = 0x9e3779b9 | 0
const ODD_2 = 0x7f4a7c15
const ODD_3 = 0xf39cc060 | 0
const ODD_4 = 0x5cedc834

/** The lanes of the two states, and a partial block. */
const EVEN = new Int32Array(4)
const ODD = new Int32Array(4)
const LAST = new DataView(new ArrayBuffer(16))

/** Fills the column `hashes` of series `[from, to)` of a batch: four words a series. @param key four words */
export function hashLabels(batch: WriteBatch, key: Int32Array, from = 0, to = batch.seriesCount): void {
  for (let series = from; series < to; series++) {
    const view = batch.labelView(series)
    hashBytes(key, view, batch.labelOffset(series), batch.labelBytes[series]!, batch.hashes, series * 4)
  }
}

/** HOT: over some 500 bytes a series. Writes four words to `target` at `at`. */
export function hashBytes(
  key: Int32Array,
  view: DataView,
  start: number,
  length: number,
  target: Int32Array,
  at: number,
): void {
  EVEN.set(key)
  ODD[0] = key[0]! ^ ODD_1
  ODD[1] = key[1]! ^ ODD_2
  ODD[2] = key[2]! ^ ODD_3
  ODD[3] = key[3]! ^ ODD_4
  const whole = start + (length & ~15)
  let from = start
  for (; from + 16 < whole; from += 32) {
    round(EVEN, view, from)
    round(ODD, view, from + 16)
  }
  if (from < whole) round(EVEN, view, from)
  if (whole < start + length) {
    LAST.setFloat64(0, 0)
    LAST.setFloat64(8, 0)
    for (let i = 0; i < (length & 15); i++) LAST.setUint8(i, view.getUint8(whole + i))
    round(ODD, LAST, 0)
  }
  for (let lane = 0; lane < 4; lane++) EVEN[lane]! ^= length
  for (let pass = 0; pass < 3; pass++) {
    scramble(EVEN)
    mix(EVEN, EVEN[0]!, EVEN[1]!, EVEN[2]!, EVEN[3]!)
    scramble(ODD)
    mix(ODD, ODD[0], ODD[1], ODD[2], ODD[3])
    for (let lane = 0; lane < 4; lane++) EVEN[lane]! += ODD[lane]!
  }
  scramble(EVEN)
  target.set(EVEN, at)
}

/** HOT. One block into a state. */
function round(state: Int32Array, view: DataView, at: number): void {
  const a = state[0]! ^ Math.imul(rotate15(Math.imul(view.getInt32(at, true), SPREAD_1)), SPREAD_2)
  const b = state[1]! ^ Math.imul(rotate15(Math.imul(view.getInt32(at + 4, true), SPREAD_2)), SPREAD_3)
  const c = state[2]! ^ Math.imul(rotate15(Math.imul(view.getInt32(at + 8, true), SPREAD_3)), SPREAD_4)
  const d = state[3]! ^ Math.imul(rotate15(Math.imul(view.getInt32(at + 12, true), SPREAD_4)), SPREAD_1)
  mix(state, rotate13(a), rotate13(b), rotate13(c), rotate13(d))
}

/** HOT. Adds each second lane to the one before it, then moves each one down. */
function mix(state: Int32Array, a: number, b: number, c: number, d: number): void {
  state[0] = b
  state[1] = c + d
  state[2] = d
  state[3] = a + b
}

function rotate15(word: number): number {
  return (word << 15) | (word >>> 17)
}

function rotate13(word: number): number {
  return (word << 13) | (word >>> 19)
}

function scramble(state: Int32Array): void {
  for (let lane = 0; lane < 4; lane++) {
    let x = state[lane]!
    x = Math.imul(x ^ (x >>> 16), 0x85ebca6b)
    x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35)
    state[lane] = x ^ (x >>> 16)
  }
}
