/** Who looks after which run of an alert. Kept before it counts, answered from memory, forgotten when the run ends. */
import { createSerialQueue } from '../base/serial-queue.ts'
import type { Alert } from '../model/alert.ts'
import type { AlertRunKey } from '../model/alert-run.ts'
import type { AuditDeed } from '../model/audit.ts'
import type { Acknowledgement } from '../model/silence.ts'

/** Keeps acknowledgements; each call is durable when it resolves. */
export interface AcknowledgementStore {
  /** Those whose run has not ended. */
  listOpen(): Promise<readonly Acknowledgement[]>
  put(acknowledgement: Acknowledgement, deed: AuditDeed): Promise<void>
  remove(run: AlertRunKey, deed: AuditDeed): Promise<void>
}

export interface Acknowledgements {
  of(run: AlertRunKey): Acknowledgement | undefined
  /** Replaces the one of the same run. */
  put(acknowledgement: Acknowledgement): Promise<void>
  /** False when there is none. */
  remove(run: AlertRunKey, by: string, nowMs: number): Promise<boolean>
  /** Forgets those whose run is over. To be called at each beat, with all alerts. */
  forget(alerts: readonly Pick<Alert, 'fingerprint' | 'activeAtMs' | 'state'>[]): void
}

export async function createAcknowledgements(store: AcknowledgementStore): Promise<Acknowledgements> {
  const kept = new Map((await store.listOpen()).map((known) => [keyOf(known), known]))
  const inOrder = createSerialQueue()
  return {
    of: (run) => kept.get(keyOf(run)),
    put: (acknowledgement) =>
      inOrder(async () => {
        const { fingerprint: subject, atMs, by } = acknowledgement
        const detail = JSON.stringify(acknowledgement)
        await store.put(acknowledgement, { atMs, by, action: 'alert.acknowledge', subject, detail })
        kept.set(keyOf(acknowledgement), acknowledgement)
      }),
    remove: (run, by, nowMs) =>
      inOrder(async () => {
        const known = kept.get(keyOf(run))
        if (known === undefined) return false
        const deed = { atMs: nowMs, by, action: 'alert.unacknowledge', subject: run.fingerprint } as const
        await store.remove(run, { ...deed, detail: JSON.stringify(known) })
        kept.delete(keyOf(run))
        return true
      }),
    forget: (alerts) => {
      if (kept.size === 0) return
      const open = new Set(alerts.flatMap((alert) => (alert.state === 'resolved' ? [] : [keyOf(alert)])))
      for (const key of kept.keys()) if (!open.has(key)) kept.delete(key)
    },
  }
}

function keyOf({ fingerprint, activeAtMs }: AlertRunKey): string {
  return `${fingerprint} ${activeAtMs}`
}
