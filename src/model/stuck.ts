import type { PhaseName, UpgradeBlock } from './upgrade.ts'

/** The typical time without progress in a phase on an edge. Seconds; of a phase with waves, per wave. */
export interface PhaseBaseline {
  readonly phase: PhaseName
  readonly p50Seconds: number
  readonly p95Seconds: number
  /** Finished upgrades on this edge; 0: learned elsewhere. */
  readonly runs: number
  /** `edge`: this one; `minor`: edges between the same minors; `fleet`: all of the operator; `seed`: nothing learned yet. */
  readonly learnedFrom: 'edge' | 'minor' | 'fleet' | 'seed'
  readonly isPerWave: boolean
  /** Without progress for longer than this, an upgrade in this phase is stuck. Of a phase by waves: in one wave. */
  readonly thresholdSeconds: number
}

/** The verdict on one open upgrade. */
export interface StuckVerdict {
  readonly upgradeId: string
  readonly isStuck: boolean
  readonly phase?: PhaseName
  readonly phaseSinceMs?: number
  /** No progress since. */
  readonly stalledSinceMs?: number
  /** No report of the cluster since, so its progress is unknown. */
  readonly silentSinceMs?: number
  readonly baseline?: PhaseBaseline
  /** What it is stuck on, most likely first; the first has cause `unknown` when no signature fits. Empty when not stuck. */
  readonly causes: readonly UpgradeBlock[]
}

/** An edge of the upgrade graph, over all upgrades that took it. Seconds. */
export interface EdgeFacts {
  readonly operator: string
  readonly from: string
  readonly to: string
  readonly attempts: number
  readonly outcomes: {
    readonly succeeded: number
    readonly failed: number
    readonly superseded: number
    readonly rolledBack: number
    readonly inProgress: number
    readonly unknown: number
  }
  /** Succeeded of those that ended (succeeded, failed, rolled back), with Wilson's 95 % interval; absent: none ended. */
  readonly success?: { readonly share: number; readonly low: number; readonly high: number; readonly of: number }
  /** From the start, or the approval if one was needed, to the end. */
  readonly duration: DurationEstimate
  readonly phases: readonly ({ readonly phase: PhaseName } & DurationEstimate)[]
  readonly firstMs?: number
  readonly lastMs?: number
}

/** Kaplan and Meier's estimate: upgrades that did not succeed are censored at their last observation. */
export interface DurationEstimate {
  readonly runs: number
  /** Of those, open or without success. */
  readonly censored: number
  /** Absent: the curve does not reach it. */
  readonly p50Seconds?: number
  readonly p90Seconds?: number
  readonly p95Seconds?: number
  /** Greenwood's 95 % interval of the median; absent bounds are open. */
  readonly p50LowSeconds?: number
  readonly p50HighSeconds?: number
}
