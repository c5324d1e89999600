/**
 * Stranded versions: not the newest, and no upgrade from them is known to succeed. Observed upgrades count, not the upgrade
 * graph. Pure.
 */
import { groupBy } from '../../base/group-by.ts'
import type { StrandedVersion, StrandingReason } from '../../model/stranded.ts'
import type { EdgeOfRuns } from './falling-edges.ts'
import type { KnownCluster } from '../clusters/fleet-coverage.ts'
import { runningVersions } from '../clusters/running-versions.ts'
import type { NotOffered } from './not-offered.ts'
import { compareVersions, newestOf } from '../version-order.ts'

/** Releases come three times a year: clusters leave a version within a quarter if they can. */
export const LEFT_LATELY_MS = 90 * 24 * 3600_000

interface UpgradesFrom {
  readonly ended: number
  readonly succeeded: number
  readonly isUnderWay: boolean
  readonly lastLeftMs?: number
}

/** The most clusters first. `notOffered`: from not-offered.ts; empty for a past moment. */
export function strandedVersions(
  clusters: Iterable<KnownCluster>,
  edges: Iterable<EdgeOfRuns>,
  notOffered: readonly NotOffered[],
  nowMs: number,
): readonly StrandedVersion[] {
  const reporting = runningVersions(clusters, 'kubevirt-hyperconverged', nowMs)
  const byVersion = groupBy(reporting, ({ version }) => version)
  const origins = upgradesByOrigin(edges, nowMs)
  const held = groupBy(notOffered, ({ version }) => version)
  const found = [...byVersion].flatMap(([version, running]): StrandedVersion[] => {
    const names = running.map(({ cluster }) => cluster)
    const newest = newestOf([...byVersion.keys()].filter((one) => majorOf(one) === majorOf(version)))!
    if (compareVersions(newest, version) <= 0) return []
    const left = origins.get(version)
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

function reasonOf(left: UpgradesFrom | undefined): StrandingReason | undefined {
  if (left === undefined) return 'never_left'
  if (left.succeeded > 0) return undefined
  if (left.ended > 0) return 'failing'
  if (left.isUnderWay) return undefined
  return left.lastLeftMs === undefined ? 'never_left' : 'not_lately'
}

/** By version: the outcomes of upgrades from it to newer versions. */
function upgradesByOrigin(edges: Iterable<EdgeOfRuns>, nowMs: number): ReadonlyMap<string, UpgradesFrom> {
  const origins = new Map<string, UpgradesFrom>()
  for (const { name, runs } of edges) {
    if (name.operator !== 'kubevirt-hyperconverged' || compareVersions(name.to, name.from) <= 0) continue
    let { ended, succeeded, isUnderWay, lastLeftMs } = origins.get(name.from) ?? NO_UPGRADES
    for (const { state, lastMs } of runs) {
      isUnderWay ||= state === 'in_progress'
      const isLately = nowMs - lastMs <= LEFT_LATELY_MS
      if (isLately && (state === 'failed' || state === 'rolled_back' || state === 'succeeded')) ended++
      if (state !== 'succeeded') continue
      if (isLately) succeeded++
      lastLeftMs = Math.max(lastLeftMs ?? lastMs, lastMs)
    }
    origins.set(name.from, { ended, succeeded, isUnderWay, ...(lastLeftMs === undefined ? {} : { lastLeftMs }) })
  }
  return origins
}

const NO_UPGRADES: UpgradesFrom = { ended: 0, succeeded: 0, isUnderWay: false }

/** The community's 1.x never upgrades to OpenShift's 4.x, nor back. */
function majorOf(version: string): string {
  return /^v?(\d+)\./.exec(version)?.[1] ?? version
}
