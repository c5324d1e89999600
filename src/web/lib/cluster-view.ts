import type { ClustersQuery } from '../../contract/fleet-clusters.ts'
import { CLUSTER_STATES } from '../../model/cluster-record.ts'
import type { SilenceCause } from '../../model/cluster-silence.ts'
import type { Search } from './address.ts'
import { SILENCE_CAUSE_WORDS } from './fleet-names.ts'
import { choicesField, sortFields, textField, textsField, viewCodec, type ViewOf } from './view-codec.ts'

/** The contract's own list would load its schemas, and the cluster list is on the first screen. */
const CLUSTER_SORTS: readonly NonNullable<ClustersQuery['sort']>[] = [
  'cluster',
  'version',
  'last_seen',
  'outdated_workloads',
]

/** Filters and sort of the cluster list, in its address. Pure. */
export const CLUSTER_VIEW = viewCodec({
  /** Clusters in one of them; empty: all. */
  states: choicesField('state', CLUSTER_STATES),
  /** Silent for one of these causes; empty: all. */
  silences: choicesField('silence', Object.keys(SILENCE_CAUSE_WORDS) as SilenceCause[]),
  /** `1.17.0`, or `1.17` for all of a minor; empty: all. */
  versions: textsField('version'),
  channel: textField('channel'),
  /** `openshift`, or `openshift 4.20`. */
  platform: textField('platform'),
  flavour: textField('flavour'),
  region: textField('region'),
  /** Part of a name. */
  text: textField('q'),
  ...sortFields(CLUSTER_SORTS, 'cluster'),
})
export type ClusterListView = ViewOf<typeof CLUSTER_VIEW>
export type ClusterSort = ClusterListView['sort']

/** The view as parameters of the API. */
export function questionOfView(view: ClusterListView): Search {
  const { q = '', ...filter } = CLUSTER_VIEW.searchOf(view)
  return { ...filter, text: q, sort: view.sort, order: view.order }
}

/** Adds a value, or removes it if it is there. */
export function toggled<T>(chosen: readonly T[], value: T): readonly T[] {
  return chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value]
}
