/**
 * Whether an open upgrade is stuck: nothing got further for longer than the phase it stands in usually takes. Pure; all
 * the time it knows is `nowMs`.
 *
 * A cluster that is silent is not stuck: nobody knows what it does. What was seen of a stall until then stays true, so a
 * verdict never turns back with time alone.
 */
import type { PhaseBaseline, StuckVerdict } from '../model/stuck.ts'
import type { PhaseName, UpgradePhase, UpgradeRecord } from '../model/upgrade.ts'
import { comparePhases } from './edges.ts'
import type { BaselineBook } from './stuck-baseline.ts'
import { SEED_SECONDS, THRESHOLD_SECONDS_MIN } from './stuck-baseline.ts'
import { causesOf } from './stuck-causes.ts'
import { isPartOf } from './stuck-silence.ts'

/** When a cluster was last heard, by way. */
export interface Heard {
  readonly metricsMs?: number
  readonly objectsMs?: number
}

/** A scrape that is late by itself is no silence. */
const METRICS_QUIET_MS = 2 * 60_000
/** A watch tells only what changes; between two listings (half an hour by the edge kit) silence says that nothing did. */
const OBJECTS_QUIET_MS = 45 * 60_000

/** Whether there is anything to judge: it runs, or its machines still follow. */
export function isOpen({ upgrade }: UpgradeRecord): boolean {
  return upgrade.state === 'in_progress' || openPhases(upgrade.state, upgrade.phases).length > 0
}

/** @param heard absent: what the record itself was read from */
export function verdictOf(record: UpgradeRecord, baselines: BaselineBook, nowMs: number, heard?: Heard): StuckVerdict {
  const stands = standsIn(record, baselines)
  const isHeardUntilMs = heardUntilMs(record, heard)
  const silence = nowMs > isHeardUntilMs ? { silentSinceMs: lastHeardMs(record, heard) } : {}
  const calm = { upgradeId: record.upgrade.id, isStuck: false, causes: [], ...silence } as const
  if (stands === undefined) return calm
  const { phase, phaseSinceMs, baseline, stalledSinceMs, deadlineMs } = stands
  const where = {
    ...(phase === undefined ? {} : { phase }),
    ...(phaseSinceMs === undefined ? {} : { phaseSinceMs }),
    ...(baseline === undefined ? {} : { baseline }),
  }
  if (Math.min(nowMs, isHeardUntilMs) <= deadlineMs) return { ...calm, ...where }
  return {
    ...calm,
    ...where,
    isStuck: true,
    stalledSinceMs,
    causes: causesOf(record, phase, stalledSinceMs),
  }
}

interface Standing {
  readonly phase: PhaseName | undefined
  readonly phaseSinceMs: number | undefined
  readonly baseline: PhaseBaseline | undefined
  readonly stalledSinceMs: number
  /** Beyond it, it is stuck. */
  readonly deadlineMs: number
}

/** The phase that is most overdue; it is stuck only when all that are open are. `undefined`: nothing says since when. */
function standsIn(record: UpgradeRecord, baselines: BaselineBook): Standing | undefined {
  const { upgrade, detail } = record
  const lastMs = detail.lastProgressMs
  const open = openPhases(upgrade.state, upgrade.phases).map(({ name, startedMs, state, resolutionSeconds }) => {
    const learned = baselines.baselineOf(upgrade, name)
    // A phase that failed has said what others are only suspected of.
    const baseline = state === 'failed' ? { ...learned, thresholdSeconds: THRESHOLD_SECONDS_MIN } : learned
    // Times that come from scrapes may be one scrape off at both ends.
    const slackSeconds = resolutionSeconds > 1 ? 2 * resolutionSeconds : 0
    const sinceMs = Math.max(startedMs ?? -Infinity, lastMs ?? -Infinity)
    const deadlineMs = sinceMs + (baseline.thresholdSeconds + slackSeconds) * 1000
    return { phase: name, phaseSinceMs: startedMs, baseline, stalledSinceMs: sinceMs, deadlineMs }
  })
  const known = open.filter(({ stalledSinceMs }) => Number.isFinite(stalledSinceMs))
  if (known.length > 0) {
    const deadlineMs = Math.max(...known.map((one) => one.deadlineMs))
    const most = known.reduce((a, b) => (overdueOf(b) > overdueOf(a) ? b : a))
    return { ...most, deadlineMs }
  }
  // It runs, and nothing tells where: a cluster that sends few metrics.
  const sinceMs = lastMs ?? upgrade.startedMs
  if (upgrade.state !== 'in_progress' || sinceMs === undefined) return undefined
  const deadlineMs = sinceMs + (SEED_SECONDS + 2 * upgrade.resolutionSeconds) * 1000
  return { phase: undefined, phaseSinceMs: undefined, baseline: undefined, stalledSinceMs: sinceMs, deadlineMs }
}

function overdueOf({ stalledSinceMs, baseline }: { stalledSinceMs: number; baseline: PhaseBaseline }): number {
  return -stalledSinceMs - baseline.thresholdSeconds * 1000
}

/**
 * The innermost phases that go on, in order. While the control plane runs, machines and nodes are no matter: they follow.
 * A failed phase of an upgrade that still runs is tried again.
 */
function openPhases(state: string, phases: readonly UpgradePhase[]): readonly UpgradePhase[] {
  if (state !== 'in_progress' && state !== 'succeeded') return []
  const open = phases.filter(
    (phase) => phase.state === 'in_progress' || (phase.state === 'failed' && state !== 'succeeded'),
  )
  const inner = open.filter(({ name }) => !open.some((other) => isPartOf(other.name, name)))
  const central = inner.filter(({ name }) => name !== 'workloads' && !name.startsWith('platform'))
  const relevant = state === 'succeeded' ? inner.filter(({ name }) => name === 'workloads') : central
  const counted = relevant.length > 0 || state === 'succeeded' ? relevant : inner
  return [...counted].sort((a, b) => comparePhases(a.name, b.name))
}

function lastHeardMs({ detail }: UpgradeRecord, heard: Heard | undefined): number {
  return Math.max(detail.observedUntilMs, heard?.metricsMs ?? -Infinity, heard?.objectsMs ?? -Infinity)
}

/** Until when what is known of the cluster is believed. */
function heardUntilMs(record: UpgradeRecord, heard: Heard | undefined): number {
  const lastMs = lastHeardMs(record, heard)
  const metricsMs = heard?.metricsMs
  const objectsMs = heard?.objectsMs ?? (metricsMs === undefined ? lastMs : undefined)
  if (metricsMs === undefined) return lastMs + OBJECTS_QUIET_MS
  if (objectsMs === undefined) return lastMs + METRICS_QUIET_MS
  // Both ways, and the scrapes stopped while objects went on: they alone tell now.
  const haveMetricsStopped = objectsMs - metricsMs > OBJECTS_QUIET_MS
  return haveMetricsStopped ? objectsMs + OBJECTS_QUIET_MS : lastMs + METRICS_QUIET_MS
}
