import { platformVersion } from '../cluster-profile.ts'
import { hashOf } from '../random.ts'
import { openshiftMinorOf } from '../release.ts'
import type { ClusterPlan } from '../cluster-plan.ts'
import { HOUR_MS, MINUTE_MS } from '../scenarios/window.ts'
import {
  between,
  instanceOf,
  podName,
  targetSeries,
  type ExternalLabels,
  type OwnLabels,
  type SeriesGroup,
  type SimSeries,
  type Target,
} from './sim-series.ts'

/**
 * What OpenShift's cluster-version-operator says of the platform. Plain Kubernetes says nothing. The platform goes to a
 * minor some hours before HCO goes to the release that belongs to it. Values of `cluster_version` are times.
 */
export function platformGroups(plan: ClusterPlan): readonly SeriesGroup[] {
  if (plan.profile.platform !== 'openshift') return []
  return platformVersions(plan).map((version): SeriesGroup => ({
    fromMs: version.updateMs,
    untilMs: version.untilMs,
    make: (external) => versionSeries(plan, version, external),
  }))
}

export interface PlatformVersion {
  readonly version: string
  /** Empty for the one the history begins with. */
  readonly from: string
  /** The update to it begins; minus infinity for the first. */
  readonly updateMs: number
  readonly completedMs: number
  /** The update to the next one is complete. */
  readonly untilMs: number
}

const UPDATE_MS = 70 * MINUTE_MS
const BEFORE_HCO_MS = 4 * HOUR_MS
/** Somebody upgraded the platform and left HCO where it was. */
const MINORS_AHEAD = 2

/** Oldest first; the first was always there. */
export function platformVersions(plan: ClusterPlan): readonly PlatformVersion[] {
  const { profile } = plan
  const patch = (minor: number): string => platformVersion(profile, minor)
  // At the beginning the platform is where the first upgrade of HCO needs it.
  const firstUpgrade = plan.upgrades[0]
  const neededMinor = openshiftMinorOf(firstUpgrade?.to ?? profile.firstRelease)
  const firstMinor = neededMinor + (plan.role === 'skewed' ? MINORS_AHEAD : 0)
  const versions = [{ version: patch(firstMinor), from: '', updateMs: -Infinity, completedMs: -Infinity }]
  let minor = firstMinor
  for (const upgrade of plan.upgrades) {
    if (openshiftMinorOf(upgrade.to) === minor) continue
    const updateMs = upgrade.startMs - BEFORE_HCO_MS
    const from = patch(minor)
    minor = openshiftMinorOf(upgrade.to)
    versions.push({ version: patch(minor), from, updateMs, completedMs: updateMs + UPDATE_MS })
  }
  return versions.map((version, i) => ({ ...version, untilMs: versions[i + 1]?.completedMs ?? Infinity }))
}

const CLUSTER_OPERATORS = ['version', 'kube-apiserver', 'machine-config', 'monitoring'] as const

function versionSeries(plan: ClusterPlan, platform: PlatformVersion, external: ExternalLabels): SimSeries[] {
  const { profile } = plan
  const { version, from, updateMs, completedMs, untilMs } = platform
  const pod = podName(profile, 'cluster-version-operator', 'platform')
  const target: Target = {
    job: 'cluster-version-operator',
    instance: instanceOf(profile, pod, 9099),
    pod,
    namespace: 'openshift-cluster-version',
    service: 'cluster-version-operator',
    endpoint: 'metrics',
    container: 'cluster-version-operator',
  }
  const image = `quay.io/openshift-release-dev/ocp-release@sha256:${hashOf(version).toString(16).padStart(8, '0').repeat(8)}`
  const add = (name: string, own: OwnLabels, start: number, valueAt: () => number): SimSeries =>
    targetSeries(external, target, name, own, between(start, untilMs, valueAt))
  const builtSeconds = 1_700_000_000 + (hashOf(version) % 60_000_000)
  const createdSeconds = 1_650_000_000 + (hashOf(profile.seed, 'created') % 60_000_000)
  const installedSeconds = Math.floor((plan.startMs - 20 * 24 * HOUR_MS) / 1000)
  const doneSeconds = Number.isFinite(completedMs) ? Math.floor(completedMs / 1000) : installedSeconds
  const series = [
    add('cluster_version', { type: 'current', version, image, from_version: from }, completedMs, () => builtSeconds),
    add('cluster_version', { type: 'completed', version, image, from_version: from }, completedMs, () => doneSeconds),
    add(
      'cluster_version',
      { type: 'cluster', version, image, from_version: '4.12.0' },
      completedMs,
      () => createdSeconds,
    ),
    ...CLUSTER_OPERATORS.map((name) => add('cluster_operator_up', { name, version }, completedMs, () => 1)),
  ]
  if (from === '') return series
  const updatingSeconds = Math.floor(updateMs / 1000)
  const own = { type: 'updating', version, image, from_version: from }
  return [
    ...series,
    targetSeries(
      external,
      target,
      'cluster_version',
      own,
      between(updateMs, completedMs, () => updatingSeconds),
    ),
  ]
}
