/**
 * Links alerts and panels: an alert is linked to the panels that read a metric of its rule, recorded series traced to
 * their sources. A panel with `ALERTS{alertname="..."}` is linked to that alert.
 */
import type { DashboardModel, DashboardPanel } from '../../model/dashboard.ts'
import { metricNamesOf, selectorsOf, type Expr } from '../../promql/ast.ts'
import type { ParseOptions } from '../../promql/parse-options.ts'
import { loadRuleFiles } from '../../rules/rule-file.ts'
import type { Rule } from '../../rules/rule.ts'
import type { Catalog } from '../catalog.ts'
import { withSampleVariables } from '../dashboard.ts'
import { metricsRead, parsedOrNone } from '../metrics-read.ts'

export interface DashboardLinks {
  /** Names of alerts by panel, sorted; panels without alerts are absent. */
  readonly alertsByPanel: ReadonlyMap<DashboardPanel, readonly string[]>
  readonly panelsByAlert: ReadonlyMap<string, readonly PanelPlace[]>
}

export interface PanelPlace {
  readonly dashboard: DashboardModel
  readonly panel: DashboardPanel
}

export type LinkedCatalog = Pick<Catalog, 'dashboards' | 'ruleFiles'>

/** Content is replaced as a whole, so the links are computed once per content. */
const known = new WeakMap<Catalog['dashboards'], DashboardLinks>()

export function linksOf(catalog: LinkedCatalog, language: ParseOptions): DashboardLinks {
  const { dashboards } = catalog
  const links = known.get(dashboards) ?? link(catalog, language)
  known.set(dashboards, links)
  return links
}

function link({ dashboards, ruleFiles }: LinkedCatalog, language: ParseOptions): DashboardLinks {
  const rules = loadRuleFiles(ruleFiles, { language }).groups.flatMap((group) => group.rules)
  const alerts = alertsByMetric(rules, language)
  const alertsByPanel = new Map<DashboardPanel, readonly string[]>()
  const panelsByAlert = new Map<string, PanelPlace[]>()
  for (const { model } of dashboards) {
    for (const panel of model.panels) {
      const names = alertsOf(panel, alerts, language)
      if (names.length > 0) alertsByPanel.set(panel, names)
      for (const name of names)
        panelsByAlert.set(name, [...(panelsByAlert.get(name) ?? []), { dashboard: model, panel }])
    }
  }
  return { alertsByPanel, panelsByAlert }
}

function alertsByMetric(rules: readonly Rule[], language: ParseOptions): ReadonlyMap<string, ReadonlySet<string>> {
  const recorded = new Map<string, string[]>()
  for (const { kind, name, expr } of rules) {
    if (kind === 'recording') recorded.set(name, [...(recorded.get(name) ?? []), ...metricsRead(expr, language)])
  }
  const found = new Map<string, Set<string>>()
  for (const { kind, name, expr } of rules) {
    if (kind !== 'alerting') continue
    for (const metric of withSources(metricsRead(expr, language), recorded)) {
      found.set(metric, (found.get(metric) ?? new Set()).add(name))
    }
  }
  return found
}

function alertsOf(
  { queries }: DashboardPanel,
  alerts: ReadonlyMap<string, ReadonlySet<string>>,
  language: ParseOptions,
): readonly string[] {
  const names = queries.flatMap((query) => {
    const expr = query.kind === 'prometheus' ? parsedOrNone(withSampleVariables(query.expr), language) : undefined
    if (expr === undefined) return []
    return [...metricNamesOf(expr).flatMap((metric) => [...(alerts.get(metric) ?? [])]), ...namedAlerts(expr)]
  })
  return [...new Set(names)].sort()
}

function namedAlerts(expr: Expr): string[] {
  return selectorsOf(expr).flatMap(({ matchers }) =>
    matchers.flatMap(({ name, op, value }) => (name === 'alertname' && op === '=' ? [value] : [])),
  )
}

function withSources(metrics: readonly string[], recorded: ReadonlyMap<string, readonly string[]>): Set<string> {
  const all = new Set(metrics)
  // Iterating a Set also visits the entries added during the iteration, each once, so cycles of rules end.
  for (const metric of all) for (const source of recorded.get(metric) ?? []) all.add(source)
  return all
}
