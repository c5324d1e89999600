import type { QueryData } from '../../contract/prometheus.ts'
import { parseValue } from './format-number.ts'
import { seriesName } from './promql-table.ts'

type Matrix = Extract<QueryData, { resultType: 'matrix' }>['result']

/** A range answer as columns over one time axis, the form a chart draws. A step without a sample is a gap, not a zero. */
export interface ChartColumns {
  /** Seconds since the epoch, rising by the step. */
  readonly timesSeconds: Float64Array
  readonly lines: readonly { readonly name: string; readonly values: readonly (number | null)[] }[]
  /** Series that were left out because a chart of more cannot be read. */
  readonly leftOut: number
}

export const CHART_LINES_MAX = 50

/** The time of a chart, both ends in it. */
export interface ChartRange {
  readonly startSeconds: number
  readonly endSeconds: number
  readonly stepSeconds: number
}

export function toChartColumns(result: Matrix, range: ChartRange): ChartColumns {
  const timesSeconds = stepTimes(range)
  const lines = result.slice(0, CHART_LINES_MAX).map(({ metric, values = [] }) => {
    const name = seriesName(metric)
    return { name: name === '{}' ? 'value' : name, values: toColumn(values, range, timesSeconds.length) }
  })
  return { timesSeconds, lines, leftOut: Math.max(0, result.length - CHART_LINES_MAX) }
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

/** A step that gives a chart about 240 points, from a list of spans people can say. */
export function stepFor(rangeSeconds: number): number {
  const steps = [5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400]
  return steps.find((step) => rangeSeconds / step <= 240) ?? 86_400
}

/** Steps whose neighbours have no sample: no line leads to them, so they have to be drawn as points. */
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
