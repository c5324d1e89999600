/**
 * Where people are stranded: versions that are not the newest and from which nobody is known to get on. What counts is what
 * upgrades did, not what a graph promises. Pure.
 */
import { groupBy } from '../../base/group-by.ts'
import type { StrandedVersion, StrandingReason } from '../../model/stranded.ts'
import { CLUSTER_LIVES_MS } from '../series/derived-clusters.ts'
import type { EdgeName, EdgeRun } from './edges.ts'
import { lastMsOf } from '../clusters/fleet-coverage.ts'
import type { SeenCluster } from '../clusters/fleet-coverage.ts'
import type { NotOffered } from './not-offered.ts'
import { compareVersions, newestOf } from '../version-order.ts'

/** A version is left within a quarter, where it can be left: releases come three times a year. */
export const LEFT_LATELY_MS = 90 * 24 * 3600_000

interface EdgeOfRuns {
  readonly name: EdgeName
  readonly runs: Iterable<EdgeRun>
}

interface Leaving {
  readonly ended: number
  readonly succeeded: number
  readonly isUnderWay: boolean
  readonly lastLeftMs?: number
}

/** The most clusters first. `notOffered`: as `notOffered` finds them; empty where nobody tells. */
export function strandedVersions(
  clusters: Iterable<SeenCluster>,
  edges: Iterable<EdgeOfRuns>,
  notOffered: readonly NotOffered[],
  nowMs: number,
): readonly StrandedVersion[] {
  const byVersion = new Map<string, string[]>()
  for (const { cluster, record, lastSeen } of clusters) {
    const version = record?.hcoVersion
    const lastMs = Math.max(record?.lastSeenMs ?? 0, lastMsOf(lastSeen) ?? 0)
    if (version === undefined || nowMs - lastMs > CLUSTER_LIVES_MS) continue
    const known = byVersion.get(version)
    if (known === undefined) byVersion.set(version, [cluster])
    else known.push(cluster)
  }
  const leaving = leavingOf(edges, nowMs)
  const held = groupBy(notOffered, ({ version }) => version)
  const found = [...byVersion].flatMap(([version, names]): StrandedVersion[] => {
    const newest = newestOf([...byVersion.keys()].filter((one) => majorOf(one) === majorOf(version)))!
    if (compareVersions(newest, version) <= 0) return []
    const left = leaving.get(version)
    const unoffered = (held.get(version) ?? []).map(({ cluster }) => cluster)
    const reason = reasonOf(left) ?? (unoffered.length > 0 ? 'not_offered' : undefined)
    if (reason === undefined) return []
    return [
      {
        version,
        reason,
        clusters: [...(reason === 'not_offered' ? unoffered : names)].sort(),
        population: names.length,
        newest,
        lately: { ended: left?.ended ?? 0, succeeded: left?.succeeded ?? 0 },
        ...(left?.lastLeftMs === undefined ? {} : { lastLeftMs: left.lastLeftMs }),
        notOffered: unoffered.length,
      },
    ]
  })
  return found.sort((a, b) => b.clusters.length - a.clusters.length || compareVersions(a.version, b.version))
}

function reasonOf(left: Leaving | undefined): StrandingReason | undefined {
  if (left === undefined) return 'never_left'
  if (left.succeeded > 0) return undefined
  if (left.ended > 0) return 'failing'
  if (left.isUnderWay) return undefined
  return left.lastLeftMs === undefined ? 'never_left' : 'not_lately'
}

/** By version: what became of upgrades from it to newer ones. */
function leavingOf(edges: Iterable<EdgeOfRuns>, nowMs: number): ReadonlyMap<string, Leaving> {
  const leaving = new Map<string, Leaving>()
  for (const { name, runs } of edges) {
    if (name.operator !== 'kubevirt-hyperconverged' || compareVersions(name.to, name.from) <= 0) continue
    let { ended, succeeded, isUnderWay, lastLeftMs } = leaving.get(name.from) ?? NOBODY
    for (const { state, lastMs } of runs) {
      isUnderWay ||= state === 'in_progress'
      const isLately = nowMs - lastMs <= LEFT_LATELY_MS
      if (isLately && (state === 'failed' || state === 'rolled_back' || state === 'succeeded')) ended++
      if (state !== 'succeeded') continue
      if (isLately) succeeded++
      lastLeftMs = Math.max(lastLeftMs ?? lastMs, lastMs)
    }
    leaving.set(name.from, { ended, succeeded, isUnderWay, ...(lastLeftMs === undefined ? {} : { lastLeftMs }) })
  }
  return leaving
}

const NOBODY: Leaving = { ended: 0, succeeded: 0, isUnderWay: false }

/** The community's 1.x and OpenShift's 4.x are never a way out of each other. */
function majorOf(version: string): string {
  return /^v?(\d+)\./.exec(version)?.[1] ?? version
}
