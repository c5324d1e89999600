import { Labels, METRIC_NAME } from '../../src/model/labels.ts'
import type { ClusterProfile } from '../cluster-profile.ts'
import { hashOf, noiseAt } from '../random.ts'

/** One series of one cluster. A sample's value depends on the time only; nothing is remembered between scrapes. */
export interface SimSeries {
  readonly labels: Labels
  /** The value exposed at a time; `undefined` while the series does not exist. */
  readonly valueAt: (timeMs: number) => number | undefined
}

/** Series that live together, made only while somebody looks at that time: an upgrade gives every pod's series new names. */
export interface SeriesGroup {
  /** Inclusive; minus infinity when it was always there. */
  readonly fromMs: number
  /** Exclusive; infinity when it stays. */
  readonly untilMs: number
  make(externalLabels: ExternalLabels): SimSeries[]
}

export type ExternalLabels = Readonly<Record<string, string>>

/** What a scrape adds to each series of a target. Written as the operators' service monitors make it. */
export interface Target {
  readonly job: string
  readonly instance: string
  readonly pod: string
  readonly namespace: string
  readonly service: string
  readonly endpoint: string
  readonly container: string
}

export type OwnLabels = Readonly<Record<string, string>>

/** A series of a target. The metric's own labels win over the target's, as `honorLabels` has it. */
export function targetSeries(
  external: ExternalLabels,
  target: Target,
  name: string,
  own: OwnLabels,
  valueAt: SimSeries['valueAt'],
): SimSeries {
  return { labels: withOwn(commonLabels(external, target), own, name), valueAt }
}

/** Labels that the series of a target have in common, while somebody holds the target; they are most of the work. */
const common = new WeakMap<Target, { readonly external: ExternalLabels; readonly labels: Labels }>()

function commonLabels(external: ExternalLabels, target: Target): Labels {
  const known = common.get(target)
  if (known?.external === external) return known.labels
  const labels = Labels.of({ ...external, ...target })
  common.set(target, { external, labels })
  return labels
}

function withOwn(labels: Labels, own: OwnLabels, name: string): Labels {
  let all = labels.with(METRIC_NAME, name)
  for (const [ownName, value] of Object.entries(own)) all = all.with(ownName, value)
  return all
}

/** The result of a recording rule: no target labels. */
export function ruleSeries(
  external: ExternalLabels,
  name: string,
  own: OwnLabels,
  valueAt: SimSeries['valueAt'],
): SimSeries {
  return { labels: Labels.of({ ...external, ...own, __name__: name }), valueAt }
}

/** Only from `fromMs` (inclusive) to `untilMs` (exclusive). */
export function between(
  fromMs: number,
  untilMs: number,
  valueAt: (timeMs: number) => number | undefined,
): SimSeries['valueAt'] {
  return (timeMs) => (timeMs >= fromMs && timeMs < untilMs ? valueAt(timeMs) : undefined)
}

/** Labels that a cluster's Prometheus puts on everything it sends. */
export function externalLabelsOf(profile: ClusterProfile, replica: number): ExternalLabels {
  return {
    cluster: profile.name,
    cluster_id: profile.id,
    region: profile.region,
    provider: profile.provider,
    environment: profile.environment,
    prometheus: profile.platform === 'openshift' ? 'openshift-monitoring/k8s' : 'monitoring/k8s',
    prometheus_replica: `prometheus-k8s-${replica}`,
  }
}

/** Name of a Deployment's pod: it changes with the version, as the replica set's hash does. */
export function podName(profile: ClusterProfile, deployment: string, version: string, replica = 0): string {
  const set = suffix(10, profile.seed, deployment, version)
  return `${deployment}-${set}-${suffix(5, profile.seed, deployment, version, replica)}`
}

/** Name of a DaemonSet's pod on a node. */
export function nodePodName(profile: ClusterProfile, daemonSet: string, version: string, node: string): string {
  return `${daemonSet}-${suffix(5, profile.seed, daemonSet, version, node)}`
}

/** A pod's address in the cluster's pod network. */
export function instanceOf(profile: ClusterProfile, pod: string, port: number): string {
  const hash = hashOf(profile.seed, 'address', pod)
  return `10.${128 + (hash % 4)}.${(hash >>> 8) % 256}.${2 + ((hash >>> 16) % 250)}:${port}`
}

// The letters Kubernetes draws names from: no vowels, nothing that looks like another.
const NAME_LETTERS = 'bcdfghjklmnpqrstvwxz2456789'

function suffix(length: number, ...name: readonly (string | number)[]): string {
  // Letters by noise: the hashes of names that end alike are too near each other, and two nodes had the same pod.
  const stream = hashOf(...name)
  let text = ''
  for (let i = 0; i < length; i++) text += NAME_LETTERS[Math.floor(noiseAt(stream, i) * NAME_LETTERS.length)]!
  return text
}
