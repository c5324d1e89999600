/** Simulated rollouts: upgrades of a canary and of a baseline, and what happens on their clusters, with known differences. */
import { DEFAULT_ROLLOUT_POLICY, type RolloutChange, type RolloutRun } from '../../../src/model/rollout-verdict.ts'
import { DAY_MS } from '../../../src/fleet/verdicts/blocks.ts'
import type { RolloutEvidence } from '../../../src/fleet/verdicts/verdict.ts'

export const POLICY = DEFAULT_ROLLOUT_POLICY

export interface SimulatedRollout {
  readonly days: number
  readonly canariesPerDay: number
  readonly baselinesPerDay: number
  /** Shares of failures in the last stratum; those of the others are lower. */
  readonly canaryFailures: number
  readonly baselineFailures: number
  /** The canary's upgrades take so many times as long. */
  readonly slowdown: number
  /** Alerts per cluster and window: of the canary after its upgrade, and of all others. */
  readonly canaryAlerts: number
  readonly alerts: number
  /** The first stratum of the canary: 3 is the last one alone; absent: all. */
  readonly canaryStrata?: 1 | 2 | 3
}

export const NULL_ROLLOUT: SimulatedRollout = {
  days: 21,
  canariesPerDay: 4,
  baselinesPerDay: 8,
  canaryFailures: 0.03,
  baselineFailures: 0.03,
  slowdown: 1,
  canaryAlerts: 0.3,
  alerts: 0.3,
}

const STRATA = 3
/** A tenth of the clusters alerts all the time. */
const NOISY = { share: 0.1, alerts: 3 }

/** When all evidence of the rollout is known. */
export function endOf({ days }: SimulatedRollout): number {
  return (days + 3) * DAY_MS
}

export function simulateRollout(random: () => number, rollout: SimulatedRollout): RolloutEvidence {
  const runs: RolloutRun[] = []
  const alerts: RolloutChange[] = []
  const modifications: RolloutChange[] = []
  const { days, canariesPerDay, baselinesPerDay, slowdown, canaryStrata = 1 } = rollout
  for (let day = 0; day < days; day++) {
    for (let i = 0; i < canariesPerDay + baselinesPerDay; i++) {
      const isCanary = i < canariesPerDay
      const lowest = isCanary ? canaryStrata - 1 : 0
      const stratum = lowest + Math.floor(random() * (STRATA - lowest))
      const startedMs = day * DAY_MS + Math.floor(random() * DAY_MS)
      const id = `${day}-${i}`
      const member = { cluster: id, isCanary, stratum: String(stratum), startedMs }
      const failures = (isCanary ? rollout.canaryFailures : rollout.baselineFailures) * ((stratum + 1) / STRATA)
      const durationMs = (10 + 20 * stratum) * 60_000 * Math.exp(0.6 * normal(random)) * (isCanary ? slowdown : 1)
      const isFailure = random() < failures
      // Half of the failures never end.
      const hangs = isFailure && random() < 0.5
      const ended = hangs ? {} : { ended: { atMs: startedMs + durationMs, isFailure } }
      runs.push({ ...member, id, observedUntilMs: Infinity, ...ended })
      const noise = random() < NOISY.share ? NOISY.alerts : 0
      const own = isCanary ? rollout.canaryAlerts : rollout.alerts
      alerts.push({ ...member, before: poisson(random, rollout.alerts + noise), after: poisson(random, own + noise) })
      modifications.push({ ...member, before: poisson(random, 0.1), after: poisson(random, 0.1) })
    }
  }
  return { runs, alerts, modifications }
}

/** Mulberry32. */
export function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

export function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

function poisson(random: () => number, mean: number): number {
  let [count, term] = [0, Math.exp(-mean)]
  for (let left = random() - term; left > 0 && count < 50; left -= term) term *= mean / ++count
  return count
}
