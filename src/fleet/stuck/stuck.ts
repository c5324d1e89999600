/**
 * Whether an open upgrade is stuck: no progress for longer than is typical for its current phase. Pure; `nowMs` is the only
 * source of time.
 *
 * An upgrade on a silent cluster is unknown, not stuck. A stall that was observed before the silence stays one, so a verdict
 * never turns back with time alone.
 */
import type { PhaseBaseline, StuckVerdict } from '../../model/stuck.ts'
import type { PhaseName, PhaseState, Upgrade, UpgradePhase, UpgradeRecord } from '../../model/upgrade.ts'
import { comparePhases } from '../edges/edges.ts'
import { SEED_SECONDS, type BaselineIndex } from './stuck-baseline.ts'
import { canStop, causesOf, isPlanApproved } from './stuck-causes.ts'
import { isPartOf } from './stuck-silence.ts'

/** When a cluster was last seen, by source. */
export interface LastSeen {
  readonly metricsMs?: number
  readonly objectsMs?: number
}

/** A late scrape does not make a cluster silent. */
const METRICS_QUIET_MS = 2 * 60_000
/**
 * A watch reports only changes; between two listings silence means that nothing changed. The edge kit lists every 30 min,
 * and heartbeats are stored with a resolution of 10 min.
 */
const OBJECTS_QUIET_MS = 45 * 60_000

/** The upgrade is in progress, or has phases in progress after its success (workload update, node pools). */
export function isOpen({ upgrade }: UpgradeRecord): boolean {
  return upgrade.state === 'in_progress' || openPhases(upgrade).length > 0
}

export type StuckJudge = (record: UpgradeRecord, nowMs: number, lastSeen?: LastSeen) => StuckVerdict

/**
 * Judges upgrades repeatedly: the current phase of an upgrade is computed again only when a baseline or its record changed.
 * The time and the last report of the cluster are checked each time; absent: the observations of the record. Records are
 * never changed in place.
 */
export function createStuckJudge(baselines: BaselineIndex): StuckJudge {
  const cached = new WeakMap<UpgradeRecord, { readonly revision: number; readonly current: CurrentPhase | undefined }>()
  return (record, nowMs, lastSeen) => {
    const revision = baselines.revision()
    let known = cached.get(record)
    if (known?.revision !== revision) {
      known = { revision, current: currentPhaseOf(record, baselines) }
      cached.set(record, known)
    }
    return verdictAt(record, known.current, nowMs, lastSeen)
  }
}

/** @param current `undefined`: the upgrade has no known current phase */
function verdictAt(
  record: UpgradeRecord,
  current: CurrentPhase | undefined,
  nowMs: number,
  lastSeen?: LastSeen,
): StuckVerdict {
  const seenUntil = seenUntilMs(record, lastSeen)
  const silence = nowMs > seenUntil ? { silentSinceMs: lastSeenMsOf(record, lastSeen) } : {}
  const calm = { upgradeId: record.upgrade.id, isStuck: false, causes: [], ...silence } as const
  if (current === undefined) return calm
  const { phase, phaseSinceMs, baseline, stalledSinceMs, deadlineMs } = current
  const where = {
    ...(phase === undefined ? {} : { phase }),
    ...(phaseSinceMs === undefined ? {} : { phaseSinceMs }),
    ...(baseline === undefined ? {} : { baseline }),
  }
  const { waitsFor } = record.detail
  const isHeldBack = waitsFor !== undefined && waitsFor.untilMs === undefined
  // The verdict on the running upgrade covers the wait for its end.
  if (isHeldBack || Math.min(nowMs, seenUntil) <= deadlineMs) return { ...calm, ...where }
  return {
    ...calm,
    ...where,
    isStuck: true,
    stalledSinceMs,
    causes: causesOf(record, phase, stalledSinceMs),
  }
}

/** The phase that an upgrade is in, independent of the time of the query. */
interface CurrentPhase {
  readonly phase: PhaseName | undefined
  readonly phaseSinceMs: number | undefined
  readonly baseline: PhaseBaseline | undefined
  readonly stalledSinceMs: number
  /** Without progress until then the upgrade is stuck. */
  readonly deadlineMs: number
}

/** The most overdue open phase; the deadline is that of the last one. `undefined`: it is unknown since when. */
function currentPhaseOf(record: UpgradeRecord, baselines: BaselineIndex): CurrentPhase | undefined {
  const { upgrade } = record
  const lastMs = lastProgressMs(record)
  const open = openPhases(upgrade).map(({ name, startedMs, state, resolutionSeconds }) => {
    const learned = baselines.baselineOf(upgrade, name)
    const baseline = { ...learned, thresholdSeconds: thresholdSeconds(record, name, state, learned) }
    const sinceMs = Math.max(
      startedMs ?? -Infinity,
      (name === 'workloads' ? record.detail.lastProgressMs : lastMs) ?? -Infinity,
    )
    // A phase with an unobserved start has the resolution of its upgrade.
    const slack = slackSeconds(startedMs === undefined ? upgrade.resolutionSeconds : resolutionSeconds)
    const deadlineMs = sinceMs + (baseline.thresholdSeconds + slack) * 1000
    return { phase: name, phaseSinceMs: startedMs, baseline, stalledSinceMs: sinceMs, deadlineMs }
  })
  const known = open.filter(({ stalledSinceMs }) => Number.isFinite(stalledSinceMs))
  if (known.length > 0) {
    const deadlineMs = Math.max(...known.map((one) => one.deadlineMs))
    const most = known.reduce((a, b) => (overdueOf(b) > overdueOf(a) ? b : a))
    return { ...most, deadlineMs }
  }
  return withoutPhase(record, lastMs)
}

/** An upgrade in progress without a known phase: the cluster sends few metrics, or OLM cannot resolve the upgrade. */
function withoutPhase({ upgrade }: UpgradeRecord, lastMs: number | undefined): CurrentPhase | undefined {
  const hasCause = isCauseReported(upgrade, undefined)
  // OLM has finished and HCO reports nothing: the upgrade may have ended, which metrics would not show (facts 5.4).
  const isDark = upgrade.phases.some(({ name, endedMs }) => name === 'olm' && endedMs !== undefined)
  // Before the CSV, OLM works only on an approved plan; otherwise a reported cause is needed.
  const isWorking = upgrade.startedMs !== undefined || isPlanApproved(upgrade) || hasCause
  const sinceMs = isWorking ? (lastMs ?? upgrade.startedMs) : undefined
  if (upgrade.state !== 'in_progress' || sinceMs === undefined || (isDark && !hasCause)) return undefined
  const seconds = (hasCause ? CAUSE_SECONDS : SEED_SECONDS) + slackSeconds(upgrade.resolutionSeconds)
  const where = { phase: undefined, phaseSinceMs: undefined, baseline: undefined }
  return { ...where, stalledSinceMs: sinceMs, deadlineMs: sinceMs + seconds * 1000 }
}

/** Times from scrapes may be off by one scrape at both ends. */
function slackSeconds(resolutionSeconds: number): number {
  return resolutionSeconds > 1 ? 2 * resolutionSeconds : 0
}

/** The threshold when the cluster reports a cause that can block the phase. */
const CAUSE_SECONDS = 5 * 60
const DRAIN_CAUSE_SECONDS = 10 * 60
/** OLM waits five minutes for the pods of an installation before the CSV fails. */
const INSTALL_SECONDS_MIN = 6 * 60
/** OLM retries a failed installation forever, and each attempt looks like the previous one. */
const FAILED_SECONDS = 2 * 60

function thresholdSeconds(
  { upgrade, detail }: UpgradeRecord,
  phase: PhaseName,
  state: PhaseState,
  learned: PhaseBaseline,
): number {
  const isOlm = phase === 'olm' || phase.startsWith('olm.')
  if (isOlm && (state === 'failed' || detail.csvSteps.some((step) => step.phase === 'Failed'))) return FAILED_SECONDS
  if (phase === 'approval' || phase === 'workloads') return learned.thresholdSeconds
  if (isCauseReported(upgrade, phase)) {
    return Math.min(learned.thresholdSeconds, phase.startsWith('platform') ? DRAIN_CAUSE_SECONDS : CAUSE_SECONDS)
  }
  if (phase === 'platform' && !upgrade.phases.some(({ name }) => name.startsWith('platform.')))
    return UNREPORTED_POOLS_SECONDS
  // After OLM's timeout the installation has failed at least once, whether or not that was observed.
  if (phase === 'olm.installing' && detail.csvSteps.at(-1)?.reason === 'InstallWaiting') return INSTALL_SECONDS_MIN
  return phase === 'olm' || phase === 'olm.installing'
    ? Math.max(learned.thresholdSeconds, INSTALL_SECONDS_MIN)
    : learned.thresholdSeconds
}

/** No pool is reported, only that the platform updates: a day for a hundred nodes. */
const UNREPORTED_POOLS_SECONDS = 24 * 3600

export function isCauseReported({ blockedBy }: Upgrade, phase: PhaseName | undefined): boolean {
  return blockedBy !== undefined && canStop(blockedBy.cause, phase)
}

/**
 * When the control plane last progressed. VMs migrate only after the rollout of virt-handler: from then on each migration is
 * progress of the workload update, and not of what HCO waits for.
 */
function lastProgressMs({ upgrade, detail }: UpgradeRecord): number | undefined {
  const { waitsFor } = detail
  const haveVmsBegun = upgrade.phases.some(({ name, startedMs }) => name === 'workloads' && startedMs !== undefined)
  if (!haveVmsBegun && detail.lastProgressMs !== undefined) {
    return Math.max(detail.lastProgressMs, waitsFor?.untilMs ?? -Infinity)
  }
  const times = upgrade.phases
    .filter(({ name }) => name !== 'workloads')
    .flatMap(({ startedMs, endedMs }) => [startedMs, endedMs])
    .filter((ms) => ms !== undefined)
  return times.length === 0 ? undefined : Math.max(...times)
}

function overdueOf({ stalledSinceMs, baseline }: { stalledSinceMs: number; baseline: PhaseBaseline }): number {
  return -stalledSinceMs - baseline.thresholdSeconds * 1000
}

/**
 * The innermost phases in progress, in order. Workload and node phases count only after the control plane. A failed phase
 * of an upgrade in progress is retried. Pools that are not done when the platform reports the end may be paused on purpose,
 * so they count only with a reported cause.
 */
function openPhases(upgrade: Upgrade): readonly UpgradePhase[] {
  const { state, phases } = upgrade
  if (state !== 'in_progress' && state !== 'succeeded') return []
  const isDone = state === 'succeeded'
  const open = phases.filter((phase) => phase.state === 'in_progress' || (phase.state === 'failed' && !isDone))
  const inner = open.filter(({ name }) => !open.some((other) => isPartOf(other.name, name)))
  const central = inner.filter(({ name }) => name !== 'workloads' && !name.startsWith('platform'))
  const following = inner.filter(
    ({ name }) => name === 'workloads' || (name.startsWith('platform.') && isCauseReported(upgrade, name)),
  )
  const counted = isDone ? following : central.length > 0 ? central : inner
  return [...counted].sort((a, b) => comparePhases(a.name, b.name))
}

function lastSeenMsOf({ detail }: UpgradeRecord, lastSeen: LastSeen | undefined): number {
  return Math.max(detail.observedUntilMs, lastSeen?.metricsMs ?? -Infinity, lastSeen?.objectsMs ?? -Infinity)
}

/** Until when the last report of the cluster is considered current. */
function seenUntilMs(record: UpgradeRecord, lastSeen: LastSeen | undefined): number {
  const lastMs = lastSeenMsOf(record, lastSeen)
  const metricsMs = lastSeen?.metricsMs
  const objectsMs = lastSeen?.objectsMs ?? (metricsMs === undefined ? lastMs : undefined)
  if (metricsMs === undefined) return lastMs + OBJECTS_QUIET_MS
  if (objectsMs === undefined) return lastMs + METRICS_QUIET_MS
  // The scrapes stopped and objects continue: only objects count.
  const haveMetricsStopped = objectsMs - metricsMs > OBJECTS_QUIET_MS
  return haveMetricsStopped ? objectsMs + OBJECTS_QUIET_MS : lastMs + METRICS_QUIET_MS
}
