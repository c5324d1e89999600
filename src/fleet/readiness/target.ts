/** Versions to upgrade to: the known releases of HCO, and the versions of OpenShift that clusters of the fleet run or update to. */
import { openshiftMinorOf } from '../platform-minor.ts'
import type { ClusterRecord } from '../../model/cluster-record.ts'
import type { Release } from '../../model/release.ts'
import type { Target } from '../../model/readiness.ts'
import { hcoReleaseOf, type HcoRelease } from '../derive/hco-release.ts'
import { RELEASES } from '../releases.ts'
import { compareVersions } from '../version-order.ts'

/** HCO 1.y is released for OpenShift 4.(y + 4). */
export const PLATFORM_MINORS_AHEAD = 4

const VERSION = /^v?(\d+)\.(\d+)(?:\.(\d+))?/

/**
 * Reads `1.20.0` or `1.20` (HCO; `4.24.0` names the same release as OpenShift Virtualization counts), and `openshift 4.20.3`
 * (the platform). A minor alone is its newest known release. `undefined`: no version.
 *
 * @param known releases of HCO; a version that is not among them is a target as well
 */
export function parseTarget(text: string, known: readonly Release[]): Target | undefined {
  const [, platform = '', version = ''] = /^(openshift[ :-])?([0-9v].*)$/.exec(text.trim()) ?? []
  if (!/^v?\d+\.\d+(\.\d+)?(-[0-9A-Za-z.-]+)?$/.test(version) || version.length > 40) return undefined
  const hasPatch = /^v?\d+\.\d+\.\d/.test(version)
  const full = hasPatch ? version.replace(/^v/, '') : `${version.replace(/^v/, '')}.0`
  if (platform !== '') return platformTarget(full)
  const release = hcoReleaseOf(full)
  if (release === undefined) return undefined
  const newest = known.findLast((one) => hcoReleaseOf(one.version)?.minor === release.minor)
  return hasPatch || newest === undefined ? hcoTarget(`1.${release.minor}.${release.patch}`) : hcoTarget(newest.version)
}

export function hcoTarget(version: string): Target | undefined {
  const release = hcoReleaseOf(version)
  if (release === undefined) return undefined
  return { operator: 'kubevirt-hyperconverged', version, minor: release.minor, patch: release.patch }
}

export function platformTarget(version: string): Target | undefined {
  const minor = openshiftMinorOf(version)
  if (minor === undefined) return undefined
  return { operator: 'openshift', version, minor, patch: Number(VERSION.exec(version)?.[3] ?? 0) }
}

/** `1.20.0`, `openshift 4.20.3`: what `parseTarget` reads. */
export function targetText({ operator, version }: Pick<Target, 'operator' | 'version'>): string {
  return operator === 'openshift' ? `openshift ${version}` : version
}

/**
 * All known targets, the newest first: releases, then versions of the platform.
 *
 * @param imported versions of OpenShift of imported graphs
 */
export function knownTargets(
  releases: readonly Release[],
  clusters: Iterable<Pick<ClusterRecord, 'platform' | 'hcoVersion'>>,
  imported: readonly string[],
): readonly Target[] {
  const hco = new Map(releases.flatMap(({ version }) => entryOf(hcoTarget(version))))
  const platform = new Map(imported.flatMap((version) => entryOf(platformTarget(version))))
  for (const { platform: of, hcoVersion } of clusters) {
    const release = hcoVersion === undefined ? undefined : hcoReleaseOf(hcoVersion)
    if (release !== undefined)
      for (const [key, one] of entryOf(hcoTarget(`1.${release.minor}.${release.patch}`))) hco.set(key, one)
    if (of?.kind !== 'openshift') continue
    for (const version of [of.version, of.target]) {
      if (version !== undefined) for (const [key, one] of entryOf(platformTarget(version))) platform.set(key, one)
    }
  }
  return [...newestFirst(hco.values()), ...newestFirst(platform.values())]
}

/** Fleets have few versions; beyond this number the oldest are left out. */
const TARGETS_MAX = 200

function newestFirst(targets: Iterable<Target>): readonly Target[] {
  return [...targets].sort((a, b) => compareVersions(b.version, a.version)).slice(0, TARGETS_MAX)
}

function entryOf(target: Target | undefined): readonly (readonly [string, Target])[] {
  return target === undefined ? [] : [[target.version, target]]
}

/** `reached`: the cluster runs the version or a newer one. `other`: no such operator or platform. `unknown`: not reported. */
export type TargetPosition = 'candidate' | 'reached' | 'other' | 'unknown'

/** What `positionOf` reads of a cluster. */
export interface Versions {
  readonly record: Pick<ClusterRecord, 'platform' | 'versions'>
  readonly release: HcoRelease | undefined
  readonly platformMinor: number | undefined
  readonly platformPatch: number | undefined
}

/** HOT: for each cluster and target. */
export function positionOf(
  { record, release, platformMinor, platformPatch = 0 }: Versions,
  target: Target,
): TargetPosition {
  if (target.operator === 'openshift') {
    if (record.platform === undefined) return 'unknown'
    if (record.platform.kind !== 'openshift') return 'other'
    if (platformMinor === undefined) return 'unknown'
    return isReached(platformMinor, platformPatch, target) ? 'reached' : 'candidate'
  }
  // KubeVirt without HCO has no release of HCO to go to.
  if (release === undefined) return Object.hasOwn(record.versions, 'kubevirt') ? 'other' : 'unknown'
  return isReached(release.minor, release.patch, target) ? 'reached' : 'candidate'
}

function isReached(minor: number, patch: number, target: Target): boolean {
  return minor > target.minor || (minor === target.minor && patch >= target.patch)
}

/** The newest version of HCO that a cluster runs: it is released, and somewhere it works. Without any the newest known release. */
export function defaultTarget(clusters: Iterable<Pick<ClusterRecord, 'hcoVersion'>>): Target {
  let newest: Target | undefined
  for (const { hcoVersion } of clusters) {
    const release = hcoVersion === undefined ? undefined : hcoReleaseOf(hcoVersion)
    if (release === undefined) continue
    const { minor, patch } = release
    if (newest === undefined || minor > newest.minor || (minor === newest.minor && patch > newest.patch)) {
      newest = { operator: 'kubevirt-hyperconverged', version: `1.${minor}.${patch}`, minor, patch }
    }
  }
  return newest ?? hcoTarget(RELEASES.at(-1)!.version)!
}

/** The next minor of a cluster's version of HCO, whether or not it is released: its newest known release, else its first. */
export function nextTarget({ hcoVersion }: Pick<ClusterRecord, 'hcoVersion'>): Target | undefined {
  const release = hcoVersion === undefined ? undefined : hcoReleaseOf(hcoVersion)
  return release === undefined ? undefined : parseTarget(`1.${release.minor + 1}`, RELEASES)
}
