/**
 * The path of a cluster over both graphs: OpenShift and HCO, interleaved. OpenShift goes minor by minor, HCO follows it
 * (facts 7, hazards 10, 12 and 17): z-streams first, then OpenShift, then HCO to the minor that pairs with it.
 */
import { compareVersions } from '../version-order.ts'
import { hcoMinorText, openshiftMinorOf, openshiftMinorText, pairedMinorOf } from '../platform-minor.ts'
import type { PlanCluster } from './plan-cluster.ts'
import type { Flavour, PlanGraph } from './plan-graph.ts'
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

/** To the newest version of a minor that leads on to the target, or to the exact target; a text: why there is no way. */
function hcoMoves(
  { flavour }: PlanCluster,
  target: PlanTarget,
  graph: PlanGraph,
  { hcoVersion, hcoMinor }: Place,
  minor: number,
): readonly Move[] | string {
  const [newest, ...older] = candidatesOf(flavour, minor, target, graph)
  const isMinor = minor > hcoMinor
  const from = hcoVersion ?? hcoMinorText(hcoMinor, flavour)
  if (newest === undefined) {
    if (!isMinor) return []
    if (!graph.isComplete(flavour)) return [{ operator: 'hco', minor, isMinor, from }]
    return `The update graph has no version of HCO ${hcoMinorText(minor, flavour)}, and KubeVirt supports updates from one minor to the next only.`
  }
  if (hcoVersion === undefined) return isMinor ? [{ operator: 'hco', minor, isMinor, from, to: newest }] : []
  if (compareVersions(newest, hcoVersion) <= 0) return []
  const newer = [newest, ...older].filter((version) => compareVersions(version, hcoVersion) > 0)
  const isReached = (version: string): boolean => graph.path(flavour, hcoVersion, version) !== undefined
  const leadsOn = (version: string): boolean => leadsToTarget(flavour, version, minor, target, graph)
  const best = newer.find((version) => isReached(version) && leadsOn(version))
  // A z-stream that cannot be reached, or that no update leaves, does not stop the path to the next minor.
  if (best === undefined && !isMinor && minor < target.minor && leadsOn(hcoVersion)) return []
  const to = best ?? newer.find(isReached)
  if (to === undefined) {
    if (!isMinor && exactOf(flavour, minor, target) === undefined) return []
    return `The update graph has no supported path from HCO ${hcoVersion} to ${newest}.`
  }
  return graph.path(flavour, hcoVersion, to)!.map((version, i, way): Move => {
    const before = way[i - 1] ?? hcoVersion
    const reached = pairedMinorOf(version) ?? minor
    return {
      ...{ operator: 'hco', minor: reached, from: before, to: version },
      isMinor: reached !== (pairedMinorOf(before) ?? reached),
    }
  })
}

function exactOf(flavour: Flavour, minor: number, { hco, minor: targetMinor }: PlanTarget): string | undefined {
  return hco !== undefined && hco.flavour === flavour && minor === targetMinor ? hco.version : undefined
}

/** The versions of a minor that the path may go to, the newest first. */
function candidatesOf(flavour: Flavour, minor: number, target: PlanTarget, graph: PlanGraph): readonly string[] {
  const exact = exactOf(flavour, minor, target)
  return exact === undefined ? graph.versions(flavour, minor).toReversed() : [exact]
}

/** By flavour, version and target: the clusters of a fleet have few versions. */
const leading = new WeakMap<PlanGraph, Map<string, boolean>>()

/** Whether updates lead from a version to the target minor by minor; also where the versions of a minor are not known. */
function leadsToTarget(
  flavour: Flavour,
  version: string,
  minor: number,
  target: PlanTarget,
  graph: PlanGraph,
): boolean {
  if (minor >= target.minor) return true
  const known = leading.get(graph) ?? new Map<string, boolean>()
  leading.set(graph, known)
  const key = `${flavour} ${version} ${target.text}`
  let leads = known.get(key)
  if (leads === undefined) {
    const next = candidatesOf(flavour, minor + 1, target, graph)
    leads =
      next.length === 0 ||
      next.some(
        (to) => graph.path(flavour, version, to) !== undefined && leadsToTarget(flavour, to, minor + 1, target, graph),
      )
    known.set(key, leads)
  }
  return leads
}
