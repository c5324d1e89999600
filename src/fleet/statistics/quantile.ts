/**
 * The p-quantile of numbers in rising order, between neighbours in proportion (Hyndman and Fan 1996, definition 7: what
 * R and NumPy do by default). NaN of none.
 */
export function quantileOf(rising: ArrayLike<number>, p: number): number {
  if (rising.length === 0) return NaN
  const at = (rising.length - 1) * p
  const below = Math.floor(at)
  const low = rising[below]!
  const high = rising[Math.min(below + 1, rising.length - 1)]!
  return low + (high - low) * (at - below)
}
