/** Outcomes as the contract has them. */
import type { AlertEnd, OutcomeSummaryItem, Times, WorkAnswer } from '../../contract/runbook-work.ts'
import type { EndVerdict } from '../../fleet/outcomes/end-cause.ts'
import type { OutcomeSummary, TimeSummary } from '../../fleet/outcomes/outcome-summary.ts'
import { severityOf } from '../../model/alert.ts'
import type { StoredAlertRun } from '../../model/alert-run.ts'
import { clusterOf } from '../../model/cluster-identity.ts'

export function runItem({
  fingerprint,
  activeAtMs,
  firedAtMs,
  resolvedAtMs,
  labels,
}: StoredAlertRun): WorkAnswer['run'] {
  return {
    ...{ fingerprint, activeAtMs, firedAtMs, resolvedAtMs: resolvedAtMs ?? null },
    ...{ alertname: labels.get('alertname'), cluster: clusterOf(labels), severity: severityOf(labels) },
  }
}

export function endItem(end: EndVerdict | undefined): AlertEnd | null {
  if (end === undefined) return null
  const { cause, isStated, evidence, step, upgradeId } = end
  return { cause, isStated, evidence, step: step ?? null, upgradeId: upgradeId ?? null }
}

export function summaryItem({ acknowledge, resolve, ...counts }: OutcomeSummary): OutcomeSummaryItem {
  return { ...counts, acknowledge: timesItem(acknowledge), resolve: timesItem(resolve) }
}

function timesItem({ complete, of, p50Seconds, p90Seconds, p50Low, p50High }: TimeSummary): Times {
  return {
    ...{ complete, of, p50Seconds: p50Seconds ?? null, p90Seconds: p90Seconds ?? null },
    ...{ p50Low: p50Low ?? null, p50High: p50High ?? null },
  }
}
