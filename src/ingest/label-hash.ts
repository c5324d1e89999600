/**
 * The hash by which a label set is recognised from its raw bytes: 128 bits, keyed. Built for what JavaScript does fast
 * (32-bit multiply, rotate, add on four independent lanes) and for one use: a table in memory. It is written to no file.
 *
 * It is not a cryptographic hash, and it need not be. Whoever may send without a bound cluster may already write any
 * series under its true name, so a collision made on purpose gains nothing. A sender bound to a cluster hashes under
 * a random key of that cluster alone (see `IdentityTable.scope`) and can only confuse its own series. By accident, with
 * a million label sets, two meet with a chance of about 2^-89.
 */
const C0 = 0x9e3779b1 | 0
const C1 = 0x85ebca77 | 0
const C2 = 0xc2b2ae3d | 0
const C3 = 0x27d4eb2f | 0

export class LabelHash {
  /** The four words of the last `hash`. */
  a = 0
  b = 0
  c = 0
  d = 0

  /**
   * HOT: once per series and request, over some 500 bytes. Each round is a permutation of the state for the bytes it
   * takes in, and mixes all lanes, so that a difference is carried on and spreads; the end is MurmurHash3's finaliser.
   * @param key four words
   */
  hash(key: Int32Array, view: DataView, start: number, length: number): void {
    let a = key[0]! ^ length
    let b = key[1]!
    let c = key[2]!
    let d = key[3]!
    let at = start
    for (const end = start + (length & ~15); at < end; at += 16) {
      a = Math.imul(a ^ view.getInt32(at, true), C0)
      b = Math.imul(b ^ view.getInt32(at + 4, true), C1)
      c = Math.imul(c ^ view.getInt32(at + 8, true), C2)
      d = Math.imul(d ^ view.getInt32(at + 12, true), C3)
      a = (((a << 15) | (a >>> 17)) + b) | 0
      b = (((b << 17) | (b >>> 15)) + c) | 0
      c = (((c << 13) | (c >>> 19)) + d) | 0
      d = (((d << 19) | (d >>> 13)) + a) | 0
    }
    // The last 0..15 bytes, a word at a time; `length` is in the key, so that missing bytes and zero bytes differ.
    for (let left = length & 15; left > 0; left -= 4, at += 4) {
      const word =
        left >= 4
          ? view.getInt32(at, true)
          : view.getUint8(at) |
            (left > 1 ? view.getUint8(at + 1) << 8 : 0) |
            (left > 2 ? view.getUint8(at + 2) << 16 : 0)
      const mixed = Math.imul(a ^ word, C0)
      a = (((b << 17) | (b >>> 15)) + mixed) | 0
      b = Math.imul(c, C1) ^ mixed
      c = (((d << 13) | (d >>> 19)) + mixed) | 0
      d = mixed
    }
    this.#finish(a, b, c, d)
  }

  #finish(a0: number, b0: number, c0: number, d0: number): void {
    let a = a0
    let b = b0
    let c = c0
    let d = d0
    // Three passes: after each, every lane has seen one more of its neighbours.
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

function scramble(word: number): number {
  let x = word
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b)
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35)
  return x ^ (x >>> 16)
}
