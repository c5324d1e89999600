/** The rows of the landing page: the fields of an open upgrade or of a silent cluster that a row shows. */
import type { SilenceCause } from '../../model/cluster-silence.ts'
import type { EdgeFacts, StuckVerdict } from '../../model/stuck.ts'
import type { PhaseName } from '../../model/upgrade.ts'
import { lastMsOf, type KnownCluster } from '../clusters/fleet-coverage.ts'
import type { OpenUpgrade } from '../clusters/cluster-states.ts'
import { edgeNameOf, type EdgeName } from '../edges/edges.ts'
import { shownVersion } from '../clusters/cluster-filter.ts'
import { SEED_SECONDS } from '../stuck/stuck-baseline.ts'

export type NowUpgrade = ReturnType<typeof nowUpgrade>
export type WaitingUpgrade = ReturnType<typeof waitingUpgrade>
export type SilentCluster = ReturnType<typeof silentCluster>

/** @param edgeOf the facts of an edge, for the expected end of the phase */
export function nowUpgrade(
  { record: { upgrade, detail }, verdict }: OpenUpgrade,
  edgeOf: (name: EdgeName) => EdgeFacts | undefined,
  nowMs: number,
) {
  const { isStuck, phase, phaseSinceMs, stalledSinceMs, silentSinceMs, baseline, causes } = verdict
  const [cause] = causes
  const { virtHandler, workloads } = detail
  const name = edgeNameOf(upgrade)
  const edge = name === undefined || phaseSinceMs === undefined ? undefined : edgeOf(name)
  const { id, cluster, operator, from, to, startedMs, resolutionSeconds } = upgrade
  return {
    ...{ id, cluster, operator, from, to, startedMs, resolutionSeconds },
    ...{ phase, phaseSinceMs, isStuck, stalledSinceMs, silentSinceMs, baseline },
    /** When the phase ends by the p50 of this edge; after that, by the p90. */
    phaseEndsMs: isStuck ? undefined : phaseEndsMs(edge, phase, phaseSinceMs, nowMs),
    /** Beyond its threshold. */
    beyondSeconds: isStuck && baseline !== undefined ? overdueSeconds(verdict, nowMs) : undefined,
    cause: cause && { cause: cause.cause, text: cause.text },
    nodes: virtHandler && { updated: virtHandler.updated, desired: virtHandler.desired },
    machines:
      workloads?.outdatedNow === undefined
        ? undefined
        : { outdated: workloads.outdatedNow, atStart: workloads.outdatedAtStart, etaMs: workloads.etaMs },
  }
}

/** With fewer finished runs there is no expected end. */
const EXPECTED_RUNS_MIN = 8

/** By the runs of the same edge. `undefined`: too few runs, or later than the p90. */
function phaseEndsMs(
  edge: EdgeFacts | undefined,
  phase: PhaseName | undefined,
  sinceMs: number | undefined,
  nowMs: number,
): number | undefined {
  const estimate = edge?.phases.find((one) => one.phase === phase)
  if (estimate === undefined || sinceMs === undefined) return undefined
  if (estimate.runs - estimate.censored < EXPECTED_RUNS_MIN) return undefined
  return [estimate.p50Seconds, estimate.p90Seconds]
    .flatMap((seconds) => (seconds === undefined ? [] : [sinceMs + Math.round(seconds * 1000)]))
    .find((endsMs) => endsMs >= nowMs)
}

/** How long the upgrade is beyond its threshold without progress, until the cluster went silent. */
export function overdueSeconds({ stalledSinceMs, silentSinceMs, baseline }: StuckVerdict, nowMs: number): number {
  const stoodMs = Math.min(nowMs, silentSinceMs ?? Infinity) - (stalledSinceMs ?? nowMs)
  return Math.max(0, stoodMs / 1000 - (baseline?.thresholdSeconds ?? SEED_SECONDS))
}

export function approvalMs({ record: { upgrade } }: OpenUpgrade): number | undefined {
  return upgrade.phases.find(({ name }) => name === 'approval')?.startedMs
}

export function waitingUpgrade(one: OpenUpgrade) {
  const { upgrade, detail } = one.record
  const { id, cluster, operator, from, to, channel } = upgrade
  const { namespace, installPlan } = detail
  const sinceMs = approvalMs(one)
  return { id, cluster, operator, from, to, sinceMs, channel, namespace, installPlan, isStuck: one.verdict.isStuck }
}

export function silentCluster(
  { cluster, record, lastSeen }: KnownCluster,
  open: readonly OpenUpgrade[],
  cause: SilenceCause | undefined,
) {
  const [first] = open.toSorted((a, b) => Number(b.verdict.isStuck) - Number(a.verdict.isStuck))
  return {
    cluster,
    cause,
    lastSeenMs: lastMsOf(lastSeen) ?? record?.lastSeenMs ?? 0,
    version: record && shownVersion(record),
    /** The open upgrade when the cluster went silent. */
    upgrade: first && openWhenSilent(first),
  }
}

function openWhenSilent({ record: { upgrade }, verdict }: OpenUpgrade) {
  const { id, from, to } = upgrade
  return { id, from, to, phase: verdict.phase, isStuck: verdict.isStuck }
}
