/**
 * Stuck detection over simulated months, by the simulated clock: at sampled moments what was known then is derived and
 * judged, with baselines learned from the upgrades that had ended before the month began.
 */
import { deriveUpgrades } from '../../src/fleet/derive/derive-cluster.ts'
import type { BaselineIndex } from '../../src/fleet/stuck/stuck-baseline.ts'
import { learnBaselines } from '../../test/fleet/learn-baselines.ts'
import { createStuckJudge, type LastSeen } from '../../src/fleet/stuck/stuck.ts'
import type { ClusterObservations } from '../../src/model/observation.ts'
import type { StuckVerdict } from '../../src/model/stuck.ts'
import type { UpgradeRecord } from '../../src/model/upgrade.ts'
import { upperBound } from '../../sim/history/bounds.ts'
import { heartbeat, knownAt } from '../../sim/history/cluster-observations.ts'
import type { ClusterHistory } from '../../sim/history/cluster-history.ts'
import { recordOf } from '../../sim/history/compare.ts'
import { hiddenOf } from '../../sim/history/hidden.ts'
import type { HistoryTruth, TruthUpgradeRecord } from '../../sim/history/history-truth.ts'
import { calmMoments, isCutOff, lookedAt, stallMoments, type Looked } from './moments.ts'
import { PULL_EVERY_MS, pullOffsetMs } from '../../sim/history/watch.ts'

const DAY_MS = 24 * 60 * 60_000

/** What was said of one upgrade that stood still. */
export interface StallTrial {
  readonly name: string
  readonly kind: string
  readonly cause: string
  readonly isAsynchronous: boolean
  /** From the last thing that moved to the first verdict; absent: it was over before, or never seen. */
  readonly detectedMs?: number
  /** First cause at that verdict. */
  readonly said?: string
  /** What nobody can know of it by the ways the cluster tells. */
  readonly hidden?: 'stall' | 'cause' | undefined
  /** For how long it stood still, as far as it was looked at. */
  readonly lastedMs: number
}

/** What was said of one upgrade that did not. */
export interface CalmTrial {
  readonly name: string
  /** The first verdict that it is stuck; absent: there was none. */
  readonly falseAlarm?: string
}

export interface DetectionTrials {
  readonly stalls: readonly StallTrial[]
  readonly calm: readonly CalmTrial[]
  /** Upgrades that fell into an outage of their cluster, where nobody knows. */
  readonly unseen: number
}

/** Baselines as they were at a time: learned anew each month. */
export type BaselinesAt = (timeMs: number) => BaselineIndex

export function monthlyBaselines(records: readonly UpgradeRecord[]): BaselinesAt {
  const byMonth = new Map<string, BaselineIndex>()
  return (timeMs) => {
    const month = new Date(timeMs).toISOString().slice(0, 7)
    const known = byMonth.get(month)
    if (known !== undefined) return known
    const startMs = Date.parse(`${month}-01T00:00:00Z`)
    const index = learnBaselines(records.filter(({ upgrade }) => (upgrade.endedMs ?? Infinity) < startMs))
    byMonth.set(month, index)
    return index
  }
}

export function detectionTrials(
  history: ClusterHistory,
  truth: HistoryTruth,
  observations: ClusterObservations,
  baselinesAt: BaselinesAt,
): DetectionTrials {
  const stalls: StallTrial[] = []
  const calm: CalmTrial[] = []
  let unseen = 0
  for (const real of truth.upgrades) {
    const window = lookedAt(history, real)
    if (window === undefined) continue
    const judge = judgeOf(history, around(observations, window), real, baselinesAt)
    if (isCutOff(history, window)) unseen++
    else if (real.stall === undefined) calm.push(calmTrial(truth, real, window, judge))
    else stalls.push(stallTrial(truth, real, real.stall, window, judge))
  }
  return { stalls, calm, unseen }
}

type Judge = (nowMs: number) => StuckVerdict | undefined

function stallTrial(
  truth: HistoryTruth,
  real: TruthUpgradeRecord,
  stall: NonNullable<TruthUpgradeRecord['stall']>,
  window: Looked,
  judge: Judge,
): StallTrial {
  const base = {
    name: `${truth.cluster} ${real.operator} ${real.from} -> ${real.to}: ${stall.kind}`,
    ...{ kind: stall.kind, cause: stall.cause, isAsynchronous: stall.isAsynchronous },
    hidden: hiddenOf(truth.tells, stall, real.to),
    lastedMs: window.untilMs - window.fromMs,
  }
  for (const nowMs of stallMoments(window)) {
    const verdict = judge(nowMs)
    if (verdict?.isStuck === true) return { ...base, detectedMs: nowMs - window.fromMs, said: verdict.causes[0]!.cause }
  }
  return base
}

function calmTrial(truth: HistoryTruth, real: TruthUpgradeRecord, window: Looked, judge: Judge): CalmTrial {
  const name = `${truth.cluster} ${real.operator} ${real.from} -> ${real.to}`
  const beginMs = real.startedMs ?? window.fromMs
  for (const nowMs of calmMoments(real, window)) {
    const verdict = judge(nowMs)
    if (verdict?.isStuck !== true) continue
    const said = `${verdict.phase ?? 'nowhere'}, ${verdict.causes[0]!.cause}, ${Math.round((nowMs - beginMs) / 1000)} s after its start`
    return { name, falseAlarm: `${name}: stuck in ${said}` }
  }
  return { name }
}

/** Derives again when something new is known, as the server does; who stands still says nothing new for hours. */
function judgeOf(
  history: ClusterHistory,
  observations: ClusterObservations,
  real: TruthUpgradeRecord,
  baselinesAt: BaselinesAt,
): Judge {
  const newsMs = newsTimes(observations)
  let derived = ''
  let record: UpgradeRecord | undefined
  return (nowMs) => {
    const beat = heartbeat(history, nowMs)
    const news = `${upperBound(newsMs, nowMs)} ${beat.objectsLastSeenMs}`
    if (news !== derived) record = recordOf(real, deriveUpgrades({ ...knownAt(observations, nowMs), ...beat }))
    derived = news
    return record === undefined
      ? undefined
      : createStuckJudge(baselinesAt(nowMs))(record, nowMs, lastSeenAt(history, nowMs))
  }
}

/** When anything is seen, begins, or ends; rising. */
function newsTimes({ objects, absences, metrics, spans }: ClusterObservations): readonly number[] {
  return [
    ...objects.map(({ observedMs }) => observedMs),
    ...absences.map(({ absentMs }) => absentMs),
    ...metrics.flatMap(({ firstMs, afterMs }) => [firstMs, afterMs ?? Infinity]),
    ...spans.map(({ endMs }) => endMs),
  ].sort((a, b) => a - b)
}

/**
 * The cluster is there, with a scrape each half minute and a list each half hour; that only few of them are simulated
 * where nothing happens must not look like silence.
 */
function lastSeenAt({ tells, profile }: ClusterHistory, nowMs: number): LastSeen {
  const lastOf = (everyMs: number, offsetMs: number): number =>
    Math.floor((nowMs - offsetMs) / everyMs) * everyMs + offsetMs
  return {
    ...(tells.metrics ? { metricsMs: lastOf(30_000, profile.scrapeOffsetMs) } : {}),
    ...(tells.objects ? { objectsMs: lastOf(PULL_EVERY_MS, pullOffsetMs(profile)) } : {}),
  }
}

/** Without the migrations and events of other upgrades, which say nothing of this one and are most of what there is. */
function around(observations: ClusterObservations, { fromMs, untilMs }: Looked): ClusterObservations {
  const isNear = (timeMs: number): boolean => timeMs > fromMs - 3 * DAY_MS && timeMs <= untilMs
  return {
    ...observations,
    objects: observations.objects.filter(({ facts, observedMs }) => {
      if (observedMs > untilMs) return false
      const isMany = facts.kind === 'virtualmachineinstancemigrations' || facts.kind === 'events'
      return !isMany || isNear(observedMs)
    }),
    metrics: observations.metrics.filter((run) => run.firstMs <= untilMs),
  }
}
