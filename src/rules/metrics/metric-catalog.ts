/**
 * The known metrics with type and labels: those that clusters send, this server's own, and those that the loaded rules
 * record. A name that is not in the catalogue is unknown, which does not mean wrong.
 */
import type { Registry } from 'prom-client'
import { invariant } from '../../base/invariant.ts'
import { FLEET_METRICS } from './fleet.ts'
import { KUBEVIRT_METRICS } from './kubevirt.ts'
import { OPERATOR_METRICS } from './operators.ts'
import { PLATFORM_METRICS } from './platform.ts'

export const METRIC_TYPES = ['gauge', 'counter', 'histogram', 'summary', 'recorded'] as const
/** `recorded`: by a rule, here or in the cluster; the rule determines the meaning of its values. */
export type MetricType = (typeof METRIC_TYPES)[number]

export interface KnownMetric {
  readonly name: string
  readonly type: MetricType
  /** Own labels, without those that a scrape or the fleet adds. */
  readonly labels: readonly string[]
  /** `labels` are all labels, because a rule here records the metric. */
  readonly isWhole?: boolean
  /** Unit of the values: `bytes`, `seconds`, `unix_seconds`, `percent`, ... */
  readonly unit?: string
  /** First version that sends it, such as `HCO 1.16`. */
  readonly since?: string
  /** No longer sent; the present name where there is one. */
  readonly replacedBy?: string | null
}

/** Labels that a scrape adds. */
const TARGET_LABELS = ['job', 'instance', 'namespace', 'pod', 'container', 'service', 'endpoint', 'node'] as const

/** Labels that identify clusters and their Prometheus servers. */
const FLEET_LABELS = ['cluster', 'cluster_id', 'prometheus', 'prometheus_replica'] as const

export interface MetricCatalog {
  /** Finds a metric by name; `_bucket`, `_count` and `_sum` of a histogram or summary are separate counters. */
  find(name: string): KnownMetric | undefined
  /** All names, for suggestions. */
  readonly names: readonly string[]
}

/** The metrics that clusters send, those derived from the fleet's facts, and `more`, which takes precedence. */
export function metricCatalogOf(more: readonly KnownMetric[]): MetricCatalog {
  const tables = [KUBEVIRT_METRICS, OPERATOR_METRICS, PLATFORM_METRICS, FLEET_METRICS].flatMap(readMetricTable)
  const byName = new Map<string, KnownMetric>()
  for (const metric of [...more, ...tables].flatMap(seriesOf)) {
    if (!byName.has(metric.name)) byName.set(metric.name, metric)
  }
  return { find: (name) => byName.get(name), names: [...byName.keys()] }
}

/** All labels that the series of a metric may have. */
export function labelsOfMetric({ type, labels, isWhole }: KnownMetric): readonly string[] {
  if (isWhole === true) return labels
  return [...labels, ...(type === 'recorded' ? ['namespace'] : TARGET_LABELS), ...FLEET_LABELS]
}

function seriesOf(metric: KnownMetric): KnownMetric[] {
  const { name, labels } = metric
  if (metric.type !== 'histogram' && metric.type !== 'summary') return [metric]
  const part = (suffix: string, more: readonly string[] = []): KnownMetric => {
    return { ...metric, name: `${name}${suffix}`, type: 'counter', labels: [...labels, ...more] }
  }
  const parts = [part('_count'), part('_sum')]
  return metric.type === 'histogram'
    ? [...parts, part('_bucket', ['le']), metric]
    : [...parts, { ...metric, type: 'gauge', labels: [...labels, 'quantile'] }]
}

/** This server's own metrics, from its prom-client registry. */
export async function metricsOfRegistry(registry: Registry): Promise<KnownMetric[]> {
  // prom-client's type declarations have the kind as a number and no labels; at run time both are texts.
  const types = new Map((await registry.getMetricsAsJSON()).map(({ name, type }) => [name, String(type)]))
  return registry.getMetricsAsArray().map((metric) => {
    const { name, labelNames = [] } = metric as unknown as { name: string; labelNames?: readonly string[] }
    const type = METRIC_TYPES.find((known) => known === types.get(name)) ?? 'gauge'
    return { name, type, labels: labelNames }
  })
}

/**
 * Reads the notation of the tables, one line per metric: name, type, own labels, then `unit=`, `since=` and, for a metric
 * that operators no longer send, `now=` with its present name (`now=-` when it has none). `label_*` means all labels with
 * that prefix. Empty lines and lines that start with `#` are comments. Throws for a bug in the table.
 */
export function readMetricTable(table: string): KnownMetric[] {
  return table
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(readLine)
}

function readLine(line: string): KnownMetric {
  const [name = '', typeText, ...rest] = line.split(' ')
  const type = METRIC_TYPES.find((known) => known === typeText)
  invariant(type !== undefined, `the metric table has ${JSON.stringify(line)}, want one of ${METRIC_TYPES.join(', ')}`)
  const fields = new Map(rest.filter((word) => word.includes('=')).map(splitField))
  const [unit, since, now] = ['unit', 'since', 'now'].map((key) => fields.get(key))
  return {
    name,
    type,
    labels: rest.filter((word) => !word.includes('=')),
    ...(unit === undefined ? {} : { unit }),
    ...(since === undefined ? {} : { since: since.replaceAll('_', ' ') }),
    ...(now === undefined ? {} : { replacedBy: now === '-' ? null : now }),
  }
}

function splitField(word: string): readonly [string, string] {
  const at = word.indexOf('=')
  return [word.slice(0, at), word.slice(at + 1)]
}
