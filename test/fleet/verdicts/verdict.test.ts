import { describe, expect, test } from 'vitest'
import type { RolloutPolicy, RolloutRun } from '../../../src/model/rollout-verdict.ts'
import { DAY_MS } from '../../../src/fleet/verdicts/blocks.ts'
import { logBestOf, logMixtureOf } from '../../../src/fleet/verdicts/failures.ts'
import { rolloutVerdict, type RolloutEvidence } from '../../../src/fleet/verdicts/verdict.ts'
import { endOf, NULL_ROLLOUT, POLICY, randomOf, simulateRollout, type SimulatedRollout } from './rollout-simulation.ts'

const HOUR_MS = 3600_000
const LOOK_MS = 30 * DAY_MS

function runs(isCanary: boolean, succeeded: number, failed: number, change: Partial<RolloutRun> = {}): RolloutRun[] {
  return Array.from({ length: succeeded + failed }, (_, i) => ({
    id: `${isCanary}-${i}`,
    cluster: `${isCanary}-${i}`,
    isCanary,
    stratum: 'openshift',
    startedMs: (i % 10) * DAY_MS,
    ended: { atMs: (i % 10) * DAY_MS + HOUR_MS, isFailure: i >= succeeded },
    observedUntilMs: LOOK_MS,
    ...change,
  }))
}

function judge(all: readonly RolloutRun[], evidence: Partial<RolloutEvidence> = {}, lookMs = LOOK_MS) {
  return rolloutVerdict({ runs: all, alerts: [], modifications: [], ...evidence }, POLICY, lookMs)
}

describe('decisions', () => {
  test('without an upgrade to the version, or without another one, there is nothing to compare', () => {
    expect(judge(runs(false, 30, 0))).toMatchObject({ decision: 'not_comparable', reason: /No cluster/ })
    expect(judge(runs(true, 30, 0))).toMatchObject({ decision: 'not_comparable', reason: /No other/ })
  })

  test('proceed: no failure of enough canaries', () => {
    const verdict = judge([...runs(true, 70, 0), ...runs(false, 300, 3)])
    expect(verdict).toMatchObject({
      decision: 'proceed',
      canary: { count: 0, of: 70 },
      baseline: { count: 3, of: 303 },
    })
    expect(verdict.canary.high).toBeLessThan(verdict.accepted)
  })

  test('insufficient: how many more canaries are needed, and with these it proceeds', () => {
    const few = judge([...runs(true, 30, 0), ...runs(false, 300, 3)])
    expect(few.decision).toBe('insufficient')
    const more = few.canariesNeeded!
    const enough = (extra: number) => judge([...runs(true, 30 + extra, 0), ...runs(false, 300, 3)]).decision
    expect(enough(more)).toBe('proceed')
    expect(enough(more - 1)).toBe('insufficient')
  })

  test('insufficient without a number: as many fail as would never be accepted, but it is not proved worse', () => {
    const verdict = judge([...runs(true, 17, 3), ...runs(false, 40, 5)])
    expect(verdict.decision).toBe('insufficient')
    expect(verdict.canariesNeeded).toBeUndefined()
  })

  test('hold: many canaries fail, and the reason names the signals and when', () => {
    const verdict = judge([...runs(true, 20, 20), ...runs(false, 300, 3)])
    expect(verdict).toMatchObject({ decision: 'hold', reason: 'Worse: failures, failures_concurrent.' })
    const { sinceMs } = verdict.signals.find(({ signal }) => signal === 'failures')!
    expect(sinceMs).toBeLessThan(10 * DAY_MS)
    // The day before, it was not proved.
    expect(judge([...runs(true, 20, 20), ...runs(false, 300, 3)], {}, sinceMs! - 1).decision).not.toBe('hold')
  })

  test('hold stays when the failures stop', () => {
    const bad = [...runs(true, 5, 25), ...runs(false, 100, 1)]
    const later = runs(true, 400, 0, { startedMs: 20 * DAY_MS, ended: { atMs: 20 * DAY_MS + 1, isFailure: false } })
    expect(judge(bad).decision).toBe('hold')
    expect(judge([...bad, ...later]).decision).toBe('hold')
  })

  test('an upgrade that does not end within its horizon failed, one whose cluster fell silent says nothing', () => {
    const hanging = { ended: { atMs: 25 * DAY_MS, isFailure: false } }
    expect(judge([...runs(true, 10, 0, hanging), ...runs(false, 30, 0)]).canary).toMatchObject({ count: 10, of: 10 })
    const [{ id, cluster, isCanary, stratum, startedMs, observedUntilMs }] = runs(true, 1, 0) as [RolloutRun]
    const open = { id, cluster, isCanary, stratum, startedMs, observedUntilMs }
    const silent = [{ ...open, observedUntilMs: open.startedMs + HOUR_MS }]
    expect(judge([...silent, ...runs(false, 30, 0)]).canary).toMatchObject({ count: 0, of: 0 })
    const observed = [{ ...open, observedUntilMs: open.startedMs + POLICY.horizonMs }]
    expect(judge([...observed, ...runs(false, 30, 0)]).canary).toMatchObject({ count: 1, of: 1 })
  })

  test('recent upgrades wait for their horizon, the good and the bad ones', () => {
    const lookMs = 9 * DAY_MS + POLICY.horizonMs - 1
    const at = (ms: number) => judge([...runs(true, 10, 0), ...runs(false, 30, 0)], {}, ms).canary.of
    expect(at(lookMs)).toBe(9)
    expect(at(lookMs + 1)).toBe(10)
  })

  test('more alerts after the upgrade than before, on clusters side by side with others', () => {
    const alerts = runs(true, 40, 0)
      .map((run) => ({ ...run, before: 0, after: 2 }))
      .concat(runs(false, 120, 0).map((run) => ({ ...run, before: 1, after: 1 })))
    const verdict = judge([...runs(true, 40, 0), ...runs(false, 120, 0)], { alerts })
    expect(verdict).toMatchObject({ decision: 'hold', reason: 'Worse: alerts.' })
    const evidence = verdict.signals.find(({ signal }) => signal === 'alerts')!
    expect(evidence).toMatchObject({ canary: { count: 40, of: 40 }, baseline: { count: 0, of: 120 }, needed: 100 })
  })

  test('other strata and other days are not compared', () => {
    const elsewhere = [
      ...runs(false, 30, 0, { stratum: 'kubernetes' }),
      ...runs(false, 30, 0, { startedMs: 15 * DAY_MS, ended: { atMs: 15 * DAY_MS + 1, isFailure: false } }),
    ]
    const { signals } = judge([...runs(true, 30, 0), ...elsewhere])
    const states = new Map(signals.map(({ signal, state }) => [signal, state]))
    expect(states.get('failures')).toBe('open')
    expect(states.get('failures_concurrent')).toBe('none')
    expect(states.get('duration')).toBe('none')
  })
})

describe('failures over strata', () => {
  const STRATA = [0, 1, 2, 3, 4]
  /** All start at once: one look. The baseline is before the canary, and half of the strata have no canary. */
  const atOnce = { startedMs: 0, ended: { atMs: 1, isFailure: false } }
  const failed = { startedMs: 0, ended: { atMs: 1, isFailure: true } }
  const many = STRATA.flatMap((i) => {
    const stratum = `s${i}`
    const own = (isCanary: boolean, good: number, bad: number) => [
      ...runs(isCanary, good, 0, { ...atOnce, stratum }),
      ...runs(isCanary, bad, 0, { ...failed, stratum }),
    ]
    return [...own(false, 18, 2), ...own(true, 2, 3), ...runs(false, 9, 0, { ...failed, stratum: `alone ${i}` })]
  })
  const evidenceBy = (policy: RolloutPolicy) =>
    rolloutVerdict({ runs: many, alerts: [], modifications: [] }, policy, LOOK_MS).signals[0]!

  test('the mixture over all strata together and by each, over the best without a difference; strata with one group do not count', () => {
    const { factor, canary, baseline, strata, effect } = evidenceBy(POLICY)
    const one = { canary: { count: 3, of: 5 }, baseline: { count: 2, of: 20 } }
    const all = { canary: { count: 15, of: 25 }, baseline: { count: 10, of: 100 } }
    const bests = 5 * logBestOf(one)
    const want = (Math.exp(logMixtureOf(all) - bests) + Math.exp(5 * logMixtureOf(one) - bests)) / 2
    expect(factor / want).toBeCloseTo(1, 9)
    expect(factor).toBeGreaterThan(100)
    expect({ canary, baseline }).toEqual(all)
    expect(strata).toHaveLength(5)
    expect(effect!.value).toBeCloseTo(13.5, 9)
  })

  test('it is proved from the needed evidence on', () => {
    const { factor } = evidenceBy(POLICY)
    const needing = (needed: number) => evidenceBy({ ...POLICY, alpha: POLICY.signals.length / needed }).state
    expect(needing(factor * 0.999)).toBe('worse')
    expect(needing(factor * 1.001)).toBe('open')
  })

  test('a canary of clusters that fail more often with any version is no evidence', () => {
    const worst = { ...NULL_ROLLOUT, canaryStrata: 3, canaryFailures: 0.3, baselineFailures: 0.3, days: 60 } as const
    const { signals } = rolloutVerdict(simulateRollout(randomOf(5), worst), POLICY, endOf(worst))
    expect(signals[0]!.factor).toBeLessThan(20)
    expect(signals[0]!.strata.map(({ stratum }) => stratum)).toEqual(['2'])
  })
})

test('proceed needs the smallest number of canaries, and no more', () => {
  const policy = { ...POLICY, failureMargin: 1, canariesMin: 20 }
  const of = (canaries: number) =>
    rolloutVerdict(
      { runs: [...runs(true, canaries, 0), ...runs(false, 30, 0)], alerts: [], modifications: [] },
      policy,
      LOOK_MS,
    )
  expect(of(20).decision).toBe('proceed')
  expect(of(19)).toMatchObject({ decision: 'insufficient', canariesNeeded: 1 })
})

test('a stratum of its own cannot be compared, and the reason names it', () => {
  const elsewhere = runs(false, 30, 0, { stratum: 'kubernetes' })
  expect(judge([...runs(true, 30, 0), ...elsewhere])).toMatchObject({
    decision: 'not_comparable',
    reason: 'No cluster with the same platform, size (openshift) has upgraded to another version.',
  })
})

test('a verdict depends on the facts alone, not on their order', () => {
  const evidence = simulateRollout(randomOf(3), { ...NULL_ROLLOUT, canaryFailures: 0.2 })
  const turned = { ...evidence, runs: [...evidence.runs].reverse() }
  const look = endOf(NULL_ROLLOUT)
  expect(rolloutVerdict(turned, POLICY, look).decision).toBe(rolloutVerdict(evidence, POLICY, look).decision)
})

/** Of simulated rollouts that are looked at to the end. The full table is `npm run bench verdicts`. */
function shareOfHolds(change: Partial<SimulatedRollout>, rollouts = 60): number {
  const rollout = { ...NULL_ROLLOUT, ...change }
  let holds = 0
  for (let seed = 1; seed <= rollouts; seed++) {
    const verdict = rolloutVerdict(simulateRollout(randomOf(seed * 7919), rollout), POLICY, endOf(rollout))
    if (verdict.decision === 'hold') holds++
  }
  return holds / rollouts
}

test('without a difference, few rollouts are ever held; with one, most are', () => {
  expect(shareOfHolds({})).toBeLessThan(0.05)
  expect(shareOfHolds({ canaryFailures: 0.4 })).toBeGreaterThan(0.95)
  expect(shareOfHolds({ slowdown: 2 })).toBeGreaterThan(0.95)
  expect(shareOfHolds({ canaryAlerts: 1.5 })).toBeGreaterThan(0.9)
})
