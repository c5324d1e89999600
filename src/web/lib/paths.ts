import { searchOf, withSearch } from './address.ts'
import { formatAdoptionView, PLAIN_VIEW, type AdoptionView } from './adoption-view.ts'
import { formatAlertView, WHOLE_VIEW, type AlertView } from './alert-view.ts'
import { atMoment } from './moment.ts'

/**
 * The places of the UI, and every address of Now, Alerts and runbooks. Those of Fleet and Explore stand in
 * `fleet-paths.ts` and `explore-paths.ts`; no other file writes one, so a renamed page is one change.
 */

export const ROUTES = {
  now: '/',
  fleet: '/fleet',
  adoption: '/adoption',
  alerts: '/alerts',
  alert: '/alerts/:fingerprint',
  resolved: '/alerts/resolved',
  rules: '/alerts/rules',
  rule: '/alerts/rules/:name',
  silences: '/alerts/silences',
  delivery: '/alerts/delivery',
  lint: '/alerts/lint',
  explore: '/explore',
  runbook: '/rb/:name',
} as const

export const PLACES = [
  { name: 'Now', path: ROUTES.now, key: 'n', says: 'what is stuck, upgrading, firing and silent' },
  { name: 'Fleet', path: ROUTES.fleet, key: 'f', says: 'clusters, upgrades, edges, readiness' },
  { name: 'Adoption', path: ROUTES.adoption, key: 'a', says: 'who runs what, and how fast it spreads' },
  { name: 'Alerts', path: ROUTES.alerts, key: 'l', says: 'every alert of the fleet, with its runbook' },
  { name: 'Explore', path: ROUTES.explore, key: 'e', says: 'ask in PromQL' },
] as const
/** The pages of the place Alerts. A fingerprint is sixteen hexadecimal digits, so no alert has one of these addresses. */
export const ALERT_PAGES = [
  { name: 'Active', path: ROUTES.alerts, says: 'what fires and what waits' },
  { name: 'Resolved', path: ROUTES.resolved, says: 'what fired and is over' },
  { name: 'Rules', path: ROUTES.rules, says: 'every rule, its health, its tests and a back-test' },
  { name: 'Silences', path: ROUTES.silences, says: 'what is kept quiet, by whom, and what that hides' },
  { name: 'Delivery', path: ROUTES.delivery, says: 'who was told, who was not, and why' },
  { name: 'Lint', path: ROUTES.lint, says: 'faults in rules, runbooks and dashboards' },
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

/** @param search `handover`, since when */
export function nowPath(search: Readonly<Record<string, string>> = {}): string {
  return withSearch(ROUTES.now, searchOf(search))
}

export function alertsPath(view: Partial<AlertView> = {}): string {
  return withSearch(ROUTES.alerts, formatAlertView({ ...WHOLE_VIEW, ...view }))
}

/** One alert, open beside the list as `view` shows it. */
export function alertPath(fingerprint: string, view: Partial<AlertView> = {}): string {
  return withSearch(`${ROUTES.alerts}/${encodeURIComponent(fingerprint)}`, formatAlertView({ ...WHOLE_VIEW, ...view }))
}

/** Runs of alerts that are over; `alert`, `cluster` and `q` narrow them. */
export function resolvedPath(search: Readonly<Record<string, string>> = {}): string {
  return withSearch(ROUTES.resolved, searchOf(search))
}

/** @param group when two groups have a rule of this name */
export function rulePath(name: string, group = ''): string {
  return withSearch(`${ROUTES.rules}/${encodeURIComponent(name)}`, searchOf({ group }))
}

export function rulesPath(search: Readonly<Record<string, string>> = {}): string {
  return withSearch(ROUTES.rules, searchOf(search))
}

/** @param id a silence to show */
export function silencesPath(id = ''): string {
  return withSearch(ROUTES.silences, searchOf({ id }))
}

export function deliveryPath(search: Readonly<Record<string, string>> = {}): string {
  return withSearch(ROUTES.delivery, searchOf(search))
}

export function lintPath(search: Readonly<Record<string, string>> = {}): string {
  return withSearch(ROUTES.lint, searchOf(search))
}

export function runbookPath(name: string, instance?: string): string {
  const search = instance === undefined ? '' : new URLSearchParams({ instance }).toString()
  return withSearch(`/rb/${encodeURIComponent(name)}`, search)
}

/**
 * Where the browser asks for another token, and comes back from. The server's own, so a plain link leads there.
 *
 * @param role the least that is needed
 */
export function signInPath(role: 'viewer' | 'responder', to: string): string {
  return withSearch('/sign-in', searchOf({ role, to }))
}

export function explorePath(expr: string): string {
  return withSearch(ROUTES.explore, expr === '' ? '' : new URLSearchParams({ expr }).toString())
}

/** @param at the moment it is shown at; when left out, the one that is looked at is kept */
export function adoptionPath(view: Partial<AdoptionView> = {}, at?: string): string {
  const path = withSearch(ROUTES.adoption, formatAdoptionView({ ...PLAIN_VIEW, ...view }))
  return at === undefined ? path : atMoment(path, Date.parse(at))
}

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
