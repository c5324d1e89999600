/**
 * Whether verdicts on rollouts are as exact as they claim, over simulated rollouts whose truth is known: how often one without a
 * difference is ever held though it is looked at every day, how often a worse one is, what planted regressions get, and how often
 * intervals have the truth.
 */
import { DEFAULT_ROLLOUT_POLICY } from '../src/model/rollout-verdict.ts'
import { fisherPValue } from '../src/fleet/statistics/fisher.ts'
import { durationsOf } from '../src/fleet/statistics/durations.ts'
import { Z_95 } from '../src/fleet/statistics/normal.ts'
import { shareBounds } from '../src/fleet/statistics/share-bounds.ts'
import { timeRatio } from '../src/fleet/statistics/time-ratio.ts'
import { DAY_MS } from '../src/fleet/verdicts/blocks.ts'
import { isFailure } from '../src/fleet/verdicts/run-outcomes.ts'
import { rolloutVerdict, type RolloutEvidence } from '../src/fleet/verdicts/verdict.ts'
import {
  endOf,
  normal,
  NULL_ROLLOUT,
  randomOf,
  simulateRollout,
  type SimulatedRollout,
} from '../test/fleet/verdicts/rollout-simulation.ts'

const POLICY = DEFAULT_ROLLOUT_POLICY
/** Looks of a rollout, one a day, for the naive test: its p-value is of all data until then. */
const NAIVE_ALPHA = 0.05

/** @param only some of the parts, separated by commas */
export function run({ quick, only }: { readonly quick: boolean; readonly only?: string }): void {
  const scale = quick ? 0.02 : 1
  const times = (count: number): number => Math.max(20, Math.round(count * scale))
  const parts = {
    null: () => {
      nullRollouts(times(2500))
    },
    power: () => {
      power(times(60))
    },
    planted: () => {
      planted(times(100))
    },
    coverage: () => {
      coverage(times(1000))
    },
  }
  for (const [name, part] of Object.entries(parts)) {
    if (only === undefined || only.split(',').includes(name)) part()
  }
}

/** Held at any look until the end: evidence is the largest of all looks, so the last verdict knows. */
function shareOfHolds(rollout: SimulatedRollout, count: number, seed: number): number {
  let holds = 0
  for (let i = 0; i < count; i++) {
    const evidence = simulateRollout(randomOf(seed + i * 7919), rollout)
    if (rolloutVerdict(evidence, POLICY, endOf(rollout)).decision === 'hold') holds++
  }
  return holds / count
}

function nullRollouts(count: number): void {
  console.log(`\nwithout a difference, ${count} rollouts each, a look every day for ${NULL_ROLLOUT.days} days`)
  const nulls: readonly (readonly [string, Partial<SimulatedRollout>])[] = [
    ['equal groups', {}],
    ['10 % of all upgrades fail', { canaryFailures: 0.1, baselineFailures: 0.1 }],
    ['the canary has the worst clusters', { canaryStrata: 3, canaryFailures: 0.15, baselineFailures: 0.15 }],
    ['the canary is half of the fleet', { canariesPerDay: 8, baselinesPerDay: 8 }],
  ]
  for (const [name, change] of nulls) {
    const rollout = { ...NULL_ROLLOUT, ...change }
    let [holds, naive] = [0, 0]
    for (let i = 0; i < count; i++) {
      const evidence = simulateRollout(randomOf(1 + i * 7919), rollout)
      // No slowdown is too small here: the threshold would hide errors of the evidence.
      if (rolloutVerdict(evidence, { ...POLICY, slowdownMin: 1 }, endOf(rollout)).decision === 'hold') holds++
      if (isNaivelyHeld(evidence, rollout)) naive++
    }
    const { high } = shareBounds(holds, count, 0.05)
    console.log(
      `${name.padEnd(36)} held ${percent(holds / count)} (at most ${percent(high)}); ` +
        `with Fisher’s test of failures at ${percent(NAIVE_ALPHA)} every day ${percent(naive / count)}`,
    )
  }
}

/** What a daily look at p < 0.05 would do: for comparison. */
function isNaivelyHeld({ runs }: RolloutEvidence, { days }: SimulatedRollout): boolean {
  for (let day = 1; day <= days; day++) {
    const counts = { first: { count: 0, of: 0 }, second: { count: 0, of: 0 } }
    for (const run of runs) {
      if (run.startedMs + POLICY.horizonMs > day * DAY_MS) continue
      const own = run.isCanary ? counts.first : counts.second
      own.of++
      if (isFailure(run, POLICY.horizonMs) === true) own.count++
    }
    if (fisherPValue(counts) < NAIVE_ALPHA) return true
  }
  return false
}

const SIZES = [21, 42, 84, 168, 336]

function power(count: number): void {
  console.log(`\nshare of rollouts that are held, by size of the canary, ${count} rollouts each; others: twice as many`)
  console.log(`${''.padEnd(34)}${SIZES.map((size) => String(size).padStart(8)).join('')}`)
  const kinds: readonly (readonly [string, Partial<SimulatedRollout>])[] = [
    ['failures 10 % instead of 3 %', { canaryFailures: 0.1 }],
    ['failures 20 % instead of 3 %', { canaryFailures: 0.2 }],
    ['failures 40 % instead of 3 %', { canaryFailures: 0.4 }],
    ['1.2 times as long', { slowdown: 1.2 }],
    ['1.5 times as long', { slowdown: 1.5 }],
    ['twice as long', { slowdown: 2 }],
    ['alerts 0.6 a day instead of 0.3', { canaryAlerts: 0.6 }],
    ['alerts 1.5 a day instead of 0.3', { canaryAlerts: 1.5 }],
  ]
  for (const [name, change] of kinds) {
    const shares = SIZES.map((size) => {
      const perDay = size / NULL_ROLLOUT.days
      const rollout = { ...NULL_ROLLOUT, ...change, canariesPerDay: perDay, baselinesPerDay: 2 * perDay }
      return shareOfHolds(rollout, count, 17)
    })
    console.log(`${name.padEnd(34)}${shares.map((share) => percent(share).padStart(8)).join('')}`)
  }
}

function planted(count: number): void {
  console.log(`\nverdicts at the end of 21 days, 84 canaries and 168 others, ${count} rollouts each`)
  const decisions = ['proceed', 'hold', 'insufficient', 'not_comparable'] as const
  console.log(`${''.padEnd(34)}${decisions.map((one) => one.padStart(16)).join('')}`)
  const kinds: readonly (readonly [string, Partial<SimulatedRollout>])[] = [
    ['nothing', {}],
    ['no failures at all', { canaryFailures: 0, baselineFailures: 0 }],
    ['failures 30 %', { canaryFailures: 0.3 }],
    ['failures 15 %: the accepted bound', { canaryFailures: 0.15 }],
    ['twice as long', { slowdown: 2 }],
    ['1.05 times as long', { slowdown: 1.05 }],
    ['alerts five times as often', { canaryAlerts: 1.5 }],
    ['nothing beside it', { baselinesPerDay: 0 }],
  ]
  for (const [name, change] of kinds) {
    const rollout = { ...NULL_ROLLOUT, ...change }
    const counts = new Map<string, number>()
    for (let i = 0; i < count; i++) {
      const evidence = simulateRollout(randomOf(5 + i * 7919), rollout)
      const { decision } = rolloutVerdict(evidence, POLICY, endOf(rollout))
      counts.set(decision, (counts.get(decision) ?? 0) + 1)
    }
    const shares = decisions.map((one) => percent((counts.get(one) ?? 0) / count).padStart(16))
    console.log(`${name.padEnd(34)}${shares.join('')}`)
  }
}

function coverage(count: number): void {
  console.log(`\nintervals that have the truth, of ${count} each; 95 % is claimed`)
  const random = randomOf(11)
  for (const share of [0.01, 0.05, 0.2]) {
    let always = 0
    for (let i = 0; i < count; i++) {
      let failed = 0
      let isAlways = true
      for (let of = 1; of <= 200; of++) {
        if (random() < share) failed++
        const { low, high } = shareBounds(failed, of, 0.025)
        if (low > share || high < share) isAlways = false
      }
      if (isAlways) always++
    }
    console.log(`share of ${percent(share)}, at all of 200 times`.padEnd(54) + percent(always / count))
  }
  for (const [size, ratio, censoredFrom] of [
    [10, 1, Infinity],
    [10, 1.5, Infinity],
    [40, 1.5, Infinity],
    [40, 1.5, 30],
    [40, 3, 30],
  ] as const) {
    let covered = 0
    for (let i = 0; i < count; i++) {
      const strata = [1, 3].map((scale) => {
        const group = (size_: number, factor: number) => {
          const all = Array.from({ length: size_ }, () => 10 * scale * factor * Math.exp(0.6 * normal(random)))
          const limit = censoredFrom * scale
          return durationsOf(
            all.filter((seconds) => seconds < limit),
            all.flatMap((seconds) => (seconds < limit ? [] : [limit])),
          )
        }
        return { first: group(size / 2, ratio), second: group(size, 1) }
      })
      const found = timeRatio(strata, Z_95)
      if (found !== undefined && (found.low ?? 0) <= ratio && ratio <= (found.high ?? Infinity)) covered++
    }
    const cut = censoredFrom === Infinity ? '' : ', long ones unfinished'
    console.log(`${ratio} times as long, ${size} canaries${cut}`.padEnd(54) + percent(covered / count))
  }
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}
