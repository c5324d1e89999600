/** What the ingest worker does for people's commands and for what remains of alerts: each is durable when it answers. */
import type { AlertRunKey, AlertRunRecord } from '../model/alert-run.ts'
import type { AuditDeed } from '../model/audit.ts'
import type { Decommission } from '../model/decommission.ts'
import type { ExternalAlertRecord } from '../model/external-alert.ts'
import type { Acknowledgement, Silence } from '../model/silence.ts'
import type { Facts } from '../store/facts/facts.ts'

export type PeopleCalls = {
  silences(): Promise<readonly Silence[]>
  writeSilences(silences: readonly Silence[], deeds: readonly AuditDeed[]): Promise<void>
  pruneSilences(endedBeforeMs: number): Promise<void>
  acknowledgements(): Promise<readonly Acknowledgement[]>
  acknowledge(acknowledgement: Acknowledgement, deed: AuditDeed): Promise<void>
  unacknowledge(run: AlertRunKey, deed: AuditDeed): Promise<void>
  openAlertRuns(): Promise<readonly AlertRunRecord[]>
  recordAlertRuns(runs: readonly AlertRunRecord[]): Promise<void>
  /** Runs, acknowledgements and entries of the audit from before a time. */
  pruneHistory(beforeMs: number): Promise<void>
  externalAlerts(): Promise<readonly ExternalAlertRecord[]>
  putExternalAlerts(alerts: readonly ExternalAlertRecord[]): Promise<void>
  pruneExternalAlerts(endedBeforeMs: number): Promise<void>
  addAudit(deed: AuditDeed): Promise<void>
  decommissions(): Promise<readonly Decommission[]>
  writeDecommissions(changed: readonly Decommission[], deeds: readonly AuditDeed[]): Promise<void>
}

export function peopleCalls(facts: Facts): PeopleCalls {
  const { silences, acknowledgements, alertRuns, externalAlerts, audit, decommissions } = facts
  return {
    silences: () => silences.list(),
    writeSilences: (changed, deeds) => silences.write(changed, deeds),
    pruneSilences: (endedBeforeMs) => silences.prune(endedBeforeMs),
    acknowledgements: () => acknowledgements.listOpen(),
    acknowledge: (acknowledgement, deed) => acknowledgements.put(acknowledgement, deed),
    unacknowledge: (run, deed) => acknowledgements.remove(run, deed),
    openAlertRuns: () => alertRuns.listOpen(),
    recordAlertRuns: (runs) => alertRuns.record(runs),
    pruneHistory: async (beforeMs) => {
      await alertRuns.prune(beforeMs)
      await audit.prune(beforeMs)
    },
    externalAlerts: () => externalAlerts.list(),
    putExternalAlerts: (alerts) => externalAlerts.put(alerts),
    pruneExternalAlerts: (endedBeforeMs) => externalAlerts.prune(endedBeforeMs),
    addAudit: (deed) => audit.add(deed),
    decommissions: () => decommissions.list(),
    writeDecommissions: (changed, deeds) => decommissions.write(changed, deeds),
  }
}
