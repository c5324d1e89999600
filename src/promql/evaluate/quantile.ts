/**
 * The φ-quantile of a few values, with NaN as the least; a quantile between two values is interpolated. Outside [0, 1]
 * it is infinite. Changes the order of `values`.
 */
export function quantileOf(phi: number, values: Float64Array): number {
  if (values.length === 0 || Number.isNaN(phi)) return NaN
  if (phi < 0) return -Infinity
  if (phi > 1) return Infinity
  const count = values.length
  const numbers = numbersFirst(values)
  const nans = count - numbers
  const rank = phi * (count - 1)
  const lower = Math.max(0, Math.floor(rank))
  const upper = Math.min(count - 1, lower + 1)
  const weight = rank - Math.floor(rank)
  if (upper < nans) return NaN
  const place = Math.max(0, lower - nans)
  select(values, numbers, place)
  const low = lower < nans ? NaN : values[place]!
  const high = upper === lower ? low : upper - nans === place ? values[place]! : leastFrom(values, place + 1, numbers)
  return low * (1 - weight) + high * weight
}

/** Moves NaNs to the end; returns the number of other values. */
function numbersFirst(values: Float64Array): number {
  let numbers = 0
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!
    if (Number.isNaN(value)) continue
    values[i] = values[numbers]!
    values[numbers++] = value
  }
  return numbers
}

/** Fewer values are sorted instead. */
const SELECTED_MIN = 24

/**
 * HOT. Hoare's selection: puts the value of rank `place` of the first `count` values there, with no greater value
 * before it.
 */
function select(values: Float64Array, count: number, place: number): void {
  let from = 0
  let to = count - 1
  while (to - from >= SELECTED_MIN) {
    const a = values[from]!
    const b = values[(from + to) >>> 1]!
    const c = values[to]!
    const pivot = a < b ? (b < c ? b : a < c ? c : a) : a < c ? a : b < c ? c : b
    let left = from
    let right = to
    while (left <= right) {
      while (values[left]! < pivot) left++
      while (values[right]! > pivot) right--
      if (left > right) break
      const value = values[left]!
      values[left++] = values[right]!
      values[right--] = value
    }
    if (place <= right) to = right
    else if (place >= left) from = left
    else return
  }
  values.subarray(from, to + 1).sort()
}

function leastFrom(values: Float64Array, from: number, to: number): number {
  let least = values[from]!
  for (let i = from + 1; i < to; i++) if (values[i]! < least) least = values[i]!
  return least
}
