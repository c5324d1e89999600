import type { HazardId } from '../../src/model/readiness.ts'

/**
 * Hazards of upgrades that a cluster has all the time of its history: what its objects and metrics show of each, and which
 * signals it does not send. The other clusters send the same signals and have no such hazard. A change of what a history
 * reports; the history itself stays as it is.
 */
export interface HazardPlan {
  readonly planted: ReadonlySet<HazardId>
  readonly withheld: ReadonlySet<HazardId>
}
