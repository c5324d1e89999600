/**
 * All alerts, of the rules and of others, as this server shows and notifies of them: which ones are duplicates, the history
 * of what fired, and what ends when an alert resolves.
 */
import { messageOf } from '../base/errors.ts'
import { FaultThrottle } from '../base/fault-throttle.ts'
import type { Log } from '../base/log.ts'
import type { RuleAlert } from '../model/alert.ts'
import type { AlertRunReader } from '../model/alert-run.ts'
import { createAlertHistory, type AlertRunStore } from './alert-history.ts'
import { duplicateAlerts, type CanonicalName } from './duplicate-alerts.ts'
import type { ExternalAlert } from './external-alert.ts'
import { createExternalAlerts, type ExternalAlertStore, type ExternalAlerts } from './external-alerts.ts'
import type { UserActions, UserActionStore } from './user-actions.ts'

/** Old silences and the like are removed this often. */
const PRUNE_EVERY_MS = 10 * 60_000

export type AnyAlert = RuleAlert | ExternalAlert

export interface Alerts {
  readonly external: ExternalAlerts
  /** The past, read from the store. */
  readonly runs: AlertRunReader
  /**
   * Those of the rules, as of the last evaluation, and those of others at a time (the present one when absent): pending,
   * firing, and resolved ones that are still retained.
   */
  alerts(nowMs?: number): readonly AnyAlert[]
  /** Those that notify at a time: without duplicates. */
  toNotify(nowMs: number): readonly AnyAlert[]
  /** By fingerprint of an alert that only repeats another, that one's; as of the last cycle. */
  duplicates(): ReadonlyMap<string, string>
  /** All alerts less those that only repeat another. */
  withoutDuplicates(alerts: readonly AnyAlert[]): readonly AnyAlert[]
  /** One evaluation cycle: writes the history, ends silences whose alerts are resolved, removes what is old. */
  cycle(nowMs: number): Promise<void>
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
  /** Maximum number of external alerts, resolved ones that are still retained included. */
  readonly externalMax: number
  /** Labels that name the cluster of an external alert without `cluster`. */
  readonly clusterAliases: readonly string[]
  readonly silenceRetentionMs: number
  /** Of the history and of the audit. */
  readonly alertRetentionMs: number
}

/** Reads what is stored. Rejects when the store does. */
export async function createAlerts(parts: AlertParts): Promise<Alerts> {
  const { store, runs, rules, canonicalName, options, clock, log } = parts
  const { silences, acknowledgements } = parts.userActions
  const [history, external] = await Promise.all([
    createAlertHistory(store.alertRuns),
    createExternalAlerts(store.externalAlerts, options),
  ])
  let duplicates: ReadonlyMap<string, string> = new Map()
  let prunedAtMs = -Infinity
  const throttle = new FaultThrottle()

  const alertsAt = (nowMs: number): readonly AnyAlert[] => {
    const ofOthers = external.alerts(nowMs)
    return ofOthers.length === 0 ? rules.alerts() : [...rules.alerts(), ...ofOthers]
  }
  const withoutDuplicates = (alerts: readonly AnyAlert[]): readonly AnyAlert[] => {
    duplicates = duplicateAlerts(alerts, canonicalName)
    return duplicates.size === 0 ? alerts : alerts.filter(({ fingerprint }) => !duplicates.has(fingerprint))
  }
  /** A disk that is full stays so for a while: logged once a minute. */
  const report = (thrown: unknown, nowMs: number): void => {
    if (!throttle.admits('write', nowMs)) return
    log.error({ error: messageOf(thrown) }, 'silences or the history of alerts could not be written; it is tried again')
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
    duplicates: () => duplicates,
    toNotify: (nowMs) => withoutDuplicates(alertsAt(nowMs)),
    withoutDuplicates,
    cycle: async (nowMs) => {
      const alerts = alertsAt(nowMs)
      acknowledgements.forget(alerts)
      // What could not be written now is written in a later cycle; neither waits for the other.
      await silences.endResolved(alerts, nowMs).catch((thrown: unknown) => {
        report(thrown, nowMs)
      })
      await history.note(alerts, nowMs).catch((thrown: unknown) => {
        report(thrown, nowMs)
      })
      if (Math.abs(nowMs - prunedAtMs) < PRUNE_EVERY_MS) return
      prunedAtMs = nowMs
      await prune(nowMs).catch((thrown: unknown) => {
        log.warn({ error: messageOf(thrown) }, 'what is old of silences and alerts could not be removed')
      })
    },
  }
}
