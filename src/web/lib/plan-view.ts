import type { ClusterFacets } from '../../contract/fleet-clusters.ts'
import type { PlanRequest } from '../../contract/fleet-plans.ts'
import { CLUSTER_STATES } from '../../model/cluster-record.ts'
import { CLUSTER_VIEW, type ClusterListView } from './cluster-view.ts'
import { compareVersions, minorOf } from './version-order.ts'
import { choicesField, textField, textsField, viewCodec, type ViewOf } from './view-codec.ts'

/** The whole input of a plan, in the address of its page: a link shows the same plan. Pure. */
export const PLAN_VIEW = viewCodec({
  target: textField('target'),
  states: choicesField('state', CLUSTER_STATES),
  versions: textsField('version'),
  channel: textField('channel'),
  platform: textField('platform'),
  flavour: textField('flavour'),
  region: textField('region'),
  /** Part of a name. */
  text: textField('q'),
  /** Only these clusters. */
  clusters: textsField('cluster', 1000),
  /** Clusters at a time; empty: the default. */
  atOnce: textField('at-once'),
  windows: textsField('window', 20),
  zone: textField('zone'),
  /** RFC 3339; empty: now. */
  start: textField('start'),
  /** The cluster whose steps are shown; empty: the first. */
  open: textField('open'),
})
export type PlanView = ViewOf<typeof PLAN_VIEW>

/** The clusters of the plan as a list. */
export function clusterListOf({
  states,
  versions,
  channel,
  platform,
  flavour,
  region,
  text,
}: PlanView): ClusterListView {
  return { ...CLUSTER_VIEW.initial, states, versions, channel, platform, flavour, region, text }
}

/** The body of the request. Empty fields are left out. */
export function planRequestOf(view: PlanView, exported?: PlanRequest['export']): PlanRequest {
  const { target, states, versions, channel, platform, flavour, region, text, clusters, atOnce } = view
  const texts = Object.entries({ channel, platform, flavour, region, text }).filter(([, value]) => value !== '')
  return {
    target,
    selector: {
      ...Object.fromEntries(texts),
      ...(versions.length === 0 ? {} : { version: versions }),
      ...(states.length === 0 ? {} : { state: states }),
      ...(clusters.length === 0 ? {} : { cluster: clusters }),
    },
    ...(/^\d{1,5}$/.test(atOnce) ? { clustersAtOnce: Number(atOnce) } : {}),
    ...(view.windows.length === 0 ? {} : { windows: view.windows }),
    ...(view.zone === '' ? {} : { timeZone: view.zone }),
    ...(view.start === '' ? {} : { start: view.start }),
    ...(exported === undefined ? {} : { export: exported }),
  }
}

/** How far targets are proposed beyond what is installed. */
const MINORS_AHEAD = 2

/** Minors of the platforms and HCO versions of the selection, and the next two of each; the newest first. */
export function proposedTargets({
  platforms,
  versions,
}: Pick<ClusterFacets, 'platforms' | 'versions'>): readonly string[] {
  const installed = [
    ...platforms.flatMap(({ value }) => (value?.startsWith('openshift ') === true ? [value.slice(10)] : [])),
    ...versions.flatMap(({ value }) => value ?? []),
  ]
  const found = new Set<string>()
  for (const version of installed) {
    const [major, minor] = (minorOf(version) ?? '').split('.').map(Number)
    if (major === undefined || minor === undefined) continue
    for (let ahead = 0; ahead <= MINORS_AHEAD; ahead++) found.add(`${major}.${minor + ahead}`)
  }
  return [...found].sort(compareVersions)
}
