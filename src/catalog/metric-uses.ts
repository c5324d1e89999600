/**
 * The metrics that rules and panels of the content read by name, and the links between alerts and panels that follow: an
 * alert is linked to the panels that read a metric of its rule, recorded series traced to their sources. A panel with
 * `ALERTS{alertname="..."}` is linked to that alert. An expression that does not parse reads nothing; lint reports it.
 */
import type { DashboardModel, DashboardPanel } from '../model/dashboard.ts'
import { metricNamesOf, selectorsOf, type Expr } from '../promql/ast.ts'
import { parseExpr } from '../promql/parse.ts'
import type { ParseOptions } from '../promql/parse-options.ts'
import { PromqlError } from '../promql/promql-error.ts'
import { loadRuleFiles } from '../rules/rule-file.ts'
import type { Rule } from '../rules/rule.ts'
import type { Catalog } from './catalog.ts'
import { withSampleVariables } from './dashboard.ts'

export type LinkedCatalog = Pick<Catalog, 'dashboards' | 'ruleFiles'>

interface PanelPlace {
  readonly dashboard: DashboardModel
  readonly panel: DashboardPanel
}

export interface MetricUses {
  readonly rules: Set<Rule>
  readonly panels: Set<PanelPlace>
}

export interface ContentMetrics {
  /** Without the readers of series that are recorded from the metric. */
  readonly usesByMetric: ReadonlyMap<string, MetricUses>
  /** Names that the rules record. */
  readonly recorded: ReadonlySet<string>
}

/** Reads all content: callers cache the result until the content changes. */
export function contentMetrics(catalog: LinkedCatalog, language: ParseOptions): ContentMetrics {
  const usesByMetric = new Map<string, MetricUses>()
  const usesOf = (metric: string): MetricUses => {
    const uses = usesByMetric.get(metric) ?? { rules: new Set(), panels: new Set() }
    usesByMetric.set(metric, uses)
    return uses
  }
  const { rules, panels } = readsOf(catalog, language)
  for (const { rule, metrics } of rules) for (const metric of metrics) usesOf(metric).rules.add(rule)
  for (const { exprs, ...place } of panels) {
    for (const metric of exprs.flatMap(metricNamesOf)) usesOf(metric).panels.add(place)
  }
  const recording = rules.filter(({ rule }) => rule.kind === 'recording')
  return { usesByMetric, recorded: new Set(recording.map(({ rule }) => rule.name)) }
}

export interface DashboardLinks {
  /** Names of alerts by panel, sorted; panels without alerts are absent. */
  readonly alertsByPanel: ReadonlyMap<DashboardPanel, readonly string[]>
  readonly panelsByAlert: ReadonlyMap<string, readonly PanelPlace[]>
}

/** Content is replaced as a whole, so the links are computed once per content. */
const known = new WeakMap<Catalog['dashboards'], DashboardLinks>()

export function linksOf(catalog: LinkedCatalog, language: ParseOptions): DashboardLinks {
  const { dashboards } = catalog
  const links = known.get(dashboards) ?? link(readsOf(catalog, language))
  known.set(dashboards, links)
  return links
}

interface RuleReads {
  readonly rule: Rule
  readonly metrics: readonly string[]
}

interface Reads {
  readonly rules: readonly RuleReads[]
  readonly panels: readonly (PanelPlace & { readonly exprs: readonly Expr[] })[]
}

function readsOf({ dashboards, ruleFiles }: LinkedCatalog, language: ParseOptions): Reads {
  const rules = loadRuleFiles(ruleFiles, { language }).groups.flatMap((group) => group.rules)
  return {
    rules: rules.map((rule) => ({ rule, metrics: parsed(rule.expr, language).flatMap(metricNamesOf) })),
    panels: dashboards.flatMap(({ model: dashboard }) =>
      dashboard.panels.map((panel) => {
        const texts = panel.queries.flatMap((query) => (query.kind === 'prometheus' ? [query.expr] : []))
        return { dashboard, panel, exprs: texts.flatMap((text) => parsed(withSampleVariables(text), language)) }
      }),
    ),
  }
}

/** None when the text does not parse. */
function parsed(text: string, language: ParseOptions): Expr[] {
  try {
    return [parseExpr(text, language)]
  } catch (thrown) {
    if (thrown instanceof PromqlError) return []
    throw thrown
  }
}

function link({ rules, panels }: Reads): DashboardLinks {
  const alerts = alertsByMetric(rules)
  const alertsByPanel = new Map<DashboardPanel, readonly string[]>()
  const panelsByAlert = new Map<string, PanelPlace[]>()
  for (const { dashboard, panel, exprs } of panels) {
    const ofMetrics = exprs.flatMap(metricNamesOf).flatMap((metric) => [...(alerts.get(metric) ?? [])])
    const names = [...new Set([...ofMetrics, ...exprs.flatMap(namedAlerts)])].sort()
    if (names.length > 0) alertsByPanel.set(panel, names)
    for (const name of names) panelsByAlert.set(name, [...(panelsByAlert.get(name) ?? []), { dashboard, panel }])
  }
  return { alertsByPanel, panelsByAlert }
}

function alertsByMetric(rules: readonly RuleReads[]): ReadonlyMap<string, ReadonlySet<string>> {
  const recorded = new Map<string, string[]>()
  for (const { rule, metrics } of rules) {
    if (rule.kind === 'recording') recorded.set(rule.name, [...(recorded.get(rule.name) ?? []), ...metrics])
  }
  const found = new Map<string, Set<string>>()
  for (const { rule, metrics } of rules) {
    if (rule.kind !== 'alerting') continue
    const sources = new Set(metrics)
    // Iterating a Set also visits the entries added during the iteration, each once, so cycles of rules end.
    for (const metric of sources) for (const source of recorded.get(metric) ?? []) sources.add(source)
    for (const metric of sources) found.set(metric, (found.get(metric) ?? new Set()).add(rule.name))
  }
  return found
}

function namedAlerts(expr: Expr): string[] {
  return selectorsOf(expr).flatMap(({ matchers }) =>
    matchers.flatMap(({ name, op, value }) => (name === 'alertname' && op === '=' ? [value] : [])),
  )
}
