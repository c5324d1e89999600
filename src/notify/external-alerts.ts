/** External alerts: limited in number, durable before the response, removed some time after their end. */
import { createSerialQueue } from '../base/serial-queue.ts'
import type { ExternalAlertRecord } from '../model/external-alert.ts'
import {
  externalAlertOf,
  mergeExternal,
  readPosted,
  type ExternalAlert,
  type IntakeRules,
  type PostedAlert,
} from './external-alert.ts'

/** Stores external alerts; each call is durable when it resolves. */
export interface ExternalAlertStore {
  list(): Promise<readonly ExternalAlertRecord[]>
  /** Adds or replaces by fingerprint, all or nothing. */
  put(alerts: readonly ExternalAlertRecord[]): Promise<void>
  prune(endedBeforeMs: number): Promise<void>
}

/** Retention of a resolved alert, the same as for rules: receivers are notified, and pages show the resolution. */
export const RESOLVED_RETENTION_MS = 15 * 60_000

/** The result of one request. Accepted alerts are stored even when others of the request are refused. */
export interface ExternalOutcome {
  readonly taken: number
  /** The errors of invalid alerts, in the order of the request. */
  readonly faults: readonly string[]
  /** New alerts above the limit. */
  readonly refused: number
}

export interface ExternalAlerts {
  post(posted: readonly PostedAlert[], rules: Omit<IntakeRules, 'clusterAliases'>): Promise<ExternalOutcome>
  /** The alerts at a time: firing, and resolved in the last 15 minutes. */
  alerts(nowMs: number): readonly ExternalAlert[]
  /** Removes alerts that resolved longer ago. */
  prune(nowMs: number): Promise<void>
}

export async function createExternalAlerts(
  store: ExternalAlertStore,
  { externalMax, clusterAliases }: { readonly externalMax: number; readonly clusterAliases: readonly string[] },
): Promise<ExternalAlerts> {
  const stored = new Map((await store.list()).map((alert) => [alert.fingerprint, alert]))
  const inOrder = createSerialQueue()
  const isOver = (alert: ExternalAlertRecord, nowMs: number): boolean => alert.endsAtMs < nowMs - RESOLVED_RETENTION_MS
  return {
    post: (posted, rules) =>
      inOrder(async () => {
        const faults: string[] = []
        const changed = new Map<string, ExternalAlertRecord>()
        let refused = 0
        let added = 0
        for (const one of posted) {
          const record = readPosted(one, { ...rules, clusterAliases })
          if ('fault' in record) {
            faults.push(record.fault)
            continue
          }
          const { fingerprint } = record
          const known = changed.get(fingerprint) ?? stored.get(fingerprint)
          if (known === undefined && stored.size + added >= externalMax) {
            refused++
            continue
          }
          if (known === undefined) added++
          changed.set(fingerprint, mergeExternal(known, record))
        }
        if (changed.size > 0) await store.put([...changed.values()])
        for (const [fingerprint, alert] of changed) stored.set(fingerprint, alert)
        return { taken: posted.length - faults.length - refused, faults, refused }
      }),
    alerts: (nowMs) =>
      [...stored.values()].filter((alert) => !isOver(alert, nowMs)).map((alert) => externalAlertOf(alert, nowMs)),
    prune: (nowMs) =>
      inOrder(async () => {
        const over = [...stored.values()].filter((alert) => isOver(alert, nowMs))
        if (over.length === 0) return
        await store.prune(nowMs - RESOLVED_RETENTION_MS)
        for (const { fingerprint } of over) stored.delete(fingerprint)
      }),
  }
}
