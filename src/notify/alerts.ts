/**
 * All alerts, of rules and external ones, as this server shows and notifies of them: duplicates, the history, and the
 * silences and acknowledgements that end when an alert resolves.
 */
import { messageOf } from '../base/errors.ts'
import { FaultThrottle } from '../base/fault-throttle.ts'
import { inSlices, ownTurn } from '../base/thread-slices.ts'
import type { Log } from '../base/log.ts'
import type { RuleAlert } from '../model/alert.ts'
import type { AlertRunReader } from '../model/alert-run.ts'
import { createAlertHistory, type AlertRunStore } from './alert-history.ts'
import { DuplicateAlerts, type CanonicalName } from './duplicate-alerts.ts'
import type { ExternalAlert } from './external-alert.ts'
import {
  createExternalAlerts,
  type ExternalAlertOptions,
  type ExternalAlertStore,
  type ExternalAlerts,
} from './external-alerts.ts'
import type { UserActions, UserActionStore } from './user-actions.ts'

/** Interval of the removal of expired records. */
const PRUNE_EVERY_MS = 10 * 60_000

export type AnyAlert = RuleAlert | ExternalAlert

export interface Alerts {
  readonly external: ExternalAlerts
  /** The history, read from the store. */
  readonly runs: AlertRunReader
  /**
   * The rules' alerts as of the last evaluation, and external alerts at a time (now by default): pending, firing, and
   * resolved ones that are still retained.
   */
  alerts(nowMs?: number): readonly AnyAlert[]
  /** The alerts that notify at a time: without duplicates. */
  toNotify(nowMs: number): Promise<readonly AnyAlert[]>
  /** The fingerprint of the original by that of its duplicate; as of the last cycle. */
  duplicates(): ReadonlyMap<string, string>
  withoutDuplicates(alerts: readonly AnyAlert[]): Promise<readonly AnyAlert[]>
  /** One evaluation cycle: stores the history, ends silences whose alerts are resolved, removes expired records. */
  cycle(nowMs: number): Promise<void>
  /** Before the first cycle after one of another process. Rejects when the store does. */
  takeOver(): Promise<void>
}

/** Each write is durable when it resolves. */
export interface AlertStore extends UserActionStore {
  readonly alertRuns: AlertRunStore & { prune(resolvedBeforeMs: number): Promise<void> }
  readonly externalAlerts: ExternalAlertStore
}

export interface AlertParts {
  readonly store: AlertStore
  readonly runs: AlertRunReader
  /** Their alerts as of the last evaluation. */
  readonly rules: { alerts(): readonly RuleAlert[] }
  readonly userActions: UserActions
  readonly canonicalName: CanonicalName
  readonly options: AlertOptions
  readonly clock: { nowMs(): number }
  readonly log: Log
}

export interface AlertOptions {
  readonly external: ExternalAlertOptions
  readonly silenceRetentionMs: number
  /** Of the history and of the audit. */
  readonly alertRetentionMs: number
}

/** Loads the stored state. Rejects when the store does. */
export async function createAlerts(parts: AlertParts): Promise<Alerts> {
  const { store, runs, rules, canonicalName, options, clock, log } = parts
  const { silences, acknowledgements } = parts.userActions
  const [history, external] = await Promise.all([
    createAlertHistory(store.alertRuns),
    createExternalAlerts(store.externalAlerts, options.external),
  ])
  const duplicates = new DuplicateAlerts(canonicalName)
  let prunedAtMs = -Infinity
  const throttle = new FaultThrottle()

  const alertsAt = (nowMs: number): readonly AnyAlert[] => {
    const ofOthers = external.alerts(nowMs)
    return ofOthers.length === 0 ? rules.alerts() : [...rules.alerts(), ...ofOthers]
  }
  const withoutDuplicates = async (alerts: readonly AnyAlert[]): Promise<readonly AnyAlert[]> => {
    const found = await inSlices(duplicates.update(alerts), ownTurn)
    return found.size === 0 ? alerts : alerts.filter(({ fingerprint }) => !found.has(fingerprint))
  }
  /** A full disk remains full for a while, so this is logged once a minute. */
  const report =
    (nowMs: number) =>
    (thrown: unknown): void => {
      if (!throttle.admits('write', nowMs)) return
      log.error(
        { error: messageOf(thrown) },
        'silences or the history of alerts could not be written; the server retries',
      )
    }
  const prune = async (nowMs: number): Promise<void> => {
    await silences.prune(nowMs - options.silenceRetentionMs)
    await external.prune(nowMs)
    const endedBeforeMs = nowMs - options.alertRetentionMs
    await store.alertRuns.prune(endedBeforeMs)
    await store.audit.prune(endedBeforeMs)
  }
  return {
    external,
    runs,
    alerts: (nowMs = clock.nowMs()) => alertsAt(nowMs),
    duplicates: () => duplicates.found,
    toNotify: (nowMs) => withoutDuplicates(alertsAt(nowMs)),
    withoutDuplicates,
    takeOver: () => history.reread(),
    cycle: async (nowMs) => {
      const alerts = alertsAt(nowMs)
      acknowledgements.forget(alerts)
      // A failed write is repeated in a later cycle; the two writes are independent.
      await silences.endResolved(alerts, nowMs).catch(report(nowMs))
      await history.update(alerts, nowMs).catch(report(nowMs))
      if (Math.abs(nowMs - prunedAtMs) < PRUNE_EVERY_MS) return
      prunedAtMs = nowMs
      await prune(nowMs).catch((thrown: unknown) => {
        log.warn({ error: messageOf(thrown) }, 'expired silences and alerts could not be removed')
      })
    },
  }
}
