import type { PrometheusQuery } from '../../../model/dashboard.ts'
import type { QueryAnswer } from '../../../contract/prometheus.ts'
import { stepTimes, toColumn } from '../chart-columns.ts'
import { parseValue } from '../format-number.ts'
import { seriesName } from '../promql-table.ts'
import { calculate, type Column } from './calculate.ts'
import type { Span } from './time-range.ts'

/** The results of a panel's queries as named series on one time axis. Pure. */

export interface PanelSeries {
  readonly queryIndex: number
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly values: Column
}

export interface PanelData {
  /** Seconds since the epoch, rising by the step. */
  readonly timesSeconds: Float64Array
  readonly series: readonly PanelSeries[]
  /** Warnings of the server, without duplicates. */
  readonly warnings: readonly string[]
}

type Matrix = Extract<QueryAnswer['data'], { resultType: 'matrix' }>['result']

/** @param answers one for each query, `undefined` where there is none */
export function toPanelData(
  queries: readonly Pick<PrometheusQuery, 'seriesNameFormat'>[],
  answers: readonly (QueryAnswer | undefined)[],
  span: Span,
): PanelData {
  const timesSeconds = stepTimes(span)
  const series = answers.flatMap((answer, queryIndex) =>
    matrixOf(answer).map(({ metric, values = [] }): PanelSeries => {
      return {
        queryIndex,
        name: nameOf(metric, queries[queryIndex]?.seriesNameFormat ?? ''),
        labels: metric,
        values: toColumn(values, span, timesSeconds.length),
      }
    }),
  )
  return { timesSeconds, series, warnings: warningsOf(answers) }
}

export function warningsOf(answers: readonly (QueryAnswer | undefined)[]): readonly string[] {
  return [...new Set(answers.flatMap((answer) => answer?.warnings ?? []))]
}

/** A scalar is one series without labels; an instant vector has one value each. */
function matrixOf(answer: QueryAnswer | undefined): Matrix {
  if (answer === undefined) return []
  const { data } = answer
  switch (data.resultType) {
    case 'matrix':
      return data.result
    case 'vector':
      return data.result.map(({ metric, value }) => ({ metric, ...(value === undefined ? {} : { values: [value] }) }))
    case 'scalar':
      return [{ metric: {}, values: [data.result] }]
    case 'string':
      return []
  }
}

const PLACE = /\{\{\s*([\w.:]+)\s*\}\}/g

/** Replaces `{{label}}`; without a format the labels. */
export function nameOf(labels: Readonly<Record<string, string>>, format: string): string {
  if (format !== '') return format.replace(PLACE, (_place, label: string) => labels[label] ?? '')
  const name = seriesName(labels)
  return name === '{}' ? 'value' : name
}

/** The text of a label in place of a number. */
export function labelText({ labels }: Pick<PanelSeries, 'labels'>, name: string): string {
  return labels[name] || `no ${name}`
}

/** An instant vector as rows. */
export function toRows(
  answer: QueryAnswer | undefined,
): readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number; readonly timeMs: number }[] {
  return matrixOf(answer).flatMap(({ metric, values = [] }) => {
    const last = values.at(-1)
    return last === undefined ? [] : [{ labels: metric, value: parseValue(last[1]), timeMs: last[0] * 1000 }]
  })
}

/** The largest value of all series. */
export function largestOf(series: readonly Pick<PanelSeries, 'values'>[]): number | undefined {
  const each = series.flatMap(({ values }) => calculate(values, 'max') ?? [])
  return each.length === 0 ? undefined : Math.max(...each)
}

/**
 * Values on top of each other, the first at the bottom. A step where a series has no sample adds nothing and stays a gap
 * of its own. `percent`: of all series at that step.
 */
export function stacked(columns: readonly Column[], mode: 'all' | 'percent'): readonly Column[] {
  const steps = columns[0]?.length ?? 0
  const sums = new Float64Array(steps)
  const totals = new Float64Array(steps)
  for (const column of columns) for (let i = 0; i < steps; i++) totals[i]! += column[i] ?? 0
  return columns.map((column) =>
    column.map((value, i) => {
      if (value === null) return null
      sums[i]! += value
      if (mode === 'all') return sums[i]!
      return totals[i] === 0 ? 0 : (100 * sums[i]!) / totals[i]!
    }),
  )
}
