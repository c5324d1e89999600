/** Index of the first time that is not before `timeMs`; the times rise. */
export function lowerBound(times: readonly number[], timeMs: number): number {
  let [low, high] = [0, times.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (times[middle]! < timeMs) low = middle + 1
    else high = middle
  }
  return low
}

/** How many times are not after `timeMs`. */
export function upperBound(times: readonly number[], timeMs: number): number {
  let [low, high] = [0, times.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (times[middle]! <= timeMs) low = middle + 1
    else high = middle
  }
  return low
}
