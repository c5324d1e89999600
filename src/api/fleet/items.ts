/** Facts in the contract's shape: times as RFC 3339, `null` for unknown values, always the same fields. */
import type { FleetCoverage as CoverageItem } from '../../contract/fleet-common.ts'
import type { DurationItem } from '../../contract/fleet-edges.ts'
import type { ModificationItem } from '../../contract/fleet-modifications.ts'
import type { BlockItem, EvidenceItem, StuckItem, WorkloadItem } from '../../contract/fleet-upgrades.ts'
import type { FleetCoverage } from '../../fleet/clusters/fleet-coverage.ts'
import type { Modification } from '../../model/cluster-record.ts'
import type { DurationEstimate, StuckVerdict } from '../../model/stuck.ts'
import type { Evidence, UpgradeBlock, WorkloadUpdate } from '../../model/upgrade.ts'

export function timeOf(ms: number): string
export function timeOf(ms: number | undefined): string | null
export function timeOf(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString()
}

export function coverageItem({ newestMs, oldestMs, ...counts }: FleetCoverage): CoverageItem {
  return { ...counts, newestAt: timeOf(newestMs), oldestAt: timeOf(oldestMs) }
}

export function evidenceItem({ source, atMs, text, ref, phase }: Evidence): EvidenceItem {
  return { source, at: timeOf(atMs), text, ref, phase: phase ?? null }
}

export function blockItem({ cause, text, sinceMs, evidence }: UpgradeBlock): BlockItem {
  return { cause, text, since: timeOf(sinceMs), evidence: evidence.map(evidenceItem) }
}

export function stuckItem(verdict: StuckVerdict): StuckItem {
  const { isStuck, phase, phaseSinceMs, stalledSinceMs, silentSinceMs, baseline, causes } = verdict
  return {
    stuck: isStuck,
    phase: phase ?? null,
    phaseSince: timeOf(phaseSinceMs),
    stalledSince: timeOf(stalledSinceMs),
    silentSince: timeOf(silentSinceMs),
    baseline: baseline === undefined ? null : baselineItem(baseline),
    causes: causes.map(blockItem),
  }
}

export function baselineItem({ phase, isPerWave, ...rest }: NonNullable<StuckVerdict['baseline']>) {
  const { p50Seconds, p95Seconds, runs, learnedFrom, thresholdSeconds } = rest
  return { phase, p50Seconds, p95Seconds, runs, learnedFrom, perWave: isPerWave, thresholdSeconds }
}

export function workloadItem(update: WorkloadUpdate): WorkloadItem {
  const { migrations } = update
  return {
    outdatedAtStart: update.outdatedAtStart ?? null,
    outdatedNow: update.outdatedNow ?? null,
    startedAt: timeOf(update.startedMs),
    endedAt: timeOf(update.endedMs),
    migrations: {
      workloadUpdate: migrations.workloadUpdate ?? null,
      evacuation: migrations.evacuation ?? null,
      other: migrations.other ?? null,
      succeeded: migrations.succeeded ?? null,
      failed: migrations.failed ?? null,
      pending: migrations.pending ?? null,
      running: migrations.running ?? null,
      pendingTimeouts: migrations.pendingTimeouts ?? null,
    },
    perMinute: update.perMinute ?? null,
    etaAt: timeOf(update.etaMs),
  }
}

export function modificationItem(modification: Modification): ModificationItem {
  const { id, cluster, kind, component, startedMs, endedMs, count, operations, annotation, text } = modification
  return {
    id,
    cluster,
    kind,
    component,
    startedAt: timeOf(startedMs),
    endedAt: timeOf(endedMs),
    count,
    operations: operations === undefined ? null : operations.map((operation) => ({ ...operation })),
    annotation: annotation ?? null,
    text,
    upgradeMode: modification.isUpgradeMode,
    resolutionSeconds: modification.resolutionSeconds,
  }
}

export function durationItem(estimate: DurationEstimate): DurationItem {
  const { runs, censored, p50Seconds, p90Seconds, p95Seconds, p50LowSeconds, p50HighSeconds } = estimate
  return {
    runs,
    censored,
    p50Seconds: p50Seconds ?? null,
    p90Seconds: p90Seconds ?? null,
    p95Seconds: p95Seconds ?? null,
    p50LowSeconds: p50LowSeconds ?? null,
    p50HighSeconds: p50HighSeconds ?? null,
  }
}
