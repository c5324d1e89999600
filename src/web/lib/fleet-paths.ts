import { searchOf, withSearch } from './address.ts'

/** Every address of the place Fleet. A search holds what a list is narrowed to and sorted by. */

export const FLEET_ROUTES = {
  clusters: '/fleet/clusters',
  cluster: '/fleet/clusters/:cluster',
  upgrades: '/fleet/upgrades',
  upgrade: '/fleet/upgrades/:id',
  edges: '/fleet/edges',
  edge: '/fleet/edges/:operator/:from/:to',
  modifications: '/fleet/modifications',
  gates: '/fleet/gates',
  gate: '/fleet/gates/:gate',
} as const

/** The place itself shows its first page: one page at two addresses, so that nothing is lost between them. */
export const FLEET_LIST = /^\/fleet(?:\/clusters)?\/?$/

/** The pages of the place Fleet. */
export const FLEET_PAGES = [
  {
    name: 'Clusters',
    path: FLEET_ROUTES.clusters,
    says: 'every cluster: what it runs, how it is set up, how it fares',
  },
  { name: 'Upgrades', path: FLEET_ROUTES.upgrades, says: 'those that run, by phase, and all there were' },
  { name: 'Edges', path: FLEET_ROUTES.edges, says: 'each step between two versions: success and time by phase' },
  { name: 'Modifications', path: FLEET_ROUTES.modifications, says: 'what is changed past the API, and unsafe patches' },
  { name: 'Gates', path: FLEET_ROUTES.gates, says: 'which feature gates are used, and who sets them by patch' },
] as const

type Search = Readonly<Record<string, string | readonly string[]>>

export function clustersPath(search: Search = {}): string {
  return withSearch(FLEET_ROUTES.clusters, searchOf(search))
}

export function clusterPath(cluster: string): string {
  return `${FLEET_ROUTES.clusters}/${encodeURIComponent(cluster)}`
}

export function upgradesPath(search: Search = {}): string {
  return withSearch(FLEET_ROUTES.upgrades, searchOf(search))
}

export function upgradePath(id: string): string {
  return `${FLEET_ROUTES.upgrades}/${encodeURIComponent(id)}`
}

export function edgesPath(search: Search = {}): string {
  return withSearch(FLEET_ROUTES.edges, searchOf(search))
}

/** @param search `than`: `from..to` of an edge to compare with; `window`: how long ago upgrades began at most */
export function edgePath(operator: string, from: string, to: string, search: Search = {}): string {
  const path = [FLEET_ROUTES.edges, ...[operator, from, to].map(encodeURIComponent)].join('/')
  return withSearch(path, searchOf(search))
}

export function modificationsPath(search: Search = {}): string {
  return withSearch(FLEET_ROUTES.modifications, searchOf(search))
}

/** @param search `show`: `patched`, `on` or `off` alone */
export function gatePath(gate: string, search: Search = {}): string {
  return withSearch(`${FLEET_ROUTES.gates}/${encodeURIComponent(gate)}`, searchOf(search))
}
