/** Members by stratum and day of their start. */
import { groupBy } from '../../base/group-by.ts'
import type { RolloutMember } from '../../model/rollout-verdict.ts'

export const DAY_MS = 86_400_000

export interface MemberBlock<T extends RolloutMember> {
  readonly stratum: string
  /** Of the day, UTC. */
  readonly startMs: number
  readonly members: readonly T[]
}

/** By day, then stratum. */
export function blocksOf<T extends RolloutMember>(members: readonly T[]): readonly MemberBlock<T>[] {
  const groups = groupBy(members, ({ stratum, startedMs }) => `${dayOf(startedMs)} ${stratum}`)
  return [...groups.values()]
    .map((own) => ({ stratum: own[0]!.stratum, startMs: dayOf(own[0]!.startedMs), members: own }))
    .sort((a, b) => a.startMs - b.startMs || (a.stratum < b.stratum ? -1 : 1))
}

export function dayOf(timeMs: number): number {
  return Math.floor(timeMs / DAY_MS) * DAY_MS
}
