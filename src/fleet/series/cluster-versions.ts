/** What is counted and compared of the versions of a cluster: the operators that run, and the skew to the platform. Pure. */
import type { ClusterRecord } from '../../model/cluster-record.ts'

/** Operators whose upgrades are derived: HCO, KubeVirt without HCO, the platform. */
export function runningVersions({
  hcoVersion,
  versions,
  platform,
}: ClusterRecord): readonly (readonly [string, string])[] {
  const kubevirt = versions['kubevirt']
  const running: (readonly [string, string])[] = []
  if (hcoVersion !== undefined) running.push(['kubevirt-hyperconverged', hcoVersion])
  else if (kubevirt !== undefined) running.push(['kubevirt', kubevirt])
  if (platform?.kind === 'openshift' && platform.version !== undefined) running.push(['openshift', platform.version])
  return running
}

/**
 * OpenShift Virtualization has the minor of the OpenShift that it belongs to; 5.0 follows 4.22 as 4.23 would.
 * `undefined`: the community's HCO, which has its own numbers, or an unknown version.
 */
export function skewOf({
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
