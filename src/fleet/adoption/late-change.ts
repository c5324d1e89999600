import type { VersionInterval } from '../../model/cluster-record.ts'
import type { ClusterFacts } from '../../model/fleet-facts.ts'
import { groupBy } from '../../base/group-by.ts'

/** From when on a cluster ran something else than was known before; `undefined`: nothing changed, or only now. */
export function changedFromMs(before: ClusterFacts | undefined, after: ClusterFacts): number | undefined {
  if (before === undefined) return after.cluster.firstSeenMs
  const known = groupBy(before.intervals, keyOf)
  const told = groupBy(after.intervals, keyOf)
  let fromMs = Infinity
  for (const key of new Set([...known.keys(), ...told.keys()])) {
    const [one, other] = [known.get(key)?.[0], told.get(key)?.[0]]
    if (one === undefined || other === undefined) fromMs = Math.min(fromMs, (one ?? other)!.fromMs)
    else if (one.untilMs !== other.untilMs)
      fromMs = Math.min(fromMs, one.untilMs ?? Infinity, other.untilMs ?? Infinity)
  }
  return fromMs === Infinity ? undefined : fromMs
}

function keyOf({ operator, version, fromMs }: VersionInterval): string {
  return JSON.stringify([operator, version, fromMs])
}
