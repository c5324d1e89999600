/**
 * Whether the canary scores higher than the baseline, on blocks of one stratum and day, at every look. Within a block labels are
 * exchangeable when both behave alike: only members that started on the same day, in the same stratum, are compared, and each
 * counts once, when the time after its start has passed for the whole block.
 */
import type { RolloutMember } from '../../model/rollout-verdict.ts'
import { BLOCK_STEPS_MAX, logEValue, type LabelledScore } from '../statistics/label-exchange.ts'

/** What a member scored; `id`: of its upgrade. */
export type MemberScore = LabelledScore & RolloutMember & { readonly id?: string }

export interface ScoreBlock {
  /** When all its scores are known. */
  readonly completeMs: number
  readonly scores: readonly MemberScore[]
}

export interface ExchangeTest {
  /** The largest evidence of any look, as a factor. At least 1: nothing is evidence for itself. */
  readonly factor: number
  /** The first look at which the factor was at least `needed`. */
  readonly sinceMs?: number
}

/** The odds of a higher score for which evidence is collected: logarithms, weighted alike. */
const TILTS = [0.4, 0.8, 1.2, 1.8, 2.5]

/** In the order in which the blocks were complete; blocks of one moment are one look. */
export function exchangeTest(blocks: readonly ScoreBlock[], needed: number): ExchangeTest {
  const inOrder = [...blocks].sort((a, b) => a.completeMs - b.completeMs).flatMap(split)
  const evidence = TILTS.map(() => 0)
  let factor = 1
  let sinceMs: number | undefined
  inOrder.forEach(({ completeMs, scores }, i) => {
    const own = scores.filter(({ isCanary }) => isCanary).length
    if (own > 0 && own < scores.length) TILTS.forEach((tilt, t) => (evidence[t]! += logEValue(scores, tilt)))
    if (inOrder[i + 1]?.completeMs === completeMs) return
    const now = evidence.reduce((sum, log) => sum + Math.exp(log), 0) / TILTS.length
    factor = Math.max(factor, now)
    if (now >= needed) sinceMs ??= completeMs
  })
  return { factor, ...(sinceMs === undefined ? {} : { sinceMs }) }
}

/** Blocks that are too large in halves, every second member each: the members of each half are still exchangeable. */
function split(block: ScoreBlock): readonly ScoreBlock[] {
  const { scores, completeMs } = block
  const smaller = Math.min(...[true, false].map((side) => scores.filter(({ isCanary }) => isCanary === side).length))
  if (smaller * scores.length <= BLOCK_STEPS_MAX) return [block]
  return [0, 1].flatMap((half) => split({ completeMs, scores: scores.filter((_, i) => i % 2 === half) }))
}
