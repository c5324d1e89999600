/**
 * Whether an open upgrade is stuck: nothing got further for longer than the phase it stands in usually takes. Pure; all
 * the time it knows is `nowMs`.
 *
 * A cluster that is silent is not stuck: nobody knows what it does. What was seen of a stall until then stays true, so a
 * verdict never turns back with time alone.
 */
import type { PhaseBaseline, StuckVerdict } from '../../model/stuck.ts'
import type { PhaseName, PhaseState, Upgrade, UpgradePhase, UpgradeRecord } from '../../model/upgrade.ts'
import { comparePhases } from '../edges/edges.ts'
import type { BaselineIndex } from './stuck-baseline.ts'
import { SEED_SECONDS } from './stuck-baseline.ts'
import { canStop, causesOf } from './stuck-causes.ts'
import { isPartOf } from './stuck-silence.ts'

/** When a cluster was last seen, by source. */
export interface LastSeen {
  readonly metricsMs?: number
  readonly objectsMs?: number
}

/** A scrape that is late by itself is no silence. */
const METRICS_QUIET_MS = 2 * 60_000
/**
 * A watch tells only what changes; between two listings silence says that nothing did. Listings are half an hour apart
 * by the edge kit, and a sign of life is kept to ten minutes.
 */
const OBJECTS_QUIET_MS = 45 * 60_000

/** Whether there is anything to judge: it runs, or its machines still follow. */
export function isOpen({ upgrade }: UpgradeRecord): boolean {
  return upgrade.state === 'in_progress' || openPhases(upgrade).length > 0
}

/** @param lastSeen absent: what the record itself was read from */
export function verdictOf(
  record: UpgradeRecord,
  baselines: BaselineIndex,
  nowMs: number,
  lastSeen?: LastSeen,
): StuckVerdict {
  return verdictAt(record, standsIn(record, baselines), nowMs, lastSeen)
}

/** The same, of an upgrade of which it is known where it stands; `undefined`: nothing says since when. */
export function verdictAt(
  record: UpgradeRecord,
  stands: Standing | undefined,
  nowMs: number,
  lastSeen?: LastSeen,
): StuckVerdict {
  const seenUntil = seenUntilMs(record, lastSeen)
  const silence = nowMs > seenUntil ? { silentSinceMs: lastSeenMsOf(record, lastSeen) } : {}
  const calm = { upgradeId: record.upgrade.id, isStuck: false, causes: [], ...silence } as const
  if (stands === undefined) return calm
  const { phase, phaseSinceMs, baseline, stalledSinceMs, deadlineMs } = stands
  const where = {
    ...(phase === undefined ? {} : { phase }),
    ...(phaseSinceMs === undefined ? {} : { phaseSinceMs }),
    ...(baseline === undefined ? {} : { baseline }),
  }
  if (Math.min(nowMs, seenUntil) <= deadlineMs) return { ...calm, ...where }
  return {
    ...calm,
    ...where,
    isStuck: true,
    stalledSinceMs,
    causes: causesOf(record, phase, stalledSinceMs),
  }
}

/** Where an upgrade stands, whatever the time. */
export interface Standing {
  readonly phase: PhaseName | undefined
  readonly phaseSinceMs: number | undefined
  readonly baseline: PhaseBaseline | undefined
  readonly stalledSinceMs: number
  /** Beyond it, it is stuck. */
  readonly deadlineMs: number
}

/** The phase that is most overdue; it is stuck only when all that are open are. `undefined`: nothing says since when. */
export function standsIn(record: UpgradeRecord, baselines: BaselineIndex): Standing | undefined {
  const { upgrade } = record
  const lastMs = lastProgressMs(record)
  const open = openPhases(upgrade).map(({ name, startedMs, state, resolutionSeconds }) => {
    const learned = baselines.baselineOf(upgrade, name)
    const baseline = { ...learned, thresholdSeconds: thresholdSeconds(record, name, state, learned) }
    const sinceMs = Math.max(
      startedMs ?? -Infinity,
      (name === 'workloads' ? record.detail.lastProgressMs : lastMs) ?? -Infinity,
    )
    // A phase that nothing told the beginning of is no more exact than its upgrade.
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
  return nowhere(record, lastMs)
}

/** It runs, and nothing tells where: a cluster that sends few metrics, or an upgrade that OLM cannot even plan. */
function nowhere({ upgrade }: UpgradeRecord, lastMs: number | undefined): Standing | undefined {
  const isTold = isCauseTold(upgrade, undefined)
  // OLM is through and nothing of HCO shows: it may well be over, and metrics would not say it (facts 5.4).
  const isDark = upgrade.phases.some(({ name, endedMs }) => name === 'olm' && endedMs !== undefined)
  // Before anything of it has begun only a cause that shows tells it from one that nobody has let begin.
  const sinceMs = upgrade.startedMs === undefined && !isTold ? undefined : (lastMs ?? upgrade.startedMs)
  if (upgrade.state !== 'in_progress' || sinceMs === undefined || (isDark && !isTold)) return undefined
  const seconds = (isTold ? TOLD_SECONDS : SEED_SECONDS) + slackSeconds(upgrade.resolutionSeconds)
  const where = { phase: undefined, phaseSinceMs: undefined, baseline: undefined }
  return { ...where, stalledSinceMs: sinceMs, deadlineMs: sinceMs + seconds * 1000 }
}

/** Times that come from scrapes may be one scrape off at both ends. */
function slackSeconds(resolutionSeconds: number): number {
  return resolutionSeconds > 1 ? 2 * resolutionSeconds : 0
}

/** Where a cause shows that can stop the phase, it need not be waited for as long as for one that may come yet. */
const TOLD_SECONDS = 5 * 60
const TOLD_DRAIN_SECONDS = 10 * 60
/** OLM gives an installation five minutes before it calls it failed; until then it waits for pods, as it should. */
const INSTALL_SECONDS_MIN = 6 * 60
/** An installation that has failed is tried again for ever, and each round looks like the one before. */
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
  if (isCauseTold(upgrade, phase)) {
    return Math.min(learned.thresholdSeconds, phase.startsWith('platform') ? TOLD_DRAIN_SECONDS : TOLD_SECONDS)
  }
  if (phase === 'platform' && !upgrade.phases.some(({ name }) => name.startsWith('platform.')))
    return UNTOLD_POOLS_SECONDS
  // Beyond what OLM gives an installation it has failed at least once, whether or not that was seen.
  if (phase === 'olm.installing' && detail.csvSteps.at(-1)?.reason === 'InstallWaiting') return INSTALL_SECONDS_MIN
  return phase === 'olm' || phase === 'olm.installing'
    ? Math.max(learned.thresholdSeconds, INSTALL_SECONDS_MIN)
    : learned.thresholdSeconds
}

/** Without a word of the pools it is only known that the platform updates: a day for a hundred nodes. */
const UNTOLD_POOLS_SECONDS = 24 * 3600

function isCauseTold({ blockedBy }: Upgrade, phase: PhaseName | undefined): boolean {
  return blockedBy !== undefined && canStop(blockedBy.cause, phase)
}

/**
 * When the control plane last got further. Machines move only when virt-handler is through: from then on each of them is
 * progress as well, which says nothing of what HCO still waits for.
 */
function lastProgressMs({ upgrade, detail }: UpgradeRecord): number | undefined {
  const haveMachinesBegun = upgrade.phases.some(
    ({ name, startedMs }) => name === 'workloads' && startedMs !== undefined,
  )
  if (!haveMachinesBegun && detail.lastProgressMs !== undefined) return detail.lastProgressMs
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
 * The innermost phases that go on, in order. While the control plane runs, machines and nodes are no matter: they follow.
 * A failed phase of an upgrade that still runs is tried again. Pools that go on after the platform's own word may be
 * paused on purpose, so of these only a node that cannot be drained counts.
 */
function openPhases(upgrade: Upgrade): readonly UpgradePhase[] {
  const { state, phases } = upgrade
  if (state !== 'in_progress' && state !== 'succeeded') return []
  const isDone = state === 'succeeded'
  const open = phases.filter((phase) => phase.state === 'in_progress' || (phase.state === 'failed' && !isDone))
  const inner = open.filter(({ name }) => !open.some((other) => isPartOf(other.name, name)))
  const central = inner.filter(({ name }) => name !== 'workloads' && !name.startsWith('platform'))
  const following = inner.filter(
    ({ name }) => name === 'workloads' || (name.startsWith('platform.') && isCauseTold(upgrade, name)),
  )
  const counted = isDone ? following : central.length > 0 ? central : inner
  return [...counted].sort((a, b) => comparePhases(a.name, b.name))
}

function lastSeenMsOf({ detail }: UpgradeRecord, lastSeen: LastSeen | undefined): number {
  return Math.max(detail.observedUntilMs, lastSeen?.metricsMs ?? -Infinity, lastSeen?.objectsMs ?? -Infinity)
}

/** Until when what is known of the cluster is believed. */
function seenUntilMs(record: UpgradeRecord, lastSeen: LastSeen | undefined): number {
  const lastMs = lastSeenMsOf(record, lastSeen)
  const metricsMs = lastSeen?.metricsMs
  const objectsMs = lastSeen?.objectsMs ?? (metricsMs === undefined ? lastMs : undefined)
  if (metricsMs === undefined) return lastMs + OBJECTS_QUIET_MS
  if (objectsMs === undefined) return lastMs + METRICS_QUIET_MS
  // Both ways, and the scrapes stopped while objects went on: they alone tell now.
  const haveMetricsStopped = objectsMs - metricsMs > OBJECTS_QUIET_MS
  return haveMetricsStopped ? objectsMs + OBJECTS_QUIET_MS : lastMs + METRICS_QUIET_MS
}
