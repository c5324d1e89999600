import type { ClusterProfile } from './cluster-profile.ts'
import type { Descheduler } from './scenarios/descheduler.ts'
import type {
  GoldenImageFault,
  OperandFault,
  EditHabit,
  RestartHabit,
  Trouble,
  SilenceHabit,
  UnsafePatch,
} from './scenarios/habits.ts'
import type { UpgradePlan } from './scenarios/upgrade.ts'
import type { Recurring } from './scenarios/window.ts'

/**
 * What happens to a cluster, for ever: all that its series and the known truth are computed from, both as pure functions
 * of the time. A role says which story a cluster plays; the cast (cast.ts) says who plays what.
 */
export interface ClusterPlan {
  readonly profile: ClusterProfile
  readonly role: Role
  /** Where the fleet's history begins. */
  readonly startMs: number
  /** One after the other, never overlapping; at most as many as there are releases. */
  readonly upgrades: readonly UpgradePlan[]
  readonly edits: EditHabit | undefined
  /** Counted by an operator process that is older than the history. */
  readonly oldEdits: number
  readonly restarts: RestartHabit | undefined
  readonly unsafe: readonly UnsafePatch[]
  readonly descheduler: Descheduler | undefined
  /** Unhealthy for another reason than an upgrade. */
  readonly degraded: Recurring | undefined
  readonly silence: SilenceHabit | undefined
  readonly goldenImageFault: GoldenImageFault | undefined
  /** What is wrong with KubeVirt or its virtual machines. */
  readonly trouble: Trouble | undefined
  readonly operandFault: OperandFault | undefined
  /** The HyperConverged object exists; without it there are operators and no operands. */
  readonly isInstalled: boolean
}

export const ROLES = [
  'healthy',
  'edited',
  'fought',
  'unsafe',
  'unsafe_twice',
  'descheduler',
  'descheduler_after_upgrade',
  'unhealthy',
  'missing',
  'upgrading',
  'stuck_olm',
  'stuck_canary',
  'stuck_unknown',
  'skewed',
  'silent',
  'silent_with_markers',
  'golden_no_arch',
  'golden_no_annotation',
  'multi_arch_disabled',
  'rest_errors',
  'not_evictable',
  'guests',
  'stuck_machines',
  'ping_pong',
  'outdated',
  'api_down',
  'image_outdated',
  'ssp_failing',
  'mac_collision',
  'volume_filling',
] as const

export type Role = (typeof ROLES)[number]
