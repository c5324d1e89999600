import { countBy } from './group-by.ts'
import { flagField, sortFields, textField, viewCodec, type ViewOf } from './view-codec.ts'
import type { KnownMetricItem } from '../../contract/metric-catalog.ts'

/** The list of metrics: names that are stored, metadata of senders, and the catalog. Pure. */

/** Metadata of a metric family, from its senders. */
export interface MetricMetadata {
  readonly type: string
  readonly help: string
  readonly unit: string
}

export interface MetricRow {
  readonly name: string
  /** From senders, else from the catalog; empty: not known. */
  readonly type: string
  readonly help: string
  readonly unit: string
  /** `undefined`: not counted. */
  readonly series: number | undefined
  readonly isSent: boolean
  readonly since: string | undefined
  readonly isGone: boolean
  readonly replacedBy: string | undefined
  readonly rules: KnownMetricItem['rules']
  readonly panels: KnownMetricItem['panels']
}

interface MetricSources {
  /** Names that are stored. */
  readonly names: readonly string[]
  readonly metadata: Readonly<Record<string, readonly MetricMetadata[]>>
  readonly known: readonly KnownMetricItem[]
  readonly seriesByName: ReadonlyMap<string, number>
}

/** By name. */
export function metricRows({ names, metadata, known, seriesByName }: MetricSources): readonly MetricRow[] {
  const knownByName = new Map(known.map((item) => [item.name, item]))
  const sent = new Set(names)
  return [...new Set([...names, ...knownByName.keys()])].sort().map((name) => {
    const item = knownByName.get(name)
    const reported = (metadata[name] ?? metadata[familyOf(name)])?.[0]
    return {
      name,
      type: knownType(reported?.type) || (item?.type ?? ''),
      help: reported?.help ?? '',
      unit: reported?.unit || (item?.unit ?? ''),
      series: seriesByName.get(name),
      isSent: sent.has(name),
      since: item?.since ?? undefined,
      isGone: item?.isGone ?? false,
      replacedBy: item?.replacedBy ?? undefined,
      rules: item?.rules ?? [],
      panels: item?.panels ?? [],
    }
  })
}

/** Senders that do not know the type report `unknown`. */
function knownType(type: string | undefined): string {
  return type === undefined || type === 'unknown' ? '' : type
}

/** The family of a part of a histogram or a summary. */
function familyOf(name: string): string {
  return name.replace(/_(?:bucket|count|sum)$/, '')
}

/** The state of the metrics page in its address. */
export const METRIC_VIEW = viewCodec({
  text: textField('q'),
  type: textField('type'),
  /** With known metrics that nobody sends. */
  isWhole: flagField('show', 'all'),
  ...sortFields(['name', 'series'], 'name'),
  /** The open one; empty: none. */
  metric: textField('metric'),
})
export type MetricView = ViewOf<typeof METRIC_VIEW>
export type MetricSort = MetricView['sort']

/** Every word of the text must be in the name or the help. Rows without a count are last in either order. */
export function applyMetricView(rows: readonly MetricRow[], view: MetricView): readonly MetricRow[] {
  const words = view.text.toLowerCase().split(/\s+/).filter(Boolean)
  const shown = rows.filter(
    ({ name, help, type, isSent }) =>
      (isSent || view.isWhole) &&
      (view.type === '' || (type === '' ? 'unknown' : type) === view.type) &&
      words.every((word) => `${name} ${help}`.toLowerCase().includes(word)),
  )
  const sign = view.order === 'asc' ? 1 : -1
  if (view.sort === 'name') return sign === 1 ? shown : shown.toReversed()
  return shown.toSorted((a, b) => {
    if (a.series === undefined || b.series === undefined)
      return Number(a.series === undefined) - Number(b.series === undefined)
    return sign * (a.series - b.series)
  })
}

/** Types with how many there are, for a choice. */
export function typeChoices(rows: readonly MetricRow[]): readonly { readonly value: string; readonly count: number }[] {
  return [...countBy(rows, ({ type }) => type || 'unknown')]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => (a.value < b.value ? -1 : 1))
}

export interface Suggestion {
  readonly says: string
  readonly expr: string
}

/** The first queries for a metric, by its type. */
export function suggestionsFor({ name, type }: Pick<MetricRow, 'name' | 'type'>): readonly Suggestion[] {
  const metric = selectorOf(name)
  if (name.endsWith('_bucket')) {
    return [
      {
        says: 'p90 by cluster',
        expr: `histogram_quantile(0.9, sum by (cluster, le) (rate(${metric}[5m])))`,
      },
      { says: 'Stored series', expr: metric },
    ]
  }
  if (type === 'counter' || name.endsWith('_total')) {
    return [
      { says: 'Rate by cluster', expr: `sum by (cluster) (rate(${metric}[5m]))` },
      { says: 'Stored series', expr: metric },
    ]
  }
  return [
    { says: 'Values', expr: metric },
    { says: 'By cluster', expr: `sum by (cluster) (${metric})` },
  ]
}

/** `name{label="value"}`, quoted where PromQL requires it. */
export function selectorOf(metric: string, label = '', value = ''): string {
  const isPlain = /^[A-Za-z_:][\w:]*$/.test(metric)
  const quoted = isPlain || metric === '' ? [] : [JSON.stringify(metric)]
  const name = /^[A-Za-z_]\w*$/.test(label) ? label : JSON.stringify(label)
  const inside = [...quoted, ...(label === '' ? [] : [`${name}=${JSON.stringify(value)}`])].join(', ')
  return `${isPlain ? metric : ''}${inside === '' ? '' : `{${inside}}`}`
}
