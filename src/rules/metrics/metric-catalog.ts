/**
 * The known metrics with type and labels: those that clusters send, this server's own, and those that the loaded rules
 * record. A name that is not in the catalogue is unknown, which does not mean wrong.
 */
import type { Registry } from 'prom-client'
import { FLEET_METRICS } from './fleet.ts'
import { KUBEVIRT_METRICS } from './kubevirt.ts'
import { METRIC_TYPES, readMetricTable, type KnownMetric } from './metric-table.ts'
import { OPERATOR_METRICS } from './operators.ts'
import { PLATFORM_METRICS } from './platform.ts'

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
