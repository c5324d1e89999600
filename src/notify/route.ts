/**
 * The compiled routing tree of Alertmanager's configuration: the receivers of an alert, and the labels by which it is
 * grouped. The search is depth first and in order; the first matching child ends the search unless it continues, and a node
 * without a matching child is itself the result.
 */
import type { Labels } from '../model/labels.ts'
import { compileMatchers, formatMatchers, sortMatchers } from '../model/matcher-text.ts'
import type { Matcher } from '../model/matcher.ts'

export interface Route {
  readonly receiver: string
  /** `all`: every distinct label set is a group of its own. */
  readonly groupBy: readonly string[] | 'all'
  readonly groupWaitMs: number
  readonly groupIntervalMs: number
  readonly repeatIntervalMs: number
  /** Sorted. */
  readonly matchers: readonly Matcher[]
  readonly continues: boolean
  readonly muteTimeIntervals: readonly string[]
  readonly activeTimeIntervals: readonly string[]
  readonly routes: readonly Route[]
  /** Indices down from the root; empty for the root. */
  readonly path: readonly number[]
  /** Alertmanager's: the matchers from the root down, joined by slashes. Not unique among equal siblings. */
  readonly key: string
  readonly matches: (labels: Labels) => boolean
}

type Inherited = 'receiver' | 'groupBy' | 'groupWaitMs' | 'groupIntervalMs' | 'repeatIntervalMs'

/** A route as written; an absent value is that of the parent. */
export interface RouteSpec
  extends
    Pick<Route, 'matchers' | 'continues' | 'muteTimeIntervals' | 'activeTimeIntervals'>,
    Readonly<{ [P in Inherited]?: Route[P] | undefined }> {
  readonly routes: readonly RouteSpec[]
}

const ROUTE_DEFAULTS = {
  groupWaitMs: 30_000,
  groupIntervalMs: 5 * 60_000,
  repeatIntervalMs: 4 * 3_600_000,
} as const

export function compileRoute(spec: RouteSpec, parent?: Route, index = 0): Route {
  const matchers = sortMatchers(spec.matchers)
  const own = formatMatchers(matchers)
  const route = {
    receiver: spec.receiver ?? parent?.receiver ?? '',
    groupBy: spec.groupBy ?? parent?.groupBy ?? [],
    groupWaitMs: spec.groupWaitMs ?? parent?.groupWaitMs ?? ROUTE_DEFAULTS.groupWaitMs,
    groupIntervalMs: spec.groupIntervalMs ?? parent?.groupIntervalMs ?? ROUTE_DEFAULTS.groupIntervalMs,
    repeatIntervalMs: spec.repeatIntervalMs ?? parent?.repeatIntervalMs ?? ROUTE_DEFAULTS.repeatIntervalMs,
    matchers,
    continues: spec.continues,
    muteTimeIntervals: spec.muteTimeIntervals,
    activeTimeIntervals: spec.activeTimeIntervals,
    path: parent === undefined ? [] : [...parent.path, index],
    key: parent === undefined ? own : `${parent.key}/${own}`,
    matches: compileMatchers(matchers),
    routes: [] as readonly Route[],
  }
  route.routes = spec.routes.map((child, i) => compileRoute(child, route, i))
  return route
}

/** The routes of an alert, in order; empty only when `route` itself does not match. */
export function routesFor(route: Route, labels: Labels): readonly Route[] {
  if (!route.matches(labels)) return []
  const found: Route[] = []
  for (const child of route.routes) {
    const below = routesFor(child, labels)
    found.push(...below)
    if (below.length > 0 && !child.continues) break
  }
  return found.length > 0 ? found : [route]
}

/** The labels by which an alert is grouped on this route, without those that the alert does not have. */
export function groupLabelsOf({ groupBy }: Route, labels: Labels): Labels {
  return groupBy === 'all' ? labels : labels.keep(new Set(groupBy))
}

/** Alertmanager's group key: `{}/{severity="critical"}:{alertname="X"}`. */
export function groupKeyOf(route: Route, groupLabels: Labels): string {
  const pairs = [...groupLabels.pairs()].map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  return `${route.key}:{${pairs.join(', ')}}`
}
