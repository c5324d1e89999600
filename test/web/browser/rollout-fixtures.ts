import type {
  RolloutAnswer,
  RolloutDetailItem,
  RolloutItem,
  RolloutItems,
  SignalItem,
} from '../../../src/contract/fleet-rollouts.ts'
import { ROLLOUT_SIGNALS } from '../../../src/model/rollout-verdict.ts'
import { fleetCoverage, timeOf } from './coverage-fixtures.ts'

/** Rollouts of a made-up fleet: one that is held, one that may proceed, one that waits, one that cannot be compared. */

const DAY_MS = 86_400_000
const POLICY: RolloutItems['policy'] = {
  ...{ alpha: 0.05, horizonSeconds: 21_600, failureMargin: 0.1, canariesMin: 20, windowSeconds: 86_400 },
  ...{ strata: ['platform', 'size'], signals: [...ROLLOUT_SIGNALS], slowdownMin: 1.1, failureDifferenceMin: 0 },
}

function signal(known: Pick<SignalItem, 'signal'> & Partial<SignalItem>): SignalItem {
  return {
    ...{ state: 'open', reason: null, factor: 1, needed: 100, since: null, effect: null, strata: [], counted: [] },
    ...{ canary: { count: 0, of: 40 }, baseline: { count: 2, of: 120 } },
    ...known,
  }
}

function rollout(version: string, nowMs: number, known: Partial<RolloutItem> = {}): RolloutItem {
  return {
    ...{ operator: 'kubevirt-hyperconverged', version, decision: 'proceed', reason: null, clusters: 40, leftOut: 1 },
    firstAt: timeOf(nowMs - 12 * DAY_MS),
    canary: { count: 0, of: 40, low: 0, high: 0.09 },
    baseline: { count: 3, of: 300, low: 0.001, high: 0.05 },
    ...{ accepted: 0.101, canariesNeeded: null, daysNeeded: null },
    signals: ROLLOUT_SIGNALS.map((name) => signal({ signal: name })),
    ...known,
  }
}

const HELD = '1.18.1'

function rollouts(nowMs: number): readonly RolloutItem[] {
  const failures = signal({
    ...{ signal: 'failures', state: 'worse', factor: 8400, since: timeOf(nowMs - 2 * DAY_MS) },
    ...{ canary: { count: 12, of: 40 }, baseline: { count: 3, of: 300 } },
    effect: { measure: 'odds_ratio', value: 38, low: 11, high: 140 },
    strata: [
      { stratum: 'openshift / 4 to 10 nodes', canary: { count: 9, of: 25 }, baseline: { count: 2, of: 200 } },
      { stratum: 'kubernetes / 1 node', canary: { count: 3, of: 15 }, baseline: { count: 1, of: 100 } },
    ],
    counted: ['ams-stuck-1', 'fra-prod-2'].map((cluster) => ({
      cluster,
      startedAt: timeOf(nowMs - 3 * DAY_MS),
      upgrade: `of-${cluster}`,
    })),
  })
  const none = {
    state: 'none',
    reason: 'No cluster of both groups started on the same day in the same stratum.',
  } as const
  return [
    rollout(HELD, nowMs, {
      ...{ decision: 'hold', reason: 'Worse: failures.', canary: { count: 12, of: 40, low: 0.15, high: 0.51 } },
      signals: [
        failures,
        ...ROLLOUT_SIGNALS.slice(1).map((name) => signal({ signal: name, ...(name === 'alerts' ? none : {}) })),
      ],
    }),
    rollout('1.18.0', nowMs),
    rollout('1.17.3', nowMs, { decision: 'insufficient', canariesNeeded: 42, daysNeeded: 4.5, clusters: 9 }),
    rollout('1.17.2', nowMs, {
      decision: 'not_comparable',
      reason: 'No cluster of the canary has upgraded to this version.',
      clusters: 0,
      firstAt: null,
    }),
  ]
}

export function rolloutItems(params: URLSearchParams, nowMs: number): RolloutItems {
  const isHco = (params.get('operator') ?? 'kubevirt-hyperconverged') === 'kubevirt-hyperconverged'
  return { asOf: timeOf(nowMs), coverage: fleetCoverage(nowMs), policy: POLICY, rollouts: isHco ? rollouts(nowMs) : [] }
}

/** A canary that is narrowed has a tenth of the clusters. */
export function rolloutAnswer(version: string, params: URLSearchParams, nowMs: number): RolloutAnswer | undefined {
  const found = rollouts(nowMs).find((one) => one.version === version)
  if (found === undefined) return undefined
  const isNarrowed = [...params.keys()].some((name) => name !== 'operator')
  const side = (runs: number, medianSeconds: number | null) => ({ runs, censored: 2, medianSeconds })
  const detail: RolloutDetailItem = {
    ...found,
    clusters: isNarrowed ? found.clusters / 10 : found.clusters,
    phases: [
      {
        phase: 'upgrade',
        canary: side(40, 1260),
        baseline: side(300, 840),
        strata: 2,
        ratio: { value: 1.5, low: 1.2, high: 1.9 },
        change: 'slower',
      },
      {
        phase: 'olm',
        canary: side(40, 95),
        baseline: side(300, 94),
        strata: 2,
        ratio: { value: 1, low: 0.9, high: 1.1 },
        change: 'similar',
      },
      {
        phase: 'operands.kubevirt',
        canary: side(40, 1100),
        baseline: side(300, 610),
        strata: 2,
        ratio: { value: 1.8, low: 1.4, high: null },
        change: 'slower',
      },
      {
        phase: 'virt_handler.waves',
        canary: side(3, null),
        baseline: side(30, 60),
        strata: 1,
        ratio: null,
        change: 'unknown',
      },
    ],
    alertChanges: [
      {
        ...{
          alertname: 'VirtHandlerRESTErrorsBurst',
          isNew: true,
          canary: { count: 14, of: 40 },
          others: { count: 0, of: 360 },
        },
        ratio: { value: null, low: 12, high: null },
      },
      {
        ...{
          alertname: 'LowReadyVirtHandlerCount',
          isNew: false,
          canary: { count: 10, of: 40 },
          others: { count: 20, of: 360 },
        },
        ratio: { value: 4.5, low: 1.6, high: 12 },
      },
    ],
  }
  return { asOf: timeOf(nowMs), coverage: fleetCoverage(nowMs), policy: POLICY, rollout: detail }
}
