import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import type { Catalog } from '../../catalog/catalog.ts'
import { contentMetrics, type ContentMetrics, type MetricUses } from '../../catalog/metric-uses.ts'
import { KnownMetricItems, type KnownMetricItem } from '../../contract/metric-catalog.ts'
import type { ParseOptions } from '../../promql/parse-options.ts'
import { ownRoute } from '../server/own-route.ts'
import { metricCatalogOf, metricsOfRegistry } from '../../rules/metrics/metric-catalog.ts'
import type { KnownMetric } from '../../rules/metrics/metric-catalog.ts'

/** `/api/fleet/v1/metrics`: the metric catalog, and the rules and panels that use each metric. */
interface MetricCatalogDeps {
  readonly catalog: Pick<Catalog, 'dashboards' | 'ruleFiles'>
  readonly ownMetrics: Registry
  readonly language: ParseOptions
}

export function registerMetricCatalog(app: FastifyInstance, deps: MetricCatalogDeps): void {
  const { catalog, ownMetrics, language } = deps
  // A reload replaces the content as a whole, so an answer is valid until then.
  const known = new WeakMap<Catalog['dashboards'], KnownMetricItems>()
  ownRoute(app, 'GET /api/fleet/v1/metrics', {
    scope: 'none',
    summary: 'Known metrics, with or without data: type, unit, first version, and the rules and panels that use them.',
    answer: KnownMetricItems,
    handler: async () => {
      const { dashboards } = catalog
      const answer =
        known.get(dashboards) ?? itemsOf(contentMetrics(catalog, language), await metricsOfRegistry(ownMetrics))
      known.set(dashboards, answer)
      return answer
    },
  })
}

function itemsOf({ usesByMetric, recorded }: ContentMetrics, own: readonly KnownMetric[]): KnownMetricItems {
  const catalog = metricCatalogOf(own)
  const names = [...new Set([...catalog.names, ...recorded, ...usesByMetric.keys()])].sort()
  const itemOf = (name: string): KnownMetricItem => {
    const metric = catalog.find(name)
    return {
      name,
      type: metric?.type ?? (recorded.has(name) ? 'recorded' : null),
      labels: metric === undefined ? (recorded.has(name) ? ['*'] : []) : [...metric.labels],
      unit: metric?.unit ?? null,
      since: metric?.since ?? null,
      isGone: metric?.replacedBy !== undefined,
      replacedBy: metric?.replacedBy ?? null,
      ...usesItem(usesByMetric.get(name)),
    }
  }
  return { metrics: names.map(itemOf) }
}

function usesItem(uses: MetricUses | undefined): Pick<KnownMetricItem, 'rules' | 'panels'> {
  return {
    rules: [...(uses?.rules ?? [])].map(({ name, kind }) => ({ name, kind })),
    panels: [...(uses?.panels ?? [])].map(({ dashboard, panel }) => ({
      dashboard: dashboard.name,
      dashboardTitle: dashboard.title,
      panel: panel.id,
      panelTitle: panel.title,
    })),
  }
}
