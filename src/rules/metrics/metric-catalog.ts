/**
 * Which metrics exist, of what type and with which labels: what clusters send, what this server says of itself, what the
 * loaded rules record. A name that is not here is unknown, which is not the same as wrong.
 */
import type { Registry } from 'prom-client'
import { FLEET_METRICS } from './fleet.ts'
import { KUBEVIRT_METRICS } from './kubevirt.ts'
import { METRIC_TYPES, readMetricTable } from './metric-table.ts'
import type { KnownMetric } from './metric-table.ts'
import { OPERATOR_METRICS } from './operators.ts'
import { PLATFORM_METRICS } from './platform.ts'

/** Labels that a scrape adds to what it finds. */
export const TARGET_LABELS = [
  'job',
  'instance',
  'namespace',
  'pod',
  'container',
  'service',
  'endpoint',
  'node',
] as const

/** Labels that tell clusters and their Prometheis apart. */
export const FLEET_LABELS = ['cluster', 'cluster_id', 'prometheus', 'prometheus_replica'] as const

export interface MetricCatalog {
  /** By name; `_bucket`, `_count` and `_sum` of a histogram or summary are counters of their own. */
  find(name: string): KnownMetric | undefined
  /** Every name, for "did you mean". */
  readonly names: readonly string[]
}

/** `more`, which wins, what clusters send, and what is derived from the fleet's facts. */
export function metricCatalogOf(more: readonly KnownMetric[]): MetricCatalog {
  const tables = [KUBEVIRT_METRICS, OPERATOR_METRICS, PLATFORM_METRICS, FLEET_METRICS].flatMap(readMetricTable)
  const byName = new Map<string, KnownMetric>()
  for (const metric of [...more, ...tables].flatMap(seriesOf)) {
    if (!byName.has(metric.name)) byName.set(metric.name, metric)
  }
  return { find: (name) => byName.get(name), names: [...byName.keys()] }
}

/** All labels that series of a metric may have. */
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

/** The metrics a registry of prom-client keeps, which are this server's own. */
export async function metricsOfRegistry(registry: Registry): Promise<KnownMetric[]> {
  // Its types name the kind by a number and do not mention the labels; both are there as texts.
  const types = new Map((await registry.getMetricsAsJSON()).map(({ name, type }) => [name, String(type)]))
  return registry.getMetricsAsArray().map((metric) => {
    const { name, labelNames = [] } = metric as unknown as { name: string; labelNames?: readonly string[] }
    const type = METRIC_TYPES.find((known) => known === types.get(name)) ?? 'gauge'
    return { name, type, labels: labelNames }
  })
}
