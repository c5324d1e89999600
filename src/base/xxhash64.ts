/** XXH64 with seed 0: https://github.com/Cyan4973/xxHash, the specification's version 0.1.1. All numbers are 64 bits. */
const PRIME_1 = 0x9e3779b185ebca87n
const PRIME_2 = 0xc2b2ae3d27d4eb4fn
const PRIME_3 = 0x165667b19e3779f9n
const PRIME_4 = 0x85ebca77c2b2ae63n
const PRIME_5 = 0x27d4eb2f165667c5n

const cut = (value: bigint): bigint => BigInt.asUintN(64, value)
const rotate = (value: bigint, by: bigint): bigint => cut((value << by) | (value >> (64n - by)))
const round = (lane: bigint, input: bigint): bigint => cut(rotate(cut(lane + input * PRIME_2), 31n) * PRIME_1)
const merge = (hash: bigint, lane: bigint): bigint => cut((hash ^ round(0n, lane)) * PRIME_1 + PRIME_4)

export function xxhash64(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const { length } = bytes
  let at = 0
  let hash = PRIME_5
  if (length >= 32) {
    let [a, b, c, d] = [cut(PRIME_1 + PRIME_2), PRIME_2, 0n, cut(-PRIME_1)]
    for (; at + 32 <= length; at += 32) {
      a = round(a, view.getBigUint64(at, true))
      b = round(b, view.getBigUint64(at + 8, true))
      c = round(c, view.getBigUint64(at + 16, true))
      d = round(d, view.getBigUint64(at + 24, true))
    }
    hash = cut(rotate(a, 1n) + rotate(b, 7n) + rotate(c, 12n) + rotate(d, 18n))
    for (const lane of [a, b, c, d]) hash = merge(hash, lane)
  }
  hash = cut(hash + BigInt(length))
  for (; at + 8 <= length; at += 8) {
    hash = cut(rotate(hash ^ round(0n, view.getBigUint64(at, true)), 27n) * PRIME_1 + PRIME_4)
  }
  if (at + 4 <= length) {
    hash = cut(rotate(hash ^ cut(BigInt(view.getUint32(at, true)) * PRIME_1), 23n) * PRIME_2 + PRIME_3)
    at += 4
  }
  for (; at < length; at++) hash = cut(rotate(hash ^ cut(BigInt(bytes[at]!) * PRIME_5), 11n) * PRIME_1)
  hash = cut((hash ^ (hash >> 33n)) * PRIME_2)
  hash = cut((hash ^ (hash >> 29n)) * PRIME_3)
  return hash ^ (hash >> 32n)
}
