import { add, type Accumulator } from './kahan.ts'

const state: Accumulator = { sum: 0, correction: 0 }

/**
 * HOT. The mean of `values[from..to)`: the compensated sum divided by the count, or a running mean once the sum would
 * overflow.
 */
export function mean(values: Float64Array, from: number, to: number): number {
  state.sum = values[from]!
  state.correction = 0
  let isRunningMean = false
  for (let i = from + 1; i < to; i++) {
    const value = values[i]!
    const count = i - from + 1
    if (!isRunningMean) {
      const { sum, correction } = state
      add(state, value)
      if (state.sum !== Infinity && state.sum !== -Infinity) continue
      isRunningMean = true
      state.sum = sum / (count - 1)
      state.correction = correction / (count - 1)
    }
    addToMean(state, value, count)
  }
  const count = to - from
  return isRunningMean ? state.sum + state.correction : state.sum / count + state.correction / count
}

/** The mean of `count` values from the mean of all but the last. */
export function addToMean(of: Accumulator, value: number, count: number): void {
  const weight = (count - 1) / count
  of.sum *= weight
  of.correction *= weight
  add(of, value / count)
}
