import type { Calculation } from '../../../model/dashboard.ts'

/** One number for a series over time. A step without a sample is `null`. Pure. */

export type Column = readonly (number | null)[]

/** `null`: no value. `last` and `first` include steps without a sample, `-number` skips those. */
export function calculate(values: Column, calculation: Calculation): number | null {
  return CALCULATE[calculation](values)
}

export const CALCULATION_WORDS: Readonly<Record<Calculation, string>> = {
  'last-number': 'last',
  last: 'last',
  'first-number': 'first',
  first: 'first',
  mean: 'mean',
  sum: 'sum',
  min: 'min',
  max: 'max',
}

const isNumber = (value: number | null): value is number => value !== null && !Number.isNaN(value)

const CALCULATE: Readonly<Record<Calculation, (values: Column) => number | null>> = {
  last: (values) => values.at(-1) ?? null,
  'last-number': (values) => values.findLast(isNumber) ?? null,
  first: (values) => values[0] ?? null,
  'first-number': (values) => values.find(isNumber) ?? null,
  sum: (values) => folded(values, 0, (all, one) => all + one),
  min: (values) => folded(values, Infinity, Math.min),
  max: (values) => folded(values, -Infinity, Math.max),
  mean: (values) => {
    const sum = folded(values, 0, (all, one) => all + one)
    return sum === null ? null : sum / values.filter(isNumber).length
  },
}

function folded(values: Column, from: number, step: (all: number, one: number) => number): number | null {
  let result = from
  let isEmpty = true
  for (const value of values) {
    if (!isNumber(value)) continue
    isEmpty = false
    result = step(result, value)
  }
  return isEmpty ? null : result
}
