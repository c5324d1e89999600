/**
 * The hash by which a label set is recognised from its raw bytes: 128 bits, keyed. Built for what JavaScript does fast
 * (32-bit multiply, rotate, add on four independent lanes) and for one use: a table in memory. It is written to no file.
 *
 * It is not a cryptographic hash, and it need not be. Whoever may send without a bound cluster may already write any
 * series under its true name, so a collision made on purpose gains nothing. A sender bound to a cluster hashes under
 * a random key of that cluster alone (see `IdentityTable.scope`) and can only confuse its own series. By accident, with
 * a million label sets, two meet with a chance of about 2^-89.
 */
const SPREAD_1 = 0x239b961b | 0
const SPREAD_2 = 0xab0e9789 | 0
const SPREAD_3 = 0x38b34ae5 | 0
const SPREAD_4 = 0xa1e38b93 | 0

export class LabelHash {
  /** The four words of the last `hash`. */
  a = 0
  b = 0
  c = 0
  d = 0

  /**
   * HOT: once per series and request, over some 500 bytes. After MurmurHash3 (x86, 128 bits): each word is spread over
   * 32 bits before it meets the state. One multiplication alone leaves a difference in the last byte of a word where
   * it is, and label sets that differ in the same digit at three unlucky places could then cancel out. Each round is a
   * permutation of the state for the bytes it takes in, so a difference never vanishes but by another one.
   * @param key four words
   */
  hash(key: Int32Array, view: DataView, start: number, length: number): void {
    let a = key[0]!
    let b = key[1]!
    let c = key[2]!
    let d = key[3]!
    let at = start
    for (const end = start + (length & ~15); at < end; at += 16) {
      let word = Math.imul(view.getInt32(at, true), SPREAD_1)
      a ^= Math.imul((word << 15) | (word >>> 17), SPREAD_2)
      word = Math.imul(view.getInt32(at + 4, true), SPREAD_2)
      b ^= Math.imul((word << 16) | (word >>> 16), SPREAD_3)
      word = Math.imul(view.getInt32(at + 8, true), SPREAD_3)
      c ^= Math.imul((word << 17) | (word >>> 15), SPREAD_4)
      word = Math.imul(view.getInt32(at + 12, true), SPREAD_4)
      d ^= Math.imul((word << 18) | (word >>> 14), SPREAD_1)
      a = (((a << 19) | (a >>> 13)) + b) | 0
      b = (((b << 17) | (b >>> 15)) + c) | 0
      c = (((c << 15) | (c >>> 17)) + d) | 0
      d = (((d << 13) | (d >>> 19)) + a) | 0
    }
    // The last 0..15 bytes, a word at a time; the length goes in at the end, so missing bytes and zero bytes differ.
    for (let left = length & 15; left > 0; left -= 4, at += 4) {
      const word = Math.imul(left >= 4 ? view.getInt32(at, true) : lastBytes(view, at, left), SPREAD_1)
      const spread = a ^ Math.imul((word << 15) | (word >>> 17), SPREAD_2)
      a = (((b << 19) | (b >>> 13)) + spread) | 0
      b = (((c << 17) | (c >>> 15)) + spread) | 0
      c = (((d << 15) | (d >>> 17)) + spread) | 0
      d = spread
    }
    this.#finish(a ^ length, b, c, d)
  }

  /** Three passes: after each, every lane has seen one more of its neighbours. */
  #finish(a0: number, b0: number, c0: number, d0: number): void {
    let a = a0
    let b = b0
    let c = c0
    let d = d0
    for (let pass = 0; pass < 3; pass++) {
      a = scramble((a + d) | 0)
      b = scramble((b + a) | 0)
      c = scramble((c + b) | 0)
      d = scramble((d + c) | 0)
    }
    this.a = a
    this.b = b
    this.c = c
    this.d = d
  }
}

/** One to three bytes as a word. */
function lastBytes(view: DataView, at: number, count: number): number {
  let word = view.getUint8(at)
  if (count > 1) word |= view.getUint8(at + 1) << 8
  if (count > 2) word |= view.getUint8(at + 2) << 16
  return word
}

function scramble(word: number): number {
  let x = word
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b)
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35)
  return x ^ (x >>> 16)
}
