/** Replays the loaded rule and the edited rule over the same steps, one after the other. */
import type { Cancellation } from '../base/cancellation.ts'
import { replayRule, type ReplayPorts, type ReplayedRule } from './replay.ts'
import { planReplay, type ReplayInput } from './replay-request.ts'
import type { ReplayCounts, ReplayWindow } from './replay-tally.ts'
import type { RuleGroup } from './rule.ts'

export interface ReplayedCounts extends ReplayCounts {
  readonly expr: string
  readonly forMs: number
  readonly keepFiringForMs: number
}

/** Plain data: it crosses threads. */
export interface ReplayAnswer extends ReplayWindow {
  readonly present?: ReplayedCounts
  readonly edited?: ReplayedCounts
}

/** `groups` are the loaded groups. Rejects as `planReplay` and `replayRule` do. */
export async function replayRules(
  input: ReplayInput,
  groups: readonly RuleGroup[],
  ports: ReplayPorts,
  signal?: Cancellation,
): Promise<ReplayAnswer> {
  const { window, present, edited } = planReplay(input, groups, ports.language)
  const countsOf = async (replayed: ReplayedRule): Promise<ReplayedCounts> => {
    const { expr, forMs, keepFiringForMs } = replayed.rule
    return { expr, forMs, keepFiringForMs, ...(await replayRule(replayed, window, ports, signal)) }
  }
  return {
    ...window,
    ...(present === undefined ? {} : { present: await countsOf(present) }),
    ...(edited === undefined ? {} : { edited: await countsOf(edited) }),
  }
}
