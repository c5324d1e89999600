/** Upgrade records for tests, from the least that makes one. */
import type {
  PhaseName,
  PhaseState,
  Upgrade,
  UpgradeDetail,
  UpgradePhase,
  UpgradeRecord,
} from '../../src/model/upgrade.ts'

export const T0 = Date.UTC(2026, 8, 1, 10)
export const MINUTE_MS = 60_000

/** A phase by minutes since `T0`; without an end it is still going on. */
export function phase(name: PhaseName, fromMinute: number, toMinute?: number, state?: PhaseState): UpgradePhase {
  return {
    name,
    startedMs: T0 + fromMinute * MINUTE_MS,
    ...(toMinute === undefined ? {} : { endedMs: T0 + toMinute * MINUTE_MS }),
    state: state ?? (toMinute === undefined ? 'in_progress' : 'succeeded'),
    resolutionSeconds: 1,
    isReconstructed: false,
  }
}

export interface RecordScript extends Partial<Omit<Upgrade, 'startedMs' | 'endedMs'>> {
  readonly startMinute?: number
  readonly endMinute?: number
  /** Nothing was heard of the cluster after this. */
  readonly seenMinute?: number
  readonly progressMinute?: number
  readonly detail?: Partial<UpgradeDetail>
}

export function recordOf(script: RecordScript = {}): UpgradeRecord {
  const { startMinute, endMinute, seenMinute, progressMinute, detail, ...upgrade } = script
  const at = (minute: number): number => T0 + minute * MINUTE_MS
  return {
    upgrade: {
      id: `${upgrade.cluster ?? 'fra-1'}/${upgrade.to ?? '1.17.0'}`,
      cluster: 'fra-1',
      operator: 'kubevirt-hyperconverged',
      from: '1.16.0',
      to: '1.17.0',
      state: endMinute === undefined ? 'in_progress' : 'succeeded',
      phases: [],
      evidence: [],
      resolutionSeconds: 1,
      ...upgrade,
      ...(startMinute === undefined ? {} : { startedMs: at(startMinute) }),
      ...(endMinute === undefined ? {} : { endedMs: at(endMinute) }),
    },
    detail: {
      csvSteps: [],
      components: [],
      conditionChanges: [],
      featureGateChanges: [],
      observedUntilMs: at(seenMinute ?? endMinute ?? startMinute ?? 0),
      ...(progressMinute === undefined ? {} : { lastProgressMs: at(progressMinute) }),
      ...detail,
    },
  }
}
