/** What is so of operands, volumes and OLM: the part of the truth that is not HCO's own. */
import { csvName } from './cluster-profile.ts'
import type { ClusterPlan } from './cluster-plan.ts'
import { FILLING_VOLUME } from './scenarios/operand-faults.ts'
import { HOUR_MS, MINUTE_MS } from './scenarios/window.ts'
import { imagesNamespace, OUTDATED_CRON } from './series/cdi.ts'
import type { Condition } from './truth-alert.ts'

/** Full after three days; the pace of the last hours says so until then. */
const VOLUME_TOLD_MS = 72 * HOUR_MS

export function operandConditions(plan: ClusterPlan, timeMs: number): readonly Condition[] {
  return [...faultConditions(plan, timeMs), ...stuckVersions(plan, timeMs)]
}

function faultConditions(plan: ClusterPlan, timeMs: number): readonly Condition[] {
  const fault = plan.operandFault
  if (fault === undefined || timeMs < fault.sinceMs) return []
  const sinceMs = Math.max(plan.startMs, fault.sinceMs)
  const warning = { severity: 'warning', healthImpact: 'none', sinceMs } as const
  switch (fault.kind) {
    case 'image_outdated': {
      const labels = { namespace: imagesNamespace(plan), cron_name: OUTDATED_CRON }
      return [{ ...warning, alertname: 'CDIDataImportCronOutdated', labels, forMs: 15 * MINUTE_MS }]
    }
    case 'ssp_failing': {
      const critical = { severity: 'critical', healthImpact: 'critical', sinceMs } as const
      return [{ ...critical, alertname: 'SSPFailingToReconcile', labels: {}, forMs: 5 * MINUTE_MS }]
    }
    case 'mac_collision':
      return [{ ...warning, alertname: 'KubemacpoolMACCollisionDetected', labels: {}, forMs: MINUTE_MS / 2 }]
    case 'volume_filling':
      if (timeMs >= fault.sinceMs + VOLUME_TOLD_MS) return []
      return [{ ...warning, alertname: 'PersistentVolumeFillingUp', labels: FILLING_VOLUME, forMs: 5 * MINUTE_MS }]
  }
}

/** An upgrade that stands still in OLM: the new version waits as Pending, the old one is being replaced all that time. */
function stuckVersions(plan: ClusterPlan, timeMs: number): readonly Condition[] {
  return plan.upgrades.flatMap((upgrade) => {
    const phases = [
      { name: csvName(plan.profile, upgrade.to), phase: 'Pending', untilMs: upgrade.installReadyMs },
      { name: csvName(plan.profile, upgrade.from), phase: 'Replacing', untilMs: upgrade.oldCsvGoneMs },
    ]
    return phases
      .filter(({ untilMs }) => timeMs >= upgrade.startMs && timeMs < untilMs)
      .map(({ name, phase }): Condition => ({
        alertname: 'CsvAbnormalOver30Min',
        severity: 'warning',
        healthImpact: 'none',
        labels: { name, phase },
        sinceMs: Math.max(plan.startMs, upgrade.startMs),
        forMs: 30 * MINUTE_MS,
      }))
  })
}
