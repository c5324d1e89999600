/** Series of each cluster: info, last seen, version skew, out-of-band modifications; and adoption by version. */
import type { ClusterProblem, ClusterRecord, Modification } from '../../model/cluster-record.ts'
import type { DerivedValue } from './derived-metrics.ts'

/** The series of a cluster that was not seen for a week end, whether or not it is gone. */
export const CLUSTER_LIVES_MS = 7 * 24 * 3600_000
/** Maximum of versions in the adoption series of one operator; the rarest are summed as `other`. */
export const ADOPTED_VERSIONS_MAX = 300
const OTHER_VERSIONS = 'other'

/** A cluster's modifications of one component, counted. */
export interface ModificationCount {
  readonly component: string
  /** Out-of-band edits, without those during an upgrade: the operator itself makes some then. */
  readonly edits: number
  /** Active JSON patches. */
  readonly patches: number
}

export interface ClusterWithCounts {
  readonly cluster: ClusterRecord
  readonly modifications: readonly ModificationCount[]
}

/** By component, in order of its name. */
export function modificationCounts(modifications: readonly Modification[]): readonly ModificationCount[] {
  const counts = new Map<string, { edits: number; patches: number }>()
  for (const { component, kind, isUpgradeMode, count, endedMs } of modifications) {
    let known = counts.get(component)
    if (known === undefined) counts.set(component, (known = { edits: 0, patches: 0 }))
    if (kind === 'out_of_band') known.edits += isUpgradeMode ? 0 : count
    else if (endedMs === undefined) known.patches++
  }
  return [...counts]
    .map(([component, count]) => ({ component, ...count }))
    .sort((a, b) => (a.component < b.component ? -1 : 1))
}

/** The longest of the problems with one cause and reason: they are one series. */
function problemValues({ cluster, problems = [] }: ClusterRecord, nowMs: number): readonly DerivedValue[] {
  const oldest = new Map<string, ClusterProblem>()
  for (const problem of problems.toSorted((a, b) => b.sinceMs - a.sinceMs))
    oldest.set(JSON.stringify([problem.cause, problem.reason]), problem)
  return [...oldest.values()].map(({ cause, reason = '', sinceMs }) => {
    const value = Math.max(0, nowMs - sinceMs) / 1000
    return { name: 'daytwo_cluster_problem_seconds', labels: { cluster, cause, reason }, value }
  })
}

export function clusterValues(clusters: Iterable<ClusterWithCounts>, nowMs: number): DerivedValue[] {
  const values: DerivedValue[] = []
  const adoption = new Map<string, Map<string, number>>()
  for (const { cluster: record, modifications } of clusters) {
    if (nowMs - record.lastSeenMs > CLUSTER_LIVES_MS) continue
    const { cluster } = record
    values.push({ name: 'daytwo_cluster_info', labels: infoLabels(record), value: 1 })
    const seconds = Math.max(0, nowMs - record.lastSeenMs) / 1000
    values.push({ name: 'daytwo_cluster_last_seen_seconds', labels: { cluster }, value: seconds })
    values.push(...problemValues(record, nowMs))
    const skew = skewOf(record)
    if (skew !== undefined) {
      const { minor, platformMinor: platform_minor, minors } = skew
      values.push({ name: 'daytwo_version_skew', labels: { cluster, minor, platform_minor }, value: minors })
    }
    for (const { component, edits, patches } of modifications) {
      const labels = { cluster, component }
      if (patches > 0) values.push({ name: 'daytwo_unsafe_modifications', labels, value: patches })
      if (edits === 0) continue
      values.push({ name: 'daytwo_out_of_band_modifications_total', labels, value: edits, isCounter: true })
    }
    for (const [operator, version] of runningVersions(record)) {
      let versions = adoption.get(operator)
      if (versions === undefined) adoption.set(operator, (versions = new Map<string, number>()))
      versions.set(version, (versions.get(version) ?? 0) + 1)
    }
  }
  return [...values, ...adoptionValues(adoption)]
}

function infoLabels(record: ClusterRecord): DerivedValue['labels'] {
  return {
    cluster: record.cluster,
    flavour: record.flavour ?? '',
    hco_version: record.hcoVersion ?? '',
    kubevirt_version: record.versions['kubevirt'] ?? '',
    platform: record.platform?.kind ?? '',
    platform_version: record.platform?.version ?? '',
    channel: record.subscription?.channel ?? '',
    approval: record.subscription?.approval ?? '',
    region: record.region ?? '',
    environment: record.environment ?? '',
  }
}

/** Operators whose upgrades are derived: HCO, KubeVirt without HCO, the platform. */
function runningVersions({ hcoVersion, versions, platform }: ClusterRecord): readonly (readonly [string, string])[] {
  const kubevirt = versions['kubevirt']
  const running: (readonly [string, string])[] = []
  if (hcoVersion !== undefined) running.push(['kubevirt-hyperconverged', hcoVersion])
  else if (kubevirt !== undefined) running.push(['kubevirt', kubevirt])
  if (platform?.kind === 'openshift' && platform.version !== undefined) running.push(['openshift', platform.version])
  return running
}

function adoptionValues(adoption: ReadonlyMap<string, ReadonlyMap<string, number>>): DerivedValue[] {
  return [...adoption].flatMap(([operator, versions]) => {
    const commonest = [...versions].sort(([a, of], [b, ofB]) => ofB - of || (a < b ? -1 : 1))
    const shown = commonest.slice(0, ADOPTED_VERSIONS_MAX)
    const rest = commonest.slice(ADOPTED_VERSIONS_MAX).reduce((sum, [, clusters]) => sum + clusters, 0)
    const counts = rest === 0 ? shown : [...shown, [OTHER_VERSIONS, rest] as const]
    return counts.map(([version, value]) => {
      return { name: 'daytwo_adoption_clusters', labels: { operator, version }, value } as const
    })
  })
}

/**
 * OpenShift Virtualization has the minor of the OpenShift that it belongs to; 5.0 follows 4.22 as 4.23 would.
 * `undefined`: the community's HCO, which has its own numbers, or an unknown version.
 */
function skewOf({
  flavour,
  hcoVersion,
  platform,
}: ClusterRecord): { readonly minor: string; readonly platformMinor: string; readonly minors: number } | undefined {
  if (flavour !== 'openshift' || platform?.kind !== 'openshift') return undefined
  const [own, below] = [platformMinorOf(hcoVersion), platformMinorOf(platform.version)]
  if (own === undefined || below === undefined) return undefined
  return { minor: own.text, platformMinor: below.text, minors: own.ordinal - below.ordinal }
}

const MINOR_OF_5_0 = 23

function platformMinorOf(version: string | undefined): { readonly text: string; readonly ordinal: number } | undefined {
  const parts = /^v?([45])\.(\d+)\./.exec(version ?? '')
  if (parts === null) return undefined
  const minor = Number(parts[2])
  return { text: `${parts[1]!}.${minor}`, ordinal: parts[1] === '5' ? MINOR_OF_5_0 + minor : minor }
}
