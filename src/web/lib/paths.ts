import { searchOf, withSearch, type Search } from './address.ts'
import { formatAdoptionView, type AdoptionView, ADOPTION_VIEW } from './adoption-view.ts'
import { formatAlertView, type AlertView, ALERT_VIEW } from './alert-view.ts'
import { atMoment } from './moment.ts'

/** Every address of the UI, by place. No other file writes one, so a renamed page is one change. */

export const ROUTES = {
  now: '/',
  fleet: '/fleet',
  adoption: '/adoption',
  alerts: '/alerts',
  alert: '/alerts/:fingerprint',
  resolved: '/alerts/resolved',
  outcomes: '/alerts/outcomes',
  /** All alerts, one alert, and the review of one occurrence. */
  outcomePages: /^\/alerts\/(?:outcomes|review)(?:\/|$)/,
  rules: '/alerts/rules',
  rule: '/alerts/rules/:name',
  silences: '/alerts/silences',
  delivery: '/alerts/delivery',
  lint: '/alerts/lint',
  explore: '/explore',
  runbook: '/rb/:name',
} as const

/** Pages that the server writes: a plain link, not one of the router. */
export const DOCS_PATH = '/docs'

export const PLACES = [
  { name: 'Now', path: ROUTES.now, key: 'n', says: 'stuck upgrades, active upgrades, firing alerts, silent clusters' },
  { name: 'Fleet', path: ROUTES.fleet, key: 'f', says: 'clusters, upgrades, upgrade paths, modifications' },
  { name: 'Adoption', path: ROUTES.adoption, key: 'a', says: 'versions in use, and how fast they spread' },
  { name: 'Alerts', path: ROUTES.alerts, key: 'l', says: 'all alerts of the fleet, with runbooks' },
  { name: 'Explore', path: ROUTES.explore, key: 'e', says: 'PromQL queries' },
] as const
/** The pages of the place Alerts. A fingerprint is sixteen hexadecimal digits, so no alert has one of these addresses. */
export const ALERT_PAGES = [
  { name: 'Active', path: ROUTES.alerts, says: 'firing and pending alerts' },
  { name: 'Resolved', path: ROUTES.resolved, says: 'previous occurrences' },
  {
    name: 'Outcomes',
    path: ROUTES.outcomes,
    says: 'what ended alerts',
  },
  { name: 'Rules', path: ROUTES.rules, says: 'rules, their health, tests and back-tests' },
  { name: 'Silences', path: ROUTES.silences, says: 'silences, their creators and the alerts that they suppress' },
  { name: 'Delivery', path: ROUTES.delivery, says: 'notifications sent, failed and suppressed' },
  { name: 'Lint', path: ROUTES.lint, says: 'findings in rules, runbooks and dashboards' },
] as const

export type Place = (typeof PLACES)[number]

/** The place an address belongs to: a runbook is read beside its alert. */
export function placeOf(pathname: string): Place | undefined {
  if (pathname.startsWith('/rb/')) return PLACES.find((place) => place.path === ROUTES.alerts)
  return PLACES.find(({ path }) => (path === '/' ? pathname === '/' : isBelow(pathname, path)))
}

/** An alert opens and closes beside its list: both have one page. */
export function isSamePage(from: string, to: string): boolean {
  return from === to || (isAlertList(from) && isAlertList(to))
}

function isAlertList(pathname: string): boolean {
  if (pathname === ROUTES.alerts) return true
  return /^\/alerts\/[^/]+$/.test(pathname) && ALERT_PAGES.every(({ path }) => path !== pathname)
}

function isBelow(pathname: string, path: string): boolean {
  return pathname === path || pathname.startsWith(`${path}/`)
}

/** A page whose filters and sort are in its query string. */
function pageAt(path: string): (search?: Search) => string {
  return (search = {}) => withSearch(path, searchOf(search))
}

/** A page about one thing: `/alerts/rules` and its name. */
function pageBelow(path: string): (name: string, search?: Search) => string {
  return (name, search = {}) => withSearch(`${path}/${encodeURIComponent(name)}`, searchOf(search))
}

/** @param search `handover`, since when */
export const nowPath = pageAt(ROUTES.now)

/** Sections of the landing page. */
export const NOW_SECTIONS = {
  stuck: 'stuck',
  upgrading: 'upgrading',
  following: 'following',
  waiting: 'waiting',
  silent: 'silent',
  versions: 'versions',
  edges: 'edges',
} as const

export function alertsPath(view: Partial<AlertView> = {}): string {
  return withSearch(ROUTES.alerts, formatAlertView({ ...ALERT_VIEW.initial, ...view }))
}

/** One alert, open beside the list as `view` shows it. */
export function alertPath(fingerprint: string, view: Partial<AlertView> = {}): string {
  return withSearch(
    `${ROUTES.alerts}/${encodeURIComponent(fingerprint)}`,
    formatAlertView({ ...ALERT_VIEW.initial, ...view }),
  )
}

/** Past occurrences; filtered by `alert`, `cluster` and `q`. */
export const resolvedPath = pageAt(ROUTES.resolved)
/** @param search `days` */
export const outcomesPath = pageAt(ROUTES.outcomes)
/** @param name of the alert or its runbook @param search `days` */
export const outcomePath = pageBelow(ROUTES.outcomes)

/** The post-incident review of one occurrence of an alert. */
export function reviewPath(fingerprint: string, activeAtMs: number): string {
  return `/alerts/review/${encodeURIComponent(fingerprint)}/${activeAtMs}`
}

export const rulesPath = pageAt(ROUTES.rules)
/** @param search `group`, when two groups have a rule of this name */
export const rulePath = pageBelow(ROUTES.rules)
export const deliveryPath = pageAt(ROUTES.delivery)
export const lintPath = pageAt(ROUTES.lint)

/** @param id a silence to show */
export function silencesPath(id = ''): string {
  return withSearch(ROUTES.silences, searchOf({ id }))
}

export function runbookPath(name: string, instance = ''): string {
  return withSearch(`/rb/${encodeURIComponent(name)}`, searchOf({ instance }))
}

/**
 * Where the browser asks for another token. A plain link: the server handles it and redirects back.
 * @param role the least that is needed
 */
export function signInPath(role: 'viewer' | 'responder', to: string): string {
  return withSearch('/sign-in', searchOf({ role, to }))
}

/** @param at the moment to show; without it the selected moment stays */
export function adoptionPath(view: Partial<AdoptionView> = {}, at?: string): string {
  const path = withSearch(ROUTES.adoption, formatAdoptionView({ ...ADOPTION_VIEW.initial, ...view }))
  return at === undefined ? path : atMoment(path, Date.parse(at))
}

export const FLEET_ROUTES = {
  clusters: '/fleet/clusters',
  cluster: '/fleet/clusters/:cluster',
  upgrades: '/fleet/upgrades',
  upgrade: '/fleet/upgrades/:id',
  edges: '/fleet/edges',
  edge: '/fleet/edges/:operator/:from/:to',
  modifications: '/fleet/modifications',
  readiness: '/fleet/readiness',
  rollouts: '/fleet/rollouts',
  rollout: '/fleet/rollouts/:version',
  patches: '/fleet/patches',
  patch: '/fleet/patches/:key',
  plan: '/fleet/plan',
  configuration: '/fleet/configuration',
  setting: '/fleet/configuration/settings/:setting',
  gate: '/fleet/configuration/gates/:gate',
  /** Before gates were part of the configuration: links keep working. */
  oldGates: '/fleet/gates',
  oldGate: '/fleet/gates/:gate',
} as const

/** The place itself shows its first page: one page at two addresses, so that nothing is lost between them. */
export const FLEET_LIST = /^\/fleet(?:\/clusters)?\/?$/

export const clustersPath = pageAt(FLEET_ROUTES.clusters)
export const clusterPath = pageBelow(FLEET_ROUTES.clusters)
export const upgradesPath = pageAt(FLEET_ROUTES.upgrades)
export const upgradePath = pageBelow(FLEET_ROUTES.upgrades)
export const edgesPath = pageAt(FLEET_ROUTES.edges)
/** @param search the filters of the clusters, `target`, `at-once`, `window`, `zone`, `start`, `open` */
export const planPath = pageAt(FLEET_ROUTES.plan)
export const modificationsPath = pageAt(FLEET_ROUTES.modifications)
/** @param search `operator` */
export const rolloutsPath = pageAt(FLEET_ROUTES.rollouts)
/** @param search `operator`, the canary, `signal` */
export const rolloutPath = pageBelow(FLEET_ROUTES.rollouts)
export const patchesPath = pageAt(FLEET_ROUTES.patches)
/** @param search `to`: the target version */
export const patchPath = pageBelow(FLEET_ROUTES.patches)
/** @param search `version`, `region`, `against`, `target` */
export const configurationPath = pageAt(FLEET_ROUTES.configuration)
/** @param search `show`: only `patched`, `on` or `off` */
export const gatePath = pageBelow(`${FLEET_ROUTES.configuration}/gates`)

/** A feature gate has a page of its own, which shows JSON patches too. */
export function settingPath(name: string, search: Search = {}): string {
  const gate = /^featureGates\.(.+)$/.exec(name)?.[1]
  return gate === undefined ? pageBelow(`${FLEET_ROUTES.configuration}/settings`)(name, search) : gatePath(gate)
}

/** @param search `than`: `from..to` of an edge to compare with; `window`: the greatest age of an upgrade's start */
export function edgePath(operator: string, from: string, to: string, search: Search = {}): string {
  const path = [FLEET_ROUTES.edges, ...[operator, from, to].map(encodeURIComponent)].join('/')
  return withSearch(path, searchOf(search))
}

export const EXPLORE_ROUTES = {
  promql: ROUTES.explore,
  metrics: '/explore/metrics',
  traces: '/explore/traces',
  trace: '/explore/traces/:traceId',
  logs: '/explore/logs',
  dashboards: '/explore/dashboards',
  dashboard: '/explore/dashboards/:name',
} as const

/** @param search of the page: `range`, `tab`, ...; its `expr` replaces `expr` when there are several queries */
export function promqlPath(expr: string, search: Search = {}): string {
  return withSearch(EXPLORE_ROUTES.promql, searchOf({ expr, ...search }))
}

export const metricsPath = pageAt(EXPLORE_ROUTES.metrics)
export const logsPath = pageAt(EXPLORE_ROUTES.logs)
export const tracesPath = pageAt(EXPLORE_ROUTES.traces)
/** @param search `span` to open, `than` a trace to compare with */
export const tracePath = pageBelow(EXPLORE_ROUTES.traces)
export const dashboardsPath = pageAt(EXPLORE_ROUTES.dashboards)
/** @param search `var-<name>`, `range`, `panel` */
export const dashboardPath = pageBelow(EXPLORE_ROUTES.dashboards)

export function isTracePath(pathname: string): boolean {
  return pathname.startsWith(`${EXPLORE_ROUTES.traces}/`)
}
