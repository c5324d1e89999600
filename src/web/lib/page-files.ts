import { EXPLORE_ROUTES, FLEET_LIST, FLEET_ROUTES, ROUTES } from './paths.ts'

/**
 * The file of `pages/` of an address, for pages that are not on the first screen; the first match wins. The build makes a script
 * of it that preloads the parts of the page; `routes.tsx` selects the page.
 */
const PAGE_FILES: readonly (readonly [address: string | RegExp, file: string])[] = [
  [FLEET_LIST, 'fleet-page'],
  [FLEET_ROUTES.cluster, 'cluster-page'],
  [FLEET_ROUTES.upgrades, 'upgrades-page'],
  [FLEET_ROUTES.upgrade, 'upgrade-page'],
  [FLEET_ROUTES.edges, 'edges-page'],
  [FLEET_ROUTES.edge, 'edge-page'],
  [FLEET_ROUTES.plan, 'plan-page'],
  [FLEET_ROUTES.modifications, 'modifications-page'],
  [FLEET_ROUTES.readiness, 'readiness-page'],
  [FLEET_ROUTES.rollouts, 'rollouts-page'],
  [FLEET_ROUTES.rollout, 'rollouts-page'],
  [FLEET_ROUTES.patches, 'patches-page'],
  [FLEET_ROUTES.patch, 'patch-page'],
  [FLEET_ROUTES.configuration, 'configuration-page'],
  [FLEET_ROUTES.setting, 'setting-page'],
  [FLEET_ROUTES.gate, 'gate-page'],
  [ROUTES.adoption, 'adoption-page'],
  [ROUTES.resolved, 'resolved-page'],
  [ROUTES.outcomePages, 'outcome-pages'],
  [ROUTES.rules, 'rules-page'],
  [ROUTES.rule, 'rule-page'],
  [ROUTES.silences, 'silences-page'],
  [ROUTES.delivery, 'delivery-page'],
  [ROUTES.lint, 'lint-page'],
  [ROUTES.alerts, 'alerts-page'],
  [ROUTES.alert, 'alerts-page'],
  [ROUTES.explore, 'explore-page'],
  [EXPLORE_ROUTES.dashboards, 'dashboards-page'],
  [EXPLORE_ROUTES.dashboard, 'dashboard-page'],
  [EXPLORE_ROUTES.logs, 'logs-page'],
  [EXPLORE_ROUTES.metrics, 'metrics-page'],
  [EXPLORE_ROUTES.traces, 'traces-page'],
  [EXPLORE_ROUTES.trace, 'trace-page'],
  [ROUTES.runbook, 'runbook-page'],
]

/** Patterns of whole paths, in the order of precedence. */
export function pagePatterns(): readonly { readonly pattern: RegExp; readonly file: string }[] {
  return PAGE_FILES.map(([address, file]) => ({
    pattern: typeof address === 'string' ? new RegExp(`^${address.replace(/:\w+/g, '[^/]+')}/?$`) : address,
    file,
  }))
}
