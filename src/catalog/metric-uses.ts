/** The rules and panels that read a metric by name. Readers of series recorded from the metric are not included. */
import type { ParseOptions } from '../promql/parse-options.ts'
import { loadRuleFiles } from '../rules/rule-file.ts'
import type { Rule } from '../rules/rule.ts'
import { withSampleVariables } from './dashboard.ts'
import type { LinkedCatalog, PanelPlace } from './dashboards/dashboard-links.ts'
import { metricsRead } from './metrics-read.ts'

export interface MetricUses {
  readonly rules: ReadonlySet<Rule>
  readonly panels: ReadonlySet<PanelPlace>
}

export interface ContentMetrics {
  readonly usesByMetric: ReadonlyMap<string, MetricUses>
  /** Names that the rules record. */
  readonly recorded: ReadonlySet<string>
}

/** Reads all content: callers cache the result until the content changes. */
export function contentMetrics({ dashboards, ruleFiles }: LinkedCatalog, language: ParseOptions): ContentMetrics {
  const uses = new Map<string, { rules: Set<Rule>; panels: Set<PanelPlace> }>()
  const usesOf = (metric: string): { rules: Set<Rule>; panels: Set<PanelPlace> } => {
    const known = uses.get(metric) ?? { rules: new Set(), panels: new Set() }
    uses.set(metric, known)
    return known
  }
  const rules = loadRuleFiles(ruleFiles, { language }).groups.flatMap((group) => group.rules)
  for (const rule of rules) {
    for (const metric of metricsRead(rule.expr, language)) usesOf(metric).rules.add(rule)
  }
  for (const { model: dashboard } of dashboards) {
    for (const panel of dashboard.panels) {
      const place = { dashboard, panel }
      for (const query of panel.queries) {
        if (query.kind !== 'prometheus') continue
        for (const metric of metricsRead(withSampleVariables(query.expr), language)) usesOf(metric).panels.add(place)
      }
    }
  }
  return {
    usesByMetric: uses,
    recorded: new Set(rules.filter(({ kind }) => kind === 'recording').map(({ name }) => name)),
  }
}
