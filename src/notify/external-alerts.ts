/** The alerts that others POSTed: bounded in number, durable before the answer, removed some time after their end. */
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

/** A resolved one stays as long as one of a rule does, so that receivers hear of it and a person sees that it worked. */
export const RESOLVED_KEPT_MS = 15 * 60_000

/** What became of the alerts of one request. Those that were taken are stored, whatever happened to the others. */
export interface ExternalOutcome {
  readonly taken: number
  /** Why the others are wrong, in the order of the request. */
  readonly faults: readonly string[]
  /** New ones for which there was no room. */
  readonly refused: number
}

export interface ExternalAlerts {
  post(posted: readonly PostedAlert[], rules: Omit<IntakeRules, 'clusterAliases'>): Promise<ExternalOutcome>
  /** As they are at a time: firing, and resolved ones of the last quarter of an hour. */
  alerts(nowMs: number): readonly ExternalAlert[]
  /** Forgets what resolved long ago. */
  prune(nowMs: number): Promise<void>
}

export async function createExternalAlerts(
  store: ExternalAlertStore,
  { externalMax, clusterAliases }: { readonly externalMax: number; readonly clusterAliases: readonly string[] },
): Promise<ExternalAlerts> {
  const stored = new Map((await store.list()).map((alert) => [alert.fingerprint, alert]))
  const inOrder = createSerialQueue()
  const isOver = (alert: ExternalAlertRecord, nowMs: number): boolean => alert.endsAtMs < nowMs - RESOLVED_KEPT_MS
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
        await store.prune(nowMs - RESOLVED_KEPT_MS)
        for (const { fingerprint } of over) stored.delete(fingerprint)
      }),
  }
}
