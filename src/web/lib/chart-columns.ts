import type { QueryData } from '../../contract/prometheus.ts'
import { parseValue } from './format-number.ts'

type Matrix = Extract<QueryData, { resultType: 'matrix' }>['result']

/** The time of a chart, including both ends. */
export interface ChartRange {
  readonly startSeconds: number
  readonly endSeconds: number
  readonly stepSeconds: number
}

export function stepTimes({ startSeconds, endSeconds, stepSeconds }: ChartRange): Float64Array {
  const times = new Float64Array(Math.floor((endSeconds - startSeconds) / stepSeconds + 1e-9) + 1)
  for (let i = 0; i < times.length; i++) times[i] = startSeconds + i * stepSeconds
  return times
}

/**
 * The samples of one series at `steps` steps; those between steps go to the nearest.
 * HOT: once for each point of a dashboard.
 */
export function toColumn(
  values: NonNullable<Matrix[number]['values']>,
  { startSeconds, stepSeconds }: ChartRange,
  steps: number,
): (number | null)[] {
  const column = new Array<number | null>(steps).fill(null)
  for (const [timeSeconds, text] of values) {
    const place = Math.round((timeSeconds - startSeconds) / stepSeconds)
    const value = parseValue(text)
    if (place >= 0 && place < steps && Number.isFinite(value)) column[place] = value
  }
  return column
}

/** A round step that gives a chart about 240 points. */
export function stepFor(rangeSeconds: number): number {
  const steps = [5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400]
  return steps.find((step) => rangeSeconds / step <= 240) ?? 86_400
}

/** Steps whose neighbours have no sample: no line reaches them, so they are drawn as points. */
export function stepsAlone(values: readonly (number | null | undefined)[]): number[] {
  const alone: number[] = []
  for (let i = 0; i < values.length; i++) {
    if (isSample(values[i]) && !isSample(values[i - 1]) && !isSample(values[i + 1])) alone.push(i)
  }
  return alone
}

function isSample(value: number | null | undefined): boolean {
  return value !== null && value !== undefined && !Number.isNaN(value)
}
