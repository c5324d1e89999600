/**
 * The stale marker is one NaN bit pattern. A JavaScript array and arithmetic change its payload, so it is recognised by its
 * bits, and stored only in a `Float64Array` or a `DataView`. Decoders use a boolean instead (`appendStale`).
 */

/** The two 32-bit words of the stale marker, 0x7ff0000000000002 (Prometheus model/value). */
export const STALE_HIGH_WORD = 0x7ff00000
export const STALE_LOW_WORD = 2
/** A stale marker after a quiet-NaN conversion in transit; also counts as stale. Other NaNs end in 1. */
const STALE_HIGH_WORD_QUIETED = 0x7ff80000

export function isStaleWords(high: number, low: number): boolean {
  return low === STALE_LOW_WORD && (high === STALE_HIGH_WORD || high === STALE_HIGH_WORD_QUIETED)
}

/** A view of the bits of `values`, for `isStaleAt`. Make it once per column, not once per sample. */
export function bitsOf(values: Float64Array): Uint32Array {
  return new Uint32Array(values.buffer, values.byteOffset, values.length * 2)
}

/** HOT. Whether the sample at `index` of a column is a stale marker; `bits` is `bitsOf(values)`. Little-endian hosts only. */
export function isStaleAt(bits: Uint32Array, index: number): boolean {
  return isStaleWords(bits[index * 2 + 1]!, bits[index * 2]!)
}

/** Writes a stale marker into a column. */
export function setStaleAt(bits: Uint32Array, index: number): void {
  bits[index * 2] = STALE_LOW_WORD
  bits[index * 2 + 1] = STALE_HIGH_WORD
}
