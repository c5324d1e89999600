import type { PlacedRule } from './rule-content.ts'
import { labelSetOf } from './label-set.ts'
import { labelsOfMetric, metricCatalogOf, type MetricCatalog } from '../metrics/metric-catalog.ts'
import type { KnownMetric } from '../metrics/metric-table.ts'

/** Recorded series may be computed from recorded series, to this depth. */
const DEPTH_MAX = 5

/**
 * The catalogue with the metrics that the rules record, whose labels follow from the expressions. `own` are this server's
 * metrics. A metric that rules in the clusters also record has the labels of both.
 */
export function catalogWithRecorded(rules: readonly PlacedRule[], own: readonly KnownMetric[]): MetricCatalog {
  const recording = rules.filter(({ kind, query }) => kind === 'recording' && query.expr !== undefined)
  const sent = metricCatalogOf(own)
  let catalog = metricCatalogOf([...recording.map(({ name }) => anyLabels(name)), ...own])
  for (let depth = 0; depth < DEPTH_MAX; depth++) {
    const before = catalog
    const byName = new Map<string, KnownMetric>()
    for (const rule of recording) {
      const was = byName.get(rule.name) ?? sent.find(rule.name)
      byName.set(rule.name, recordedBy(rule, was, before))
    }
    catalog = metricCatalogOf([...byName.values(), ...own])
  }
  return catalog
}

function anyLabels(name: string): KnownMetric {
  return { name, type: 'recorded', labels: ['*'], isWhole: true }
}

function recordedBy(rule: PlacedRule, was: KnownMetric | undefined, catalog: MetricCatalog): KnownMetric {
  const set = labelSetOf(rule.query.expr!, catalog)
  if (set.isOpen) return anyLabels(rule.name)
  const labels = [...new Set([...set.names, ...rule.labels.keys(), ...(was?.labels ?? [])])]
  return {
    name: rule.name,
    type: 'recorded',
    labels: was === undefined || was.isWhole === true ? labels : [...labels, ...labelsOfMetric(was)],
    isWhole: true,
  }
}
