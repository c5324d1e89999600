/**
 * The φ-quantile of a few values, NaN being the least; a quantile between two values is weighted between them.
 * Outside [0, 1] it is an infinity. Sorts `values` in place.
 */
export function quantileOf(phi: number, values: Float64Array): number {
  if (values.length === 0 || Number.isNaN(phi)) return NaN
  if (phi < 0) return -Infinity
  if (phi > 1) return Infinity
  values.sort() // puts NaN last
  const count = values.length
  let nans = 0
  while (nans < count && Number.isNaN(values[count - 1 - nans]!)) nans++
  const rank = phi * (count - 1)
  const lower = Math.max(0, Math.floor(rank))
  const upper = Math.min(count - 1, lower + 1)
  const weight = rank - Math.floor(rank)
  return ranked(values, lower, nans) * (1 - weight) + ranked(values, upper, nans) * weight
}

function ranked(sorted: Float64Array, rank: number, nans: number): number {
  return rank < nans ? NaN : sorted[rank - nans]!
}
