import type { ClustersQuery } from '../../contract/fleet-clusters.ts'
import { CLUSTER_STATES, type ClusterState } from '../../model/cluster-record.ts'

/**
 * What the list of clusters is narrowed to and sorted by, as it stands in the URL. Pure. A value the URL holds by mistake
 * is left out, so an old or hand-written link still opens.
 */
export interface ClusterListView {
  /** One of them holds; empty: all. */
  readonly states: readonly ClusterState[]
  /** `1.17.0`, or `1.17` for all of a minor; empty: all. */
  readonly versions: readonly string[]
  readonly channel: string
  /** `openshift`, or `openshift 4.20`. */
  readonly platform: string
  readonly flavour: string
  readonly region: string
  /** Part of a name. */
  readonly text: string
  readonly sort: ClusterSort
  readonly order: 'asc' | 'desc'
}

export type ClusterSort = NonNullable<ClustersQuery['sort']>

/** The contract's own list would bring its schemas along, and these come with the first screen. */
const CLUSTER_SORTS: readonly ClusterSort[] = ['cluster', 'version', 'last_seen', 'outdated_workloads']

export const WHOLE_FLEET: ClusterListView = {
  states: [],
  versions: [],
  channel: '',
  platform: '',
  flavour: '',
  region: '',
  text: '',
  sort: 'cluster',
  order: 'asc',
}

export function parseClusterView(search: string): ClusterListView {
  const params = new URLSearchParams(search)
  const one = (name: string): string => params.get(name) ?? ''
  const asked = params.getAll('state').flatMap((value) => value.split(','))
  const sort = CLUSTER_SORTS.find((name) => name === params.get('sort')) ?? 'cluster'
  const order = params.get('order')
  return {
    states: CLUSTER_STATES.filter((state) => asked.includes(state)),
    versions: [...new Set(params.getAll('version'))].filter((version) => version !== ''),
    channel: one('channel'),
    platform: one('platform'),
    flavour: one('flavour'),
    region: one('region'),
    text: one('q'),
    sort,
    order: order === 'asc' || order === 'desc' ? order : firstOrder(sort),
  }
}

/** The direction somebody means who sorts by it: names from the first, everything else from the most. */
export function firstOrder(sort: ClusterSort): 'asc' | 'desc' {
  return sort === 'cluster' ? 'asc' : 'desc'
}

/** What is as by default is left out, so that equal views have equal links. */
export function searchOfView(view: ClusterListView): Readonly<Record<string, string | readonly string[]>> {
  const { states, versions, channel, platform, flavour, region, text, sort, order } = view
  return {
    state: states,
    version: versions,
    channel,
    platform,
    flavour,
    region,
    q: text,
    sort: sort === 'cluster' ? '' : sort,
    order: order === firstOrder(sort) ? '' : order,
  }
}

/** The same question as the API takes it. */
export function questionOfView(view: ClusterListView): Readonly<Record<string, string | readonly string[]>> {
  const { q = '', ...filter } = searchOfView(view)
  return { ...filter, text: q, sort: view.sort, order: view.order }
}

export function isNarrowed(view: ClusterListView): boolean {
  const { states, versions, channel, platform, flavour, region, text } = view
  return states.length + versions.length > 0 || [channel, platform, flavour, region, text].some((value) => value !== '')
}

/** Chosen if it was not, and left out if it was. */
export function toggled<T>(chosen: readonly T[], value: T): readonly T[] {
  return chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value]
}
