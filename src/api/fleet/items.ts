/** Facts in the contract's shape: times as RFC 3339, `null` for unknown values, always the same fields. */
import type { FleetCoverage as CoverageItem } from '../../contract/common.ts'
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

/** Some fields of `facts`, `null` where the value is unknown. */
export function knownOrNull<T extends object, K extends keyof T>(facts: T, ...names: readonly K[]) {
  const entries = names.map((name) => [name, facts[name] ?? null])
  return Object.fromEntries(entries) as {
    readonly [N in K]-?: NonNullable<T[N]> | (undefined extends T[N] ? null : never)
  }
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
  return {
    ...knownOrNull(update, 'outdatedAtStart', 'outdatedNow', 'perMinute'),
    startedAt: timeOf(update.startedMs),
    endedAt: timeOf(update.endedMs),
    migrations: {
      ...knownOrNull(update.migrations, 'workloadUpdate', 'evacuation', 'other', 'succeeded', 'failed'),
      ...knownOrNull(update.migrations, 'pending', 'running', 'pendingTimeouts'),
    },
    etaAt: timeOf(update.etaMs),
  }
}

export function modificationItem(modification: Modification): ModificationItem {
  const { id, cluster, kind, component, startedMs, endedMs, count, text, isUpgradeMode } = modification
  return {
    ...{ id, cluster, kind, component, count, text },
    startedAt: timeOf(startedMs),
    endedAt: timeOf(endedMs),
    ...knownOrNull(modification, 'operations', 'annotation'),
    upgradeMode: isUpgradeMode,
    resolutionSeconds: modification.resolutionSeconds,
  }
}

export function durationItem(estimate: DurationEstimate): DurationItem {
  const { runs, censored } = estimate
  const known = knownOrNull(estimate, 'p50Seconds', 'p90Seconds', 'p95Seconds', 'p50LowSeconds', 'p50HighSeconds')
  return { runs, censored, ...known }
}
