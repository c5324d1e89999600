/**
 * Typical times without progress of this fleet's upgrades, by edge and phase, and the threshold after which an upgrade is
 * stuck. Learned from upgrades that succeeded; an edge with few of them uses edges between the same minors, then all edges
 * of the operator. Without history the threshold is 15 min, within which most updates finish (facts 5.6).
 */
import type { PhaseBaseline } from '../../model/stuck.ts'
import type { PhaseName, Upgrade, UpgradeRecord } from '../../model/upgrade.ts'
import { quantileOf } from '../statistics/quantile.ts'
import { isUnbounded, silencesOf } from './stuck-silence.ts'
import { minorOf } from '../version-order.ts'

/** Fewer runs say little about the slowest of the next hundred. */
export const LEARNED_RUNS_MIN = 8

const SEED_P50_SECONDS = 5 * 60
export const SEED_SECONDS = 15 * 60

/** The lowest threshold, however fast an edge typically is: rescheduling a pod takes as long. */
export const THRESHOLD_SECONDS_MIN = 4 * 60
/** The threshold is p95 times this, plus one requeue of the operator. */
const BEYOND_P95 = 1.5
const REQUEUE_SECONDS = 30
/**
 * A finished run without progress for longer than the seed and than this many medians was stuck itself and was repaired: it
 * is left out.
 */
const STALL_MEDIANS = 8

/** Thresholds of phases that depend on people, VMs or nodes: nothing is learned of them. */
const UNBOUNDED_SECONDS = {
  /** Facts 5.10: a plan that is pending for hours waits for a maintenance window; for days, it was forgotten. */
  approval: 24 * 3600,
  /** No VM moved to the new launcher: one migration of a large VM may take most of this. */
  workloads: 3600,
  /** A node of a pool is drained, updated and restarted in 5 to 20 minutes. */
  pool: 45 * 60,
  /** The platform's operators, which are updated before the pools. */
  platform: 4 * 3600,
} as const

export interface BaselineIndex {
  put(cluster: string, records: readonly UpgradeRecord[]): void
  baselineOf(upgrade: Upgrade, phase: PhaseName): PhaseBaseline
  /** Changes whenever a baseline may have changed. */
  revision(): number
  /** A copy that learned from some clusters alone. */
  only(isIncluded: (cluster: string) => boolean): BaselineIndex
}

/** @param start what was learned already, by cluster */
export function createBaselineIndex(start: Iterable<readonly [string, ClusterSilences]> = []): BaselineIndex {
  const baselines = new Map<string, ScopeBaseline>()
  const silencesOfCluster = new Map<string, ClusterSilences>()
  let changes = 0

  const forget = (cluster: string): void => {
    for (const key of silencesOfCluster.get(cluster)?.keys() ?? []) {
      const baseline = baselines.get(key)!
      baseline.byCluster.delete(cluster)
      baseline.learned = undefined
      if (baseline.byCluster.size === 0) baselines.delete(key)
    }
    silencesOfCluster.delete(cluster)
  }
  const learn = (cluster: string, silences: ClusterSilences): void => {
    for (const [key, seconds] of silences) {
      let baseline = baselines.get(key)
      if (baseline === undefined) baselines.set(key, (baseline = { byCluster: new Map(), learned: undefined }))
      baseline.byCluster.set(cluster, seconds)
      baseline.learned = undefined
    }
    if (silences.size > 0) silencesOfCluster.set(cluster, silences)
  }
  for (const [cluster, silences] of start) learn(cluster, silences)
  return {
    put: (cluster, records) => {
      const silences = silencesByScope(records)
      // Most changes of a cluster do not concern its finished upgrades.
      if (areEqual(silences, silencesOfCluster.get(cluster))) return
      changes++
      forget(cluster)
      learn(cluster, silences)
    },
    revision: () => changes,
    only: (isIncluded) => createBaselineIndex([...silencesOfCluster].filter(([cluster]) => isIncluded(cluster))),
    baselineOf: (upgrade, phase) => {
      const isPerWave = phase === 'virt_handler.waves'
      if (isUnbounded(phase)) return { ...seedOf(phase, unboundedSeconds(phase)), isPerWave }
      for (const { scope, learnedFrom } of scopesOf(upgrade)) {
        const baseline = baselines.get(`${scope} ${phase}`)
        const learned = baseline === undefined ? undefined : (baseline.learned ??= learnedOf(baseline))
        if (learned !== undefined && learned.seen >= LEARNED_RUNS_MIN) {
          const { p50Seconds, p95Seconds, thresholdSeconds, seen } = learned
          const runs = learnedFrom === 'edge' ? seen : 0
          return { phase, p50Seconds, p95Seconds, runs, learnedFrom, isPerWave, thresholdSeconds }
        }
      }
      return { ...seedOf(phase, SEED_SECONDS), isPerWave }
    },
  }
}

/** By scope and phase: the longest time without progress of each upgrade, in seconds. */
type ClusterSilences = ReadonlyMap<string, readonly number[]>

function silencesByScope(records: readonly UpgradeRecord[]): ClusterSilences {
  const silences = new Map<string, number[]>()
  for (const record of records) {
    const scopes = scopesOf(record.upgrade)
    for (const { phase, seconds } of silencesOf(record)) {
      for (const { scope } of scopes) {
        const key = `${scope} ${phase}`
        const known = silences.get(key)
        if (known === undefined) silences.set(key, [seconds])
        else known.push(seconds)
      }
    }
  }
  return silences
}

function areEqual(a: ClusterSilences, b: ClusterSilences = new Map()): boolean {
  if (a.size !== b.size) return false
  for (const [key, seconds] of a) {
    const others = b.get(key)
    if (others?.length !== seconds.length || seconds.some((one, i) => one !== others[i])) return false
  }
  return true
}

interface ScopeBaseline {
  readonly byCluster: Map<string, readonly number[]>
  learned: Learned | undefined
}

interface Learned {
  readonly seen: number
  readonly p50Seconds: number
  readonly p95Seconds: number
  readonly thresholdSeconds: number
}

function learnedOf({ byCluster }: ScopeBaseline): Learned {
  const all = Float64Array.from([...byCluster.values()].flat()).sort()
  const stallSeconds = Math.max(SEED_SECONDS, STALL_MEDIANS * quantileOf(all, 0.5))
  const rising = all.filter((seconds) => seconds <= stallSeconds)
  const p95Seconds = quantileOf(rising, 0.95)
  return {
    seen: rising.length,
    p50Seconds: quantileOf(rising, 0.5),
    p95Seconds,
    thresholdSeconds: Math.max(THRESHOLD_SECONDS_MIN, BEYOND_P95 * p95Seconds + REQUEUE_SECONDS),
  }
}

function seedOf(phase: PhaseName, thresholdSeconds: number): Omit<PhaseBaseline, 'isPerWave'> {
  const p50Seconds = Math.min(SEED_P50_SECONDS, thresholdSeconds)
  return { phase, p50Seconds, p95Seconds: thresholdSeconds, runs: 0, learnedFrom: 'seed', thresholdSeconds }
}

function unboundedSeconds(phase: PhaseName): number {
  if (phase === 'approval' || phase === 'workloads') return UNBOUNDED_SECONDS[phase]
  return phase === 'platform' ? UNBOUNDED_SECONDS.platform : UNBOUNDED_SECONDS.pool
}

interface Scope {
  readonly scope: string
  readonly learnedFrom: 'edge' | 'minor' | 'fleet'
}

/** The nearest first. */
function scopesOf({ operator, from, to }: Upgrade): readonly Scope[] {
  const fleet: Scope = { scope: operator, learnedFrom: 'fleet' }
  if (from === undefined) return [fleet]
  return [
    { scope: `${operator} ${from} > ${to}`, learnedFrom: 'edge' },
    { scope: `${operator} minor ${minorOf(from)} > ${minorOf(to)}`, learnedFrom: 'minor' },
    fleet,
  ]
}
