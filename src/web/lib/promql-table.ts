import type { QueryData } from '../../contract/prometheus.ts'
import { parseValue } from './format-number.ts'

/** A PromQL result as a table. Labels that all rows share are listed once below it. Pure. */
export type PromqlView =
  | { readonly kind: 'none' }
  | { readonly kind: 'value'; readonly text: string; readonly labels: readonly Label[] }
  | {
      readonly kind: 'table'
      readonly columns: readonly string[]
      readonly rows: readonly Row[]
      readonly shared: readonly Label[]
    }

export type Label = readonly [name: string, value: string]

export interface Row {
  readonly key: string
  /** One text per column; empty where the series has no such label. */
  readonly cells: readonly string[]
  /** The server's text. */
  readonly value: string
}

type Series = Readonly<Record<string, string>>

export function toPromqlView(data: QueryData): PromqlView {
  if (data.resultType === 'scalar' || data.resultType === 'string') {
    return { kind: 'value', text: data.result[1], labels: [] }
  }
  const samples =
    data.resultType === 'vector'
      ? data.result.map(({ metric, value, histogram }) => ({ metric, value: value?.[1] ?? histogramText(histogram) }))
      : data.result.map(({ metric, values = [], histograms = [] }) => {
          const [last, lastHistogram] = [values.at(-1), histograms.at(-1)]
          const isFloat = last !== undefined && last[0] >= (lastHistogram?.[0] ?? -Infinity)
          return { metric, value: isFloat ? last[1] : histogramText(lastHistogram) }
        })
  const [first] = samples
  if (first === undefined) return { kind: 'none' }
  if (samples.length === 1) return { kind: 'value', text: first.value, labels: labelsOf(first.metric) }
  return toTable(samples)
}

/** A native histogram in a cell. */
function histogramText(point: readonly [number, { readonly count: string; readonly sum: string }] | undefined): string {
  return point === undefined ? '' : `count ${point[1].count}, sum ${point[1].sum}`
}

function toTable(samples: readonly { readonly metric: Series; readonly value: string }[]): PromqlView {
  const { columns, shared } = splitLabels(samples.map(({ metric }) => metric))
  const rows = samples.map(({ metric, value }) => ({
    key: JSON.stringify(labelsOf(metric)),
    cells: columns.map((name) => metric[name] ?? ''),
    value,
  }))
  // The largest number first, NaN last. Equal numbers keep the server's order.
  rows.sort((a, b) => orderOf(parseValue(b.value)) - orderOf(parseValue(a.value)) || 0)
  return { kind: 'table', columns, rows, shared }
}

/** The labels in which series differ, and those that they share. */
export function splitLabels(metrics: readonly Series[]): {
  readonly columns: readonly string[]
  readonly shared: readonly Label[]
} {
  const [first = {}] = metrics
  const names = [...new Set(metrics.flatMap((metric) => Object.keys(metric)))].sort()
  const isShared = (name: string): boolean =>
    metrics.every((metric) => metric[name] !== undefined && metric[name] === first[name])
  return {
    columns: names.filter((name) => !isShared(name)),
    shared: labelsOf(first).filter(([name]) => isShared(name)),
  }
}

/** A finite number for sorting. */
function orderOf(value: number): number {
  if (Number.isNaN(value)) return -Number.MAX_VALUE
  return Math.min(Math.max(value, -Number.MAX_VALUE / 2), Number.MAX_VALUE / 2)
}

function labelsOf(metric: Series): Label[] {
  return Object.entries(metric).sort(([a], [b]) => (a < b ? -1 : 1))
}

/** The most telling labels. */
const DISTINGUISHING_FIRST = ['__name__', 'cluster']

/** The fewest of `columns` that distinguish the series, the name and the cluster first. */
export function distinguishingLabels(metrics: readonly Series[], columns: readonly string[]): readonly string[] {
  const ranked = [...DISTINGUISHING_FIRST.filter((name) => columns.includes(name)), ...columns].filter(
    (name, i, all) => all.indexOf(name) === i,
  )
  const countOfKinds = (names: readonly string[]): number =>
    new Set(metrics.map((metric) => JSON.stringify(names.map((name) => metric[name])))).size
  const telling: string[] = []
  let kinds = 1
  for (const name of ranked) {
    if (kinds === metrics.length) break
    const more = countOfKinds([...telling, name])
    if (more > kinds) telling.push(name)
    kinds = Math.max(kinds, more)
  }
  return telling
}

/** The name of a series by its distinguishing labels; `value` without any. */
export function shortName(metric: Series, labels: readonly string[]): string {
  const own = Object.fromEntries(Object.entries(metric).filter(([name]) => labels.includes(name)))
  return Object.keys(own).length === 0 ? 'value' : seriesName(own)
}

/** `name{a="b"}`. */
export function seriesName(metric: Series): string {
  const { __name__: name = '', ...labels } = metric
  const inside = labelsOf(labels).map(([label, value]) => `${label}="${value}"`)
  return inside.length === 0 && name !== '' ? name : `${name}{${inside.join(', ')}}`
}
