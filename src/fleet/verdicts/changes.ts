/** Whether something happens more often on a cluster after its upgrade: alerts, out-of-band modifications. */
import type { RolloutChange, RolloutPolicy } from '../../model/rollout-verdict.ts'
import { blocksOf, DAY_MS } from './blocks.ts'
import type { ScoreBlock } from './exchange-test.ts'

/** One cluster with a flood counts as one with a few. */
const CHANGE_MAX = 2

/**
 * The score of a cluster is how many more there were in the window after its start than in the one before, in halves. Each cluster
 * is in one block: a noisy cluster is evidence once, not every day.
 */
export function changeBlocks(
  changes: readonly RolloutChange[],
  { windowMs, horizonMs }: RolloutPolicy,
  lookMs: number,
): readonly ScoreBlock[] {
  return blocksOf(changes).flatMap(({ startMs, members }) => {
    const completeMs = startMs + DAY_MS + horizonMs + windowMs
    if (completeMs > lookMs) return []
    const scores = members.map(({ before, after, ...member }) => ({
      ...member,
      score: Math.max(-CHANGE_MAX, Math.min(CHANGE_MAX, after - before)) / 2,
    }))
    return [{ completeMs, scores }]
  })
}
