/** Who looks after which run of an alert. Durable before it counts, answered from memory, removed when the run ends. */
import { createSerialQueue } from '../base/serial-queue.ts'
import type { Alert } from '../model/alert.ts'
import { runKeyOf, type AlertRunKey } from '../model/alert-run.ts'
import type { AuditedAction } from '../model/audit.ts'
import type { Acknowledgement } from '../model/silence.ts'

/** Stores acknowledgements; each call is durable when it resolves. */
export interface AcknowledgementStore {
  /** Those whose run has not ended. */
  listOpen(): Promise<readonly Acknowledgement[]>
  put(acknowledgement: Acknowledgement, action: AuditedAction): Promise<void>
  remove(run: AlertRunKey, action: AuditedAction): Promise<void>
}

export interface Acknowledgements {
  of(run: AlertRunKey): Acknowledgement | undefined
  /** Replaces the one of the same run. */
  put(acknowledgement: Acknowledgement): Promise<void>
  /** False when there is none. */
  remove(run: AlertRunKey, by: string, nowMs: number): Promise<boolean>
  /** Forgets those whose run is over. To be called in each evaluation cycle, with all alerts. */
  forget(alerts: readonly Pick<Alert, 'fingerprint' | 'activeAtMs' | 'state'>[]): void
}

export async function createAcknowledgements(store: AcknowledgementStore): Promise<Acknowledgements> {
  const byRun = new Map((await store.listOpen()).map((known) => [runKeyOf(known), known]))
  const inOrder = createSerialQueue()
  return {
    of: (run) => byRun.get(runKeyOf(run)),
    put: (acknowledgement) =>
      inOrder(async () => {
        const { fingerprint: subject, atMs, by } = acknowledgement
        const detail = JSON.stringify(acknowledgement)
        await store.put(acknowledgement, { atMs, by, action: 'alert.acknowledge', subject, detail })
        byRun.set(runKeyOf(acknowledgement), acknowledgement)
      }),
    remove: (run, by, nowMs) =>
      inOrder(async () => {
        const known = byRun.get(runKeyOf(run))
        if (known === undefined) return false
        const action = { atMs: nowMs, by, action: 'alert.unacknowledge', subject: run.fingerprint } as const
        await store.remove(run, { ...action, detail: JSON.stringify(known) })
        byRun.delete(runKeyOf(run))
        return true
      }),
    forget: (alerts) => {
      if (byRun.size === 0) return
      const open = new Set(alerts.flatMap((alert) => (alert.state === 'resolved' ? [] : [runKeyOf(alert)])))
      for (const key of byRun.keys()) if (!open.has(key)) byRun.delete(key)
    },
  }
}
