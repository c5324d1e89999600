/**
 * The tiers of a block: the samples themselves, and rollups of three widths. A set of tiers is a sum of bits, as in
 * `tiers` and `stored` of a block's row.
 */
export interface RollupTier {
  readonly bit: number
  readonly widthMs: number
}

const MINUTE_MS = 60_000

export const RAW_BIT = 1
/** Each width is a divisor of the next: wider buckets can be made of narrower ones. */
export const ROLLUP_TIERS: readonly RollupTier[] = [
  { bit: 2, widthMs: 5 * MINUTE_MS },
  { bit: 4, widthMs: 60 * MINUTE_MS },
  { bit: 8, widthMs: 24 * 60 * MINUTE_MS },
]

/** The bits of all tiers, finest first. */
export const TIER_BITS: readonly number[] = [RAW_BIT, ...ROLLUP_TIERS.map((tier) => tier.bit)]

export function hasTier(tiers: number, bit: number): boolean {
  return (tiers & bit) !== 0
}
