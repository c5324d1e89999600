import type { QueryAnswer } from '../../../contract/prometheus.ts'
import { csvText } from '../csv.ts'

/** An answer as a file for other programs: CSV with a column for each label. Pure. */

type Data = QueryAnswer['data']
type Labels = Readonly<Record<string, string>>

interface Sample {
  readonly labels: Labels
  readonly timeSeconds: number
  /** As the server wrote it; of a histogram empty. */
  readonly value: string
  readonly histogram?: { readonly count: string; readonly sum: string }
}

/** A row for each sample: its labels, its time in UTC, its value. Histograms have their count and their sum. */
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

/** A name for the file, of the metrics it is about. */
export function fileNameOf(metrics: readonly string[], ending: 'csv' | 'json'): string {
  const name = metrics
    .slice(0, 2)
    .join('-')
    .replace(/[^\w.-]+/g, '_')
  return `${name === '' ? 'query' : name}.${ending}`
}
