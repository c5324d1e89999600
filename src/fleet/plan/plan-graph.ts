/**
 * The upgrade graph as the planner reads it: versions by minor, and the shortest way from one version to another. Without an
 * imported catalog it is made of the known bundles of HCO (`RELEASES`) and of what the fleet runs: OperatorHub builds its
 * edges by semantic versioning, so a version leads to each newer one of its minor and of the next minor, and KubeVirt
 * supports no longer step (facts 6.2).
 */
import type { Release } from '../../model/release.ts'
import { hcoReleaseOf } from '../derive/hco-release.ts'
import { compareVersions } from '../version-order.ts'
import { openshiftMinorOf, pairedMinorOf } from '../platform-minor.ts'

export type Flavour = 'community' | 'openshift'

export interface PlanGraph {
  /** Versions of HCO that pair with a minor of OpenShift, the oldest first. */
  versions(flavour: Flavour, minor: number): readonly string[]
  /** The versions after `from` up to `to`, both of the graph or not; `undefined`: no supported way. */
  path(flavour: Flavour, from: string, to: string): readonly string[] | undefined
  /** The newest minor of OpenShift on which this version is supported; `undefined`: no limit is declared. */
  maxOpenShiftMinor(version: string): number | undefined
  /** False: a minor may have versions that the graph lacks, so a missing one proves nothing. */
  isComplete(flavour: Flavour): boolean
  /** The newest minor that a target may have. */
  newestMinor(): number
  /** The newest version of OpenShift of a minor that any cluster of the fleet runs. */
  openshiftVersion(minor: number): string | undefined
  /** Of the operand KubeVirt in a version of HCO. */
  kubevirtOf(version: string): string | undefined
}

export interface SeenVersions {
  /** Of HCO, of all clusters and measured upgrades. */
  readonly hco: Iterable<string>
  readonly openshift: Iterable<string>
}

/** A row of the repository's main branch is not released: no catalog offers it. */
const UNRELEASED = 'main'

/** @param maxOpenShift the property `olm.maxOpenShiftVersion` by version of HCO, where a bundle declares it */
export function graphOfReleases(
  releases: readonly Release[],
  seen: SeenVersions,
  maxOpenShift: ReadonlyMap<string, string> = declaredMaxima(releases),
): PlanGraph {
  const kubevirt = new Map(releases.map(({ version, operands }) => [version, operands['kubevirt']]))
  const released = releases.filter(({ seenAt }) => seenAt !== UNRELEASED).map(({ version }) => version)
  const byMinor = groupVersions([...released, ...seen.hco])
  const openshift = new Map<number, string>()
  for (const version of seen.openshift) {
    const minor = openshiftMinorOf(version)
    if (minor === undefined) continue
    const newest = openshift.get(minor)
    if (newest === undefined || compareVersions(version, newest) > 0) openshift.set(minor, version)
  }
  const minors = [...byMinor.values()].map(({ minor }) => minor)
  const versions: PlanGraph['versions'] = (flavour, minor) => byMinor.get(`${flavour} ${minor}`)?.versions ?? []
  return {
    versions,
    path: (_flavour, from, to) => {
      const [fromMinor, toMinor] = [pairedMinorOf(from), pairedMinorOf(to)]
      if (fromMinor === undefined || toMinor === undefined) return undefined
      if (compareVersions(to, from) <= 0 || toMinor > fromMinor + 1) return undefined
      return [to]
    },
    maxOpenShiftMinor: (version) => {
      const text = maxOpenShift.get(version)
      return text === undefined ? undefined : openshiftMinorOf(text)
    },
    isComplete: (flavour) => flavour === 'community',
    newestMinor: () => Math.max(0, ...minors),
    openshiftVersion: (minor) => openshift.get(minor),
    kubevirtOf: (version) => kubevirt.get(version),
  }
}

const MAX_OPENSHIFT = 'olm.maxOpenShiftVersion'

function declaredMaxima(releases: readonly Release[]): ReadonlyMap<string, string> {
  return new Map(
    releases.flatMap(({ version, properties }) =>
      properties.flatMap(({ type, value }) => (type === MAX_OPENSHIFT ? [[version, String(value)] as const] : [])),
    ),
  )
}

interface MinorVersions {
  readonly minor: number
  readonly versions: readonly string[]
}

function groupVersions(all: readonly string[]): ReadonlyMap<string, MinorVersions> {
  const groups = new Map<string, { minor: number; versions: Set<string> }>()
  for (const version of all) {
    const [release, minor] = [hcoReleaseOf(version), pairedMinorOf(version)]
    // A prerelease is no target of a plan.
    if (release === undefined || minor === undefined || version.includes('-')) continue
    const key = `${release.flavour} ${minor}`
    const group = groups.get(key) ?? { minor, versions: new Set() }
    groups.set(key, group)
    group.versions.add(version)
  }
  return new Map(
    [...groups].map(([key, { minor, versions }]) => [
      key,
      { minor, versions: [...versions].sort((a, b) => compareVersions(a, b)) },
    ]),
  )
}
