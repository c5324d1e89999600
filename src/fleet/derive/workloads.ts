/**
 * The workload update: outdated VMs, migrations by cause, pace and estimated end. Asynchronous and without a bound; relative to
 * the last report of the cluster, never to a clock.
 */
import { ByTime } from '../../base/by-time.ts'
import { firstIndexWhere } from '../../base/first-index.ts'
import { remembered } from '../../base/remembered.ts'
import type { MigrationFacts } from '../../model/object-facts.ts'
import type { WorkloadUpdate } from '../../model/upgrade.ts'
import type { ClusterHistory, ObjectHistory } from './cluster-history.ts'
import { seenOf } from './coverage.ts'
import { objectsNow } from './present.ts'

/** From the end of KubeVirt's upgrade to the start of the next one, exclusive; absent: to the last report. */
export interface WorkloadWindow {
  readonly fromMs: number
  readonly untilMs?: number
}

/** The pace is measured over at most and at least this time. */
const PACE_OVER_MS = 60 * 60_000
const PACE_FROM_MS = 5 * 60_000

/** `undefined`: neither outdated VMs nor migrations are reported in the window. */
export function workloadUpdateOf(history: ClusterHistory, window: WorkloadWindow): WorkloadUpdate | undefined {
  const levels = outdatedLevels(history, window)
  const migrations = migrationsOf(history, window)
  const isAnyMigration = Object.values(migrations).some((count) => count > 0)
  if (levels.length === 0 && !isAnyMigration) return undefined
  const first = levels.findIndex(({ outdated }) => outdated > 0)
  const begun = first === -1 ? undefined : levels[first]!
  const ended = first === -1 ? undefined : levels.slice(first).find(({ outdated }) => outdated === 0)
  const now = levels.at(-1)
  const untilMs = Math.min(window.untilMs ?? Infinity, seenOf(history).lastMs ?? -Infinity)
  return {
    ...(now === undefined ? {} : { outdatedAtStart: Math.max(...levels.map(({ outdated }) => outdated)) }),
    ...(now === undefined ? {} : { outdatedNow: now.outdated }),
    ...(begun === undefined ? {} : { startedMs: begun.atMs }),
    ...(ended === undefined ? {} : { endedMs: ended.atMs }),
    migrations,
    ...measuredActivity(history, window),
    ...methodOf(history),
    ...paceOf(levels, begun, untilMs),
  }
}

/** The number of outdated VMs from a time on. */
interface Level {
  readonly atMs: number
  readonly outdated: number
}

/** Oldest first, one entry per change. */
function outdatedLevels(history: ClusterHistory, { fromMs, untilMs = Infinity }: WorkloadWindow): readonly Level[] {
  const all = allLevels(history)
  const end = firstIndexWhere(all, ({ atMs }) => atMs >= untilMs)
  const start = Math.min(
    end,
    firstIndexWhere(all, ({ atMs }) => atMs > fromMs),
  )
  // What it was when the window opened.
  const levels: Level[] = start === 0 ? [] : [{ atMs: fromMs, outdated: all[start - 1]!.outdated }]
  for (const level of all.slice(start, end)) if (levels.at(-1)?.outdated !== level.outdated) levels.push(level)
  return levels
}

/** From KubeVirt's status, else from the gauge; oldest first. */
const allLevels = remembered((history: ClusterHistory): readonly Level[] => {
  const reported = history
    .of('kubevirts')
    .flatMap(({ states }) =>
      states.flatMap(({ facts, atMs }) =>
        facts.outdatedWorkloads === undefined ? [] : [{ atMs, outdated: facts.outdatedWorkloads }],
      ),
    )
  const measured = history.runs('outdated_vmis').map(({ firstMs, value }) => ({ atMs: firstMs, outdated: value }))
  return (reported.length > 0 ? reported : measured).toSorted((a, b) => a.atMs - b.atMs || a.outdated - b.outdated)
})

function paceOf(
  levels: readonly Level[],
  begun: Level | undefined,
  untilMs: number,
): Pick<WorkloadUpdate, 'perMinute' | 'etaMs'> {
  const now = levels.at(-1)
  if (begun === undefined || now === undefined || now.outdated === 0) return {}
  const sinceMs = Math.max(begun.atMs, untilMs - PACE_OVER_MS)
  if (untilMs - sinceMs < PACE_FROM_MS) return {}
  const then = levels.findLast(({ atMs }) => atMs <= sinceMs) ?? begun
  const perMinute = (then.outdated - now.outdated) / ((untilMs - sinceMs) / 60_000)
  if (perMinute <= 0) return { perMinute: 0 }
  return { perMinute, etaMs: Math.round(untilMs + (now.outdated / perMinute) * 60_000) }
}

/** HCO migrates by default; only an empty list turns updates off. */
function methodOf(history: ClusterHistory): Pick<WorkloadUpdate, 'hasMethod'> {
  const hco = objectsNow(history, 'hyperconvergeds').at(-1)
  return hco === undefined ? {} : { hasMethod: hco.facts.workloadUpdateMethods?.length !== 0 }
}

type Migrations = WorkloadUpdate['migrations']

/** The migrations created in the window. Metrics have only the number of pending and running ones, without the cause. */
function migrationsOf(history: ClusterHistory, window: WorkloadWindow): Migrations {
  const histories = history.of('virtualmachineinstancemigrations')
  return histories.length > 0 ? countMigrations(histories, window) : measuredMigrations(history, window)
}

const migrationsByTime = remembered(
  (histories: readonly ObjectHistory<MigrationFacts>[]) =>
    new ByTime(histories, ({ states }) => states.at(-1)!.facts.createdMs ?? states[0]!.atMs),
)

function countMigrations(
  histories: readonly ObjectHistory<MigrationFacts>[],
  { fromMs, untilMs = Infinity }: WorkloadWindow,
): Migrations {
  const counts: Record<keyof Migrations, number> = {
    ...{ workloadUpdate: 0, evacuation: 0, other: 0 },
    ...{ succeeded: 0, failed: 0, pending: 0, running: 0, pendingTimeouts: 0 },
  }
  for (const place of migrationsByTime(histories).placesWithin(fromMs, untilMs)) {
    const { states, gone } = histories[place]!
    const { facts, atMs } = states.at(-1)!
    counts[CAUSES[facts.cause]]++
    if (facts.phase === 'Succeeded') counts.succeeded++
    else if (facts.phase === 'Failed') {
      counts.failed++
      if (isPendingTimeout(facts, atMs)) counts.pendingTimeouts++
    } else if (gone === undefined) counts[isWaiting(facts.phase) ? 'pending' : 'running']++
  }
  return counts
}

/** A migration waits in Pending for a slot, and in Scheduling for a node; older clusters do not send the second gauge. */
const WAITING_SIGNALS = ['migrations_pending', 'migrations_scheduling'] as const

function measuredMigrations(history: ClusterHistory, { fromMs, untilMs = Infinity }: WorkloadWindow): Migrations {
  const last = (signal: (typeof WAITING_SIGNALS)[number] | 'migrations_running'): number | undefined =>
    history.runs(signal).findLast(({ firstMs, lastMs }) => lastMs >= fromMs && firstMs < untilMs)?.value
  const waiting = WAITING_SIGNALS.flatMap((signal) => last(signal) ?? [])
  const pending = waiting.length === 0 ? undefined : waiting.reduce((sum, value) => sum + value, 0)
  const running = last('migrations_running')
  if (pending === undefined || running === undefined) {
    return { ...(pending === undefined ? {} : { pending }), ...(running === undefined ? {} : { running }) }
  }
  const sinceMs = lastUpdateMs(history, { fromMs, untilMs })
  return { pending, running, pendingTimeouts: measuredTimeouts(history, sinceMs, untilMs) }
}

/** When the number of outdated VMs last changed. */
function lastUpdateMs(history: ClusterHistory, { fromMs, untilMs = Infinity }: WorkloadWindow): number {
  const last = history.runs('outdated_vmis').findLast(({ firstMs }) => firstMs < untilMs)
  return Math.max(fromMs, last?.firstMs ?? 0)
}

function measuredActivity(
  history: ClusterHistory,
  window: WorkloadWindow,
): Pick<WorkloadUpdate, 'isAnySeen' | 'hasRunEnded'> {
  const { untilMs = Infinity } = window
  const runs = [...WAITING_SIGNALS, 'migrations_running' as const].flatMap((signal) => history.runs(signal))
  if (runs.length === 0 || history.of('virtualmachineinstancemigrations').length > 0) return {}
  const sinceMs = lastUpdateMs(history, window)
  const isAnySeen = runs.some(({ value, firstMs, lastMs }) => value > 0 && lastMs >= sinceMs && firstMs < untilMs)
  const hasRunEnded = history.runs('migrations_running').some(({ value, afterMs = Infinity }, i, all) => {
    const next = all[i + 1]
    return value > 0 && afterMs > sinceMs && next !== undefined && next.firstMs < untilMs && next.value < value
  })
  return { isAnySeen, hasRunEnded }
}

/**
 * Since the last updated VM: periods in which migrations were waiting, none was running, and that ended after a limit of
 * KubeVirt. The gauges have only the total, so several timeouts at once may count as one.
 */
function measuredTimeouts(history: ClusterHistory, sinceMs: number, untilMs: number): number {
  const ran = history.runs('migrations_running').filter(({ value }) => value > 0)
  return WAITING_SIGNALS.flatMap((signal) => history.runs(signal)).filter(({ value, firstMs, afterMs }) => {
    if (value === 0 || afterMs === undefined || firstMs < sinceMs || firstMs >= untilMs) return false
    const waitedMs = afterMs - firstMs
    const hasEnded = PENDING_LIMITS_MS.some((limitMs) => Math.abs(waitedMs - limitMs) <= LIMIT_SLACK_MS)
    return hasEnded && !ran.some((run) => run.firstMs <= afterMs && run.lastMs >= firstMs)
  }).length
}

const CAUSES = { workload_update: 'workloadUpdate', evacuation: 'evacuation', other: 'other' } as const

/** Phases before the target's pod runs. */
const WAITING: readonly string[] = ['', 'Pending', 'Scheduling']

function isWaiting(phase: string): boolean {
  return WAITING.includes(phase)
}

/** KubeVirt's limits for the target pod: 5 minutes if it cannot be scheduled, else 15 minutes; checked periodically. */
const PENDING_LIMITS_MS = [5 * 60_000, 15 * 60_000]
const LIMIT_SLACK_MS = 60_000

/** Ended by a limit: it was only pending, for as long as a limit allows. */
export function isPendingTimeout({ phaseTimesMs, createdMs, endMs }: MigrationFacts, atMs: number): boolean {
  const reached = Object.keys(phaseTimesMs).filter((phase) => phase !== 'Failed')
  if (reached.some((phase) => !isWaiting(phase))) return false
  const failedMs = phaseTimesMs['Failed'] ?? endMs ?? atMs
  const waitingMs = phaseTimesMs['Scheduling'] ?? phaseTimesMs['Pending'] ?? createdMs
  if (waitingMs === undefined) return false
  const waitedMs = failedMs - waitingMs
  // KubeVirt counts from the creation of the pod, which is before the phase Scheduling.
  return PENDING_LIMITS_MS.some((limitMs) => Math.abs(waitedMs - limitMs) <= LIMIT_SLACK_MS)
}
