/** An upgrade according to one source. `upgrade-record.ts` merges the drafts of several sources into one record. */
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
  /** Another version ran before, so it is not a first installation. An unproven draft needs the proof of another source. */
  readonly isProven: boolean
  /** It was an installation after an uninstallation: the proof of another source does not count. */
  readonly isInstallation?: boolean
  /** When the new version first appeared, as far as known: the order of attempts. */
  readonly anchorMs: number
  /** The lower bound of the anchor, by the resolution of the source. */
  readonly sinceMs: number
  readonly lastSeenMs: number
  readonly state: UpgradeState
  readonly started?: Moment | undefined
  /** The source does not report the CSV: `started` is when HCO started, and a source that reports the CSV has the start. */
  readonly isStartLate?: boolean
  readonly ended?: Moment | undefined
  readonly channel?: string | undefined
  /** As reported by the source; otherwise it is counted. */
  readonly nodes?: number | undefined
  readonly approval?: 'Automatic' | 'Manual' | undefined
  readonly phases: readonly PhaseDraft[]
  readonly evidence: readonly Evidence[]
  readonly progressMs: readonly number[]
  readonly detail: DetailDraft
}

export type DetailDraft = {
  readonly [K in keyof Omit<UpgradeDetail, 'lastProgressMs' | 'observedUntilMs'>]?: UpgradeDetail[K] | undefined
}

/** A phase of which only the state is known. */
export function bare(name: PhaseName, state: PhaseState): PhaseDraft {
  return { name, state }
}
