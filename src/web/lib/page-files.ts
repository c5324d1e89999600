import { EXPLORE_ROUTES, FLEET_LIST, FLEET_ROUTES, ROUTES } from './paths.ts'

/**
 * Which file of `pages/` an address shows, the first that fits, for those that come after the first screen. The build makes a
 * script of it that asks for the page's parts before the program runs that will want them; `routes.tsx` decides all the same.
 */
const PAGE_FILES: readonly (readonly [address: string | RegExp, file: string])[] = [
  [FLEET_LIST, 'fleet-page'],
  [FLEET_ROUTES.cluster, 'cluster-page'],
  [FLEET_ROUTES.upgrades, 'upgrades-page'],
  [FLEET_ROUTES.upgrade, 'upgrade-page'],
  [FLEET_ROUTES.edges, 'edges-page'],
  [FLEET_ROUTES.edge, 'edge-page'],
  [FLEET_ROUTES.modifications, 'modifications-page'],
  [FLEET_ROUTES.gates, 'gates-page'],
  [FLEET_ROUTES.gate, 'gate-page'],
  [ROUTES.adoption, 'adoption-page'],
  [ROUTES.resolved, 'resolved-page'],
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

/** The same as patterns of whole paths, in the order they are to be tried. */
export function pagePatterns(): readonly { readonly pattern: RegExp; readonly file: string }[] {
  return PAGE_FILES.map(([address, file]) => ({
    pattern: typeof address === 'string' ? new RegExp(`^${address.replace(/:\w+/g, '[^/]+')}/?$`) : address,
    file,
  }))
}
