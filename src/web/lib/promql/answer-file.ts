import type { QueryAnswer } from '../../../contract/prometheus.ts'
import { csvText } from '../csv.ts'

/** A result as CSV with a column for each label. Pure. */

type Data = QueryAnswer['data']
type Labels = Readonly<Record<string, string>>

interface Sample {
  readonly labels: Labels
  readonly timeSeconds: number
  /** The server's text; empty for a histogram. */
  readonly value: string
  readonly histogram?: { readonly count: string; readonly sum: string }
}

/** A row per sample: labels, time in UTC, value; count and sum of histograms. */
export function csvOf(data: Data): string {
  const samples = samplesOf(data)
  const names = [...new Set(samples.flatMap(({ labels }) => Object.keys(labels)))].sort()
  const hasHistograms = samples.some(({ histogram }) => histogram !== undefined)
  const head = [...names, 'time', 'value', ...(hasHistograms ? ['count', 'sum'] : [])]
  const rows = samples.map(({ labels, timeSeconds, value, histogram }) => [
    ...names.map((name) => labels[name] ?? ''),
    new Date(timeSeconds * 1000).toISOString(),
    value,
    ...(hasHistograms ? [histogram?.count ?? '', histogram?.sum ?? ''] : []),
  ])
  return csvText([head, ...rows])
}

function samplesOf(data: Data): readonly Sample[] {
  switch (data.resultType) {
    case 'scalar':
    case 'string':
      return [{ labels: {}, timeSeconds: data.result[0], value: data.result[1] }]
    case 'vector':
      return data.result.map(({ metric: labels, value, histogram }) =>
        histogram === undefined
          ? { labels, timeSeconds: value?.[0] ?? 0, value: value?.[1] ?? '' }
          : { labels, timeSeconds: histogram[0], value: '', histogram: histogram[1] },
      )
    case 'matrix':
      return data.result.flatMap(({ metric: labels, values = [], histograms = [] }): Sample[] => [
        ...values.map(([timeSeconds, value]) => ({ labels, timeSeconds, value })),
        ...histograms.map(([timeSeconds, histogram]) => ({ labels, timeSeconds, value: '', histogram })),
      ])
  }
}

/** A file name from the metrics. */
export function fileNameOf(metrics: readonly string[], ending: 'csv' | 'json'): string {
  const name = metrics
    .slice(0, 2)
    .join('-')
    .replace(/[^\w.-]+/g, '_')
  return `${name === '' ? 'query' : name}.${ending}`
}
