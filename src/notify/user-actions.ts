/**
 * Actions of users on alerts: silences and acknowledgements, and the audit of every action. Reads are from memory; a write
 * is durable before it takes effect. An acknowledgement is removed when the occurrence of its alert ends.
 */
import { randomUUID } from 'node:crypto'
import { createSerialQueue } from '../base/serial-queue.ts'
import type { Alert } from '../model/alert.ts'
import { runKeyOf, type AlertRunKey } from '../model/alert-run.ts'
import type { AuditedAction, AuditEntry } from '../model/audit.ts'
import type { Acknowledgement } from '../model/silence.ts'
import { createSilences, type SilenceStore, type Silences } from './silences.ts'

export interface UserActions {
  readonly silences: Silences
  readonly acknowledgements: Acknowledgements
  /** Newest first; only entries with a smaller id than `before`. */
  audit(limit: number, before?: number): Promise<readonly AuditEntry[]>
  /** Adds to the audit an action that changes no stored object, such as a reload. */
  record(action: AuditedAction): Promise<void>
}

/** Each write is durable when it resolves. */
export interface UserActionStore {
  readonly silences: SilenceStore
  readonly acknowledgements: AcknowledgementStore
  readonly audit: { add(action: AuditedAction): Promise<void>; prune(beforeMs: number): Promise<void> }
}

export interface AuditReader {
  list(limit: number, before?: number): Promise<readonly AuditEntry[]>
}

/** Loads the stored state. Rejects when the store does. */
export async function createUserActions(store: UserActionStore, audit: AuditReader): Promise<UserActions> {
  const [silences, acknowledgements] = await Promise.all([
    createSilences(store.silences, randomUUID),
    createAcknowledgements(store.acknowledgements),
  ])
  return {
    silences,
    acknowledgements,
    audit: (limit, before) => audit.list(limit, before),
    record: (action) => store.audit.add(action),
  }
}

/** Stores acknowledgements; each call is durable when it resolves. */
interface AcknowledgementStore {
  /** Those whose occurrence has not ended. */
  listOpen(): Promise<readonly Acknowledgement[]>
  put(acknowledgement: Acknowledgement, action: AuditedAction): Promise<void>
  /** False when there is none. What it removes is the detail of the entry of the audit. */
  remove(run: AlertRunKey, action: Omit<AuditedAction, 'detail'>): Promise<boolean>
}

export interface Acknowledgements {
  of(run: AlertRunKey): Acknowledgement | undefined
  /** Replaces the acknowledgement of the same occurrence. */
  put(acknowledgement: Acknowledgement): Promise<void>
  /** False when there is none. */
  remove(run: AlertRunKey, by: string, nowMs: number): Promise<boolean>
  /** Removes those whose occurrence has ended. Call in each evaluation cycle, with all alerts. */
  forget(alerts: readonly Pick<Alert, 'fingerprint' | 'activeAtMs' | 'state'>[]): void
  /** Takes what other processes have stored. */
  reread(): Promise<void>
}

async function createAcknowledgements(store: AcknowledgementStore): Promise<Acknowledgements> {
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
        // Another process may have stored it within the last second.
        const action = { atMs: nowMs, by, action: 'alert.unacknowledge', subject: run.fingerprint } as const
        const isRemoved = await store.remove(run, action)
        byRun.delete(runKeyOf(run))
        return isRemoved
      }),
    reread: () =>
      inOrder(async () => {
        const stored = await store.listOpen()
        byRun.clear()
        for (const known of stored) byRun.set(runKeyOf(known), known)
      }),
    forget: (alerts) => {
      if (byRun.size === 0) return
      const open = new Set(alerts.flatMap((alert) => (alert.state === 'resolved' ? [] : [runKeyOf(alert)])))
      for (const key of byRun.keys()) if (!open.has(key)) byRun.delete(key)
    },
  }
}
