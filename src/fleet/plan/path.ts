/**
 * The path of a cluster over both graphs: OpenShift and HCO, interleaved. OpenShift goes minor by minor, HCO follows it
 * (facts 7, hazards 10, 12 and 17): z-streams first, then OpenShift, then HCO to the minor that pairs with it.
 */
import { compareVersions } from '../version-order.ts'
import { hcoMinorText, openshiftMinorOf, openshiftMinorText, pairedMinorOf } from '../platform-minor.ts'
import type { PlanCluster } from './plan-cluster.ts'
import type { PlanGraph } from './plan-graph.ts'
import type { PlanTarget } from './target.ts'

export interface Move {
  readonly operator: 'hco' | 'openshift'
  /** Of OpenShift; for HCO of the OpenShift that it pairs with. */
  readonly minor: number
  readonly isMinor: boolean
  /** Versions; absent: no version of the minor is known. */
  readonly from?: string
  readonly to?: string
}

export type PlanPath =
  | { readonly kind: 'moves'; readonly moves: readonly Move[] }
  | { readonly kind: 'target_older' | 'no_path' | 'unknown'; readonly reason: string }

/** Steps of HCO and OpenShift from what is installed to the target; empty at the target. */
export function pathOf(cluster: PlanCluster, target: PlanTarget, graph: PlanGraph): PlanPath {
  const { hcoVersion, hcoMinor, openshiftMinor, platform, flavour } = cluster
  if (hcoVersion === undefined || hcoMinor === undefined) {
    return { kind: 'unknown', reason: 'No data source reports the installed version of HCO.' }
  }
  if (platform === 'openshift' && openshiftMinor === undefined) {
    return { kind: 'unknown', reason: 'No data source reports the installed version of OpenShift.' }
  }
  if (platform === undefined) {
    return { kind: 'unknown', reason: 'No data source reports whether the cluster runs on OpenShift.' }
  }
  const older = whyOlder(cluster, target)
  if (older !== undefined) return { kind: 'target_older', reason: older }
  if (target.minor > graph.newestMinor()) {
    return {
      kind: 'no_path',
      reason: `The target ${target.text} is not known: the newest known version of HCO is ${hcoMinorText(graph.newestMinor(), flavour)}.`,
    }
  }
  return walk(cluster, target, graph, { hcoVersion, hcoMinor, openshiftMinor })
}

function whyOlder(cluster: PlanCluster, { minor, hco, openshift }: PlanTarget): string | undefined {
  const { hcoVersion = '', hcoMinor = 0, openshiftMinor, openshiftVersion, flavour } = cluster
  const noDowngrade = 'Neither OpenShift nor HCO supports a downgrade.'
  if (hcoMinor > minor) {
    return `HCO ${hcoVersion} is installed, newer than ${hcoMinorText(minor, flavour)}. ${noDowngrade}`
  }
  const isExactOlder =
    hco !== undefined && hco.flavour === flavour && hcoMinor === minor && compareVersions(hcoVersion, hco.version) > 0
  if (isExactOlder) return `HCO ${hcoVersion} is installed, newer than ${hco.version}. ${noDowngrade}`
  const isPlatformOlder =
    openshift !== undefined &&
    openshiftMinor !== undefined &&
    (openshiftMinor > minor || compareVersions(openshiftVersion ?? '', openshift) > 0)
  return isPlatformOlder
    ? `OpenShift ${openshiftVersion ?? ''} is installed, newer than ${openshift}. ${noDowngrade}`
    : undefined
}

interface Place {
  /** Absent: of the minor, and no version is known. */
  readonly hcoVersion: string | undefined
  readonly hcoMinor: number
  readonly openshiftMinor: number | undefined
}

function walk(cluster: PlanCluster, target: PlanTarget, graph: PlanGraph, start: Place): PlanPath {
  const moves: Move[] = []
  let place = start
  const goTo = (minor: number): string | undefined => {
    const hop = hcoMoves(cluster, target, graph, place, minor)
    if (typeof hop === 'string') return hop
    moves.push(...hop)
    place = { ...place, hcoMinor: minor, hcoVersion: hop.length === 0 ? place.hcoVersion : hop.at(-1)!.to }
    return undefined
  }
  let openshiftVersion = cluster.openshiftVersion
  const raise = (minor: number, exact?: string): void => {
    const to = exact ?? graph.openshiftVersion(minor)
    const from = openshiftVersion ?? openshiftMinorText(minor - 1)
    moves.push({ operator: 'openshift', minor, isMinor: true, from, ...(to === undefined ? {} : { to }) })
    openshiftVersion = to
    place = { ...place, openshiftMinor: minor }
  }
  // z-streams of the installed minor come first: their fixes are what the next step relies on.
  let reason = goTo(place.hcoMinor)
  while (reason === undefined) {
    const { hcoMinor, openshiftMinor, hcoVersion } = place
    const isHcoBehind = hcoMinor < target.minor
    if (openshiftMinor === undefined || openshiftMinor >= target.minor || hcoMinor < openshiftMinor) {
      if (!isHcoBehind) break
      reason = goTo(hcoMinor + 1)
      continue
    }
    const next = openshiftMinor + 1
    const cap = hcoVersion === undefined ? undefined : graph.maxOpenShiftMinor(hcoVersion)
    if (cap === undefined || cap >= next) raise(next, next === target.minor ? target.openshift : undefined)
    else if (isHcoBehind && hcoMinor < next) reason = goTo(hcoMinor + 1)
    else {
      reason = `HCO ${hcoVersion ?? ''} declares olm.maxOpenShiftVersion ${openshiftMinorText(cap)}, so OpenShift cannot go to ${openshiftMinorText(next)}.`
    }
  }
  if (reason !== undefined) return { kind: 'no_path', reason }
  moves.push(...openshiftPatch(cluster, target, place))
  return { kind: 'moves', moves }
}

/** An exact OpenShift of the minor that is already installed. */
function openshiftPatch({ openshiftVersion }: PlanCluster, target: PlanTarget, place: Place): readonly Move[] {
  const { openshift, minor } = target
  if (openshift === undefined || openshiftVersion === undefined || place.openshiftMinor !== minor) return []
  if (openshiftMinorOf(openshiftVersion) !== minor || compareVersions(openshiftVersion, openshift) >= 0) return []
  return [{ operator: 'openshift', minor, isMinor: false, from: openshiftVersion, to: openshift }]
}

/** To the newest version of a minor, or to the exact target; a text: why there is no way. */
function hcoMoves(
  { flavour }: PlanCluster,
  { hco, minor: targetMinor }: PlanTarget,
  graph: PlanGraph,
  { hcoVersion, hcoMinor }: Place,
  minor: number,
): readonly Move[] | string {
  const exact = hco !== undefined && hco.flavour === flavour && minor === targetMinor ? hco.version : undefined
  const to = exact ?? graph.versions(flavour, minor).at(-1)
  const isMinor = minor > hcoMinor
  const from = hcoVersion ?? hcoMinorText(hcoMinor, flavour)
  if (to === undefined) {
    if (!isMinor) return []
    if (!graph.isComplete(flavour)) return [{ operator: 'hco', minor, isMinor, from }]
    return `The update graph has no version of HCO ${hcoMinorText(minor, flavour)}, and KubeVirt supports updates from one minor to the next only.`
  }
  if (hcoVersion === undefined) return isMinor ? [{ operator: 'hco', minor, isMinor, from, to }] : []
  if (compareVersions(to, hcoVersion) <= 0) return []
  const way = graph.path(flavour, hcoVersion, to)
  if (way === undefined) {
    // A newer z-stream that cannot be reached does not stop the path to the next minor.
    if (!isMinor && exact === undefined) return []
    return `The update graph has no supported path from HCO ${hcoVersion} to ${to}.`
  }
  return way.map((version, i): Move => {
    const before = way[i - 1] ?? hcoVersion
    const reached = pairedMinorOf(version) ?? minor
    return {
      ...{ operator: 'hco', minor: reached, from: before, to: version },
      isMinor: reached !== (pairedMinorOf(before) ?? reached),
    }
  })
}
