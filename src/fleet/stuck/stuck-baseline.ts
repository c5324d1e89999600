/**
 * What upgrades of this fleet usually take, by edge and phase, and from when on one of them is stuck. Learned from those
 * that got there; an edge with few of them borrows from edges between the same minors, then from the operator's whole
 * fleet; until anything is learned, a quarter of an hour counts, within which most updates are through (facts 5.6).
 */
import type { PhaseBaseline } from '../../model/stuck.ts'
import type { PhaseName, Upgrade, UpgradeRecord } from '../../model/upgrade.ts'
import { quantileOf } from '../statistics/quantile.ts'
import { isUnbounded, silencesOf } from './stuck-silence.ts'
import { minorOf } from '../version-order.ts'

/** Fewer runs than this say little about the slowest of the next hundred. */
export const LEARNED_RUNS_MIN = 8

const SEED_P50_SECONDS = 5 * 60
export const SEED_SECONDS = 15 * 60

/** Nobody is called for a few minutes, however quick an edge usually is: a pod that is moved takes as long. */
export const THRESHOLD_SECONDS_MIN = 4 * 60
/** Beyond the slowest twentieth by half, and a round of the operator's requeueing. */
const BEYOND_P95 = 1.5
const REQUEUE_SECONDS = 30
/**
 * A finished run that stood still for longer than the seed and than many times the median was stuck itself, and was
 * mended: it is no measure for others.
 */
const STALL_MEDIANS = 8

/** People's and machines' phases: nothing is learned of them. */
const UNBOUNDED_SECONDS = {
  /** Facts 5.10: a plan that waits for days is forgotten; for hours it waits for a maintenance window. */
  approval: 24 * 3600,
  /** No machine moved to the new launcher: one migration of a large machine may take most of it. */
  workloads: 3600,
  /** A node of a pool is drained, written and started again in 5 to 20 minutes. */
  pool: 45 * 60,
  /** Its operators, which come before the pools. */
  platform: 4 * 3600,
} as const

export interface BaselineIndex {
  /** Replaces what is learned from a cluster's upgrades. */
  put(cluster: string, records: readonly UpgradeRecord[]): void
  /** What counts for a phase of an upgrade. */
  baselineOf(upgrade: Upgrade, phase: PhaseName): PhaseBaseline
  /** Another number whenever something else may have been learned. */
  lesson(): number
}

/** From the upgrades of any clusters, once. */
export function learnBaselines(records: Iterable<UpgradeRecord>): BaselineIndex {
  const index = createBaselineIndex()
  const byCluster = new Map<string, UpgradeRecord[]>()
  for (const record of records) {
    const known = byCluster.get(record.upgrade.cluster)
    if (known === undefined) byCluster.set(record.upgrade.cluster, [record])
    else known.push(record)
  }
  for (const [cluster, all] of byCluster) index.put(cluster, all)
  return index
}

export function createBaselineIndex(): BaselineIndex {
  const lessons = new Map<string, Lesson>()
  const lessonsOfCluster = new Map<string, ClusterLessons>()
  let changes = 0

  const forget = (cluster: string): void => {
    for (const key of lessonsOfCluster.get(cluster)?.keys() ?? []) {
      const lesson = lessons.get(key)!
      lesson.byCluster.delete(cluster)
      lesson.learned = undefined
      if (lesson.byCluster.size === 0) lessons.delete(key)
    }
    lessonsOfCluster.delete(cluster)
  }
  return {
    put: (cluster, records) => {
      const told = clusterLessons(records)
      // Most of what is told of a cluster is nothing new of its finished upgrades.
      if (areEqual(told, lessonsOfCluster.get(cluster))) return
      changes++
      forget(cluster)
      for (const [key, seconds] of told) {
        let lesson = lessons.get(key)
        if (lesson === undefined) lessons.set(key, (lesson = { byCluster: new Map(), learned: undefined }))
        lesson.byCluster.set(cluster, seconds)
        lesson.learned = undefined
      }
      if (told.size > 0) lessonsOfCluster.set(cluster, told)
    },
    lesson: () => changes,
    baselineOf: (upgrade, phase) => {
      const isPerWave = phase === 'virt_handler.waves'
      if (isUnbounded(phase)) return { ...seedOf(phase, unboundedSeconds(phase)), isPerWave }
      for (const { scope, learnedFrom } of scopesOf(upgrade)) {
        const lesson = lessons.get(`${scope} ${phase}`)
        const learned = lesson === undefined ? undefined : (lesson.learned ??= learnedOf(lesson))
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

/** By scope and phase, how long its upgrades were silent. */
type ClusterLessons = ReadonlyMap<string, readonly number[]>

function clusterLessons(records: readonly UpgradeRecord[]): ClusterLessons {
  const told = new Map<string, number[]>()
  for (const record of records) {
    const scopes = scopesOf(record.upgrade)
    for (const { phase, seconds } of silencesOf(record)) {
      for (const { scope } of scopes) {
        const key = `${scope} ${phase}`
        const known = told.get(key)
        if (known === undefined) told.set(key, [seconds])
        else known.push(seconds)
      }
    }
  }
  return told
}

function areEqual(a: ClusterLessons, b: ClusterLessons = new Map()): boolean {
  if (a.size !== b.size) return false
  for (const [key, seconds] of a) {
    const others = b.get(key)
    if (others?.length !== seconds.length || seconds.some((one, i) => one !== others[i])) return false
  }
  return true
}

interface Lesson {
  readonly byCluster: Map<string, readonly number[]>
  /** Reckoned when asked for. */
  learned: Learned | undefined
}

interface Learned {
  readonly seen: number
  readonly p50Seconds: number
  readonly p95Seconds: number
  readonly thresholdSeconds: number
}

function learnedOf({ byCluster }: Lesson): Learned {
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
