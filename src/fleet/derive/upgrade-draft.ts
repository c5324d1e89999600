/**
 * An upgrade as one source tells it. Drafts of several sources about one upgrade become one record
 * (`merge-upgrades.ts`); until then each keeps its own times and says how exact they are.
 */
import type {
  Evidence,
  EvidenceSource,
  PhaseName,
  PhaseState,
  UpgradeDetail,
  UpgradeOperator,
  UpgradeState,
} from '../../model/upgrade.ts'
import type { Moment } from './moment.ts'

export interface PhaseDraft {
  readonly name: PhaseName
  readonly state: PhaseState
  readonly started?: Moment | undefined
  readonly ended?: Moment | undefined
}

export interface UpgradeDraft {
  readonly operator: UpgradeOperator
  readonly source: EvidenceSource
  readonly from: string | undefined
  readonly to: string
  /**
   * Something shows that another version ran before: it is an upgrade and no first installation. An unproven draft
   * counts only when another source proves it.
   */
  readonly isProven: boolean
  /** What orders attempts and tells repeated ones apart: when the new version first appeared, as far as known. */
  readonly anchorMs: number
  /** It was not there yet at this time: before the anchor by as much as the source cannot tell. */
  readonly sinceMs: number
  /** The newest moment its source was heard. */
  readonly lastSeenMs: number
  readonly state: UpgradeState
  readonly started?: Moment | undefined
  readonly ended?: Moment | undefined
  readonly channel?: string | undefined
  /** Only where the source says it itself; otherwise it is counted. */
  readonly nodes?: number | undefined
  readonly approval?: 'Automatic' | 'Manual' | undefined
  readonly phases: readonly PhaseDraft[]
  readonly evidence: readonly Evidence[]
  /** Moments at which something was reached that had not been before. */
  readonly progressMs: readonly number[]
  readonly detail: DetailDraft
}

export type DetailDraft = {
  readonly [K in keyof Omit<UpgradeDetail, 'lastProgressMs' | 'observedUntilMs'>]?: UpgradeDetail[K] | undefined
}

/** A phase of which nothing is known but where it stands in the upgrade. */
export function bare(name: PhaseName, state: PhaseState): PhaseDraft {
  return { name, state }
}
