import type { VersionInterval } from '../../model/cluster-record.ts'
import type { ClusterFacts } from '../../model/fleet-facts.ts'
import { groupBy } from '../../base/group-by.ts'
import { dayOf, dayStartMs } from './day.ts'

/** Late data changed the past: days from `fromMs` on that were counted before `atMs` are due again. */
export interface LateChange {
  readonly fromMs: number
  readonly atMs: number
}

/**
 * Late changes by their first day. Later changes do not renew one that reaches further back: with continuous changes its
 * days would always be due.
 */
export class LateChanges {
  /** Ascending by day and by moment: a change replaces those that start on its day or later. At most one per day. */
  #changes: readonly LateChange[] = []

  get changes(): readonly LateChange[] {
    return this.#changes
  }

  note(fromMs: number, atMs: number): void {
    const dayMs = dayStartMs(dayOf(fromMs))
    this.#changes = [...this.#changes.filter((one) => one.fromMs < dayMs), { fromMs: dayMs, atMs }]
  }
}

/** From when on the version intervals of a cluster changed; `undefined`: they did not, or they only continue. */
export function changedFromMs(before: ClusterFacts | undefined, after: ClusterFacts): number | undefined {
  if (before === undefined) return after.cluster.firstSeenMs
  const known = groupBy(before.intervals, keyOf)
  const derived = groupBy(after.intervals, keyOf)
  let fromMs = Infinity
  for (const key of new Set([...known.keys(), ...derived.keys()])) {
    const [one, other] = [known.get(key)?.[0], derived.get(key)?.[0]]
    if (one === undefined || other === undefined) fromMs = Math.min(fromMs, (one ?? other)!.fromMs)
    else if (one.untilMs !== other.untilMs)
      fromMs = Math.min(fromMs, one.untilMs ?? Infinity, other.untilMs ?? Infinity)
  }
  return fromMs === Infinity ? undefined : fromMs
}

function keyOf({ operator, version, fromMs }: VersionInterval): string {
  return JSON.stringify([operator, version, fromMs])
}
