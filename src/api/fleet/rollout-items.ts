/** Verdicts on rollouts as the API shows them. JSON has no infinity: an open bound is `null`, and evidence ends at 1e300. */
import type {
  AlertChangeItem,
  PhaseChangeItem,
  PolicyItem,
  RolloutDetailItem,
  RolloutItem,
  SignalItem,
} from '../../contract/fleet-rollouts.ts'
import type { PhaseSide } from '../../fleet/verdicts/phase-changes.ts'
import type { Rollout, RolloutDetail } from '../../fleet/verdicts/rollouts.ts'
import type { RatioInterval, RolloutPolicy, SignalEvidence } from '../../model/rollout-verdict.ts'
import { timeOf } from './items.ts'

const FACTOR_MAX = 1e300

export function policyItem({ horizonMs, windowMs, ...policy }: RolloutPolicy): PolicyItem {
  return { ...policy, horizonSeconds: horizonMs / 1000, windowSeconds: windowMs / 1000 }
}

export function rolloutItem({ firstMs, verdict, canariesPerDay, ...rollout }: Rollout): RolloutItem {
  const { operator, version, clusters, leftOut } = rollout
  const { decision, reason, canary, baseline, accepted, signals, canariesNeeded = null } = verdict
  return {
    ...{ operator, version, decision, clusters, leftOut, canary, baseline, accepted, canariesNeeded },
    reason: reason ?? null,
    firstAt: timeOf(firstMs),
    daysNeeded: canariesNeeded === null || canariesPerDay === 0 ? null : canariesNeeded / canariesPerDay,
    signals: signals.map(signalItem),
  }
}

export function rolloutDetailItem({ phases, alertChanges, ...rollout }: RolloutDetail): RolloutDetailItem {
  return {
    ...rolloutItem(rollout),
    phases: phases.map(({ canary, baseline, ratio, ...one }): PhaseChangeItem => {
      return {
        ...one,
        ...{ canary: phaseSideItem(canary), baseline: phaseSideItem(baseline) },
        ratio: ratio === undefined ? null : ratioItem(ratio),
      }
    }),
    alertChanges: alertChanges.map(({ ratio, ...one }): AlertChangeItem => ({ ...one, ratio: ratioItem(ratio) })),
  }
}

function phaseSideItem({ medianSeconds, ...side }: PhaseSide): PhaseChangeItem['canary'] {
  return { ...side, medianSeconds: medianSeconds ?? null }
}

function ratioItem({ value, low, high }: RatioInterval): AlertChangeItem['ratio'] {
  return { value: Number.isFinite(value) ? value : null, low: low ?? null, high: high ?? null }
}

function signalItem({ reason, factor, sinceMs, effect, counted, ...signal }: SignalEvidence): SignalItem {
  return {
    ...signal,
    reason: reason ?? null,
    factor: Math.min(factor, FACTOR_MAX),
    since: timeOf(sinceMs),
    effect: effect === undefined ? null : { measure: effect.measure, ...ratioItem(effect) },
    counted: counted.map(({ cluster, startedMs, upgrade = null }) => ({
      cluster,
      startedAt: timeOf(startedMs),
      upgrade,
    })),
  }
}
