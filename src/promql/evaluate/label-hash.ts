import { xxhash64 } from '../../base/xxhash64.ts'
import type { Labels } from '../../model/labels.ts'

/** The store returns the same label sets at each evaluation of a rule. */
const known = new WeakMap<Labels, number>()
const encoder = new TextEncoder()

/**
 * The hash of a label set between 0 and 1, evenly distributed, computed as in Prometheus (XXH64 over names and values,
 * each after its length), so that `limit_ratio` selects the same series.
 */
export function hashRatio(labels: Labels): number {
  let ratio = known.get(labels)
  if (ratio === undefined) {
    ratio = Number(xxhash64(bytesOf(labels))) / 2 ** 64
    known.set(labels, ratio)
  }
  return ratio
}

function bytesOf({ flat }: Labels): Uint8Array {
  const texts = flat.map((text) => encoder.encode(text))
  const bytes = new Uint8Array(texts.reduce((sum, { length }) => sum + (length < 255 ? 1 : 4) + length, 0))
  let at = 0
  for (const text of texts) {
    const { length } = text
    if (length < 255) bytes[at++] = length
    else {
      bytes.set([255, length & 255, (length >> 8) & 255, (length >> 16) & 255], at)
      at += 4
    }
    bytes.set(text, at)
    at += length
  }
  return bytes
}
