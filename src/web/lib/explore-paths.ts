import { searchOf, withSearch } from './address.ts'
import { ROUTES } from './paths.ts'

/** Every address of the place Explore. */

export const EXPLORE_ROUTES = {
  promql: ROUTES.explore,
  metrics: '/explore/metrics',
  traces: '/explore/traces',
  trace: '/explore/traces/:traceId',
  logs: '/explore/logs',
  dashboards: '/explore/dashboards',
  dashboard: '/explore/dashboards/:name',
} as const

/** The pages of the place Explore. */
export const EXPLORE_PAGES = [
  { name: 'PromQL', path: EXPLORE_ROUTES.promql, says: 'ask in PromQL' },
  { name: 'Metrics', path: EXPLORE_ROUTES.metrics, says: 'every metric there is, with its labels and what it means' },
  { name: 'Traces', path: EXPLORE_ROUTES.traces, says: 'upgrades and other work as spans on a line of time' },
  { name: 'Logs', path: EXPLORE_ROUTES.logs, says: 'what changed in the objects of a cluster' },
  { name: 'Dashboards', path: EXPLORE_ROUTES.dashboards, says: 'the fleet in panels' },
] as const

type Search = Readonly<Record<string, string | readonly string[]>>

/** @param search of the page: `range`, `tab`, ...; its `expr` stands for several queries */
export function promqlPath(expr: string, search: Search = {}): string {
  return withSearch(EXPLORE_ROUTES.promql, searchOf({ expr, ...search }))
}

export function metricsPath(search: Search = {}): string {
  return withSearch(EXPLORE_ROUTES.metrics, searchOf(search))
}

export function tracesPath(search: Search = {}): string {
  return withSearch(EXPLORE_ROUTES.traces, searchOf(search))
}

/** @param search `span` to open, `than` a trace to compare with */
export function tracePath(traceId: string, search: Search = {}): string {
  return withSearch(`${EXPLORE_ROUTES.traces}/${encodeURIComponent(traceId)}`, searchOf(search))
}

/** Of one trace, read as a whole. */
export function isTracePath(pathname: string): boolean {
  return pathname.startsWith(`${EXPLORE_ROUTES.traces}/`)
}

export function logsPath(search: Search = {}): string {
  return withSearch(EXPLORE_ROUTES.logs, searchOf(search))
}

/** @param search `q`, a part of what they are about */
export function dashboardsPath(search: Search = {}): string {
  return withSearch(EXPLORE_ROUTES.dashboards, searchOf(search))
}

/** @param search `var-<name>`, `range`, `panel` */
export function dashboardPath(name: string, search: Search = {}): string {
  return withSearch(`${EXPLORE_ROUTES.dashboards}/${encodeURIComponent(name)}`, searchOf(search))
}
