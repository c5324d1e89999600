/**
 * People's commands and what remains of alerts, wired: silences, acknowledgements, external alerts, the history and the
 * audit. All of it lives on main, in memory; what is written goes to the ingest worker, and the past is read on the query
 * worker.
 */
import { randomUUID } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../config/config.ts'
import { createDecommissions, type DecommissionStore, type Decommissions } from '../fleet/clusters/decommissions.ts'
import type { AlertRunReader } from '../model/alert-run.ts'
import type { AuditDeed, AuditEntry } from '../model/audit.ts'
import { createAcknowledgements, type AcknowledgementStore, type Acknowledgements } from '../notify/acknowledgements.ts'
import { createAlertHistory, type AlertRunStore } from '../notify/alert-history.ts'
import type { ExternalAlert } from '../notify/external-alert.ts'
import { createExternalAlerts, type ExternalAlertStore, type ExternalAlerts } from '../notify/external-alerts.ts'
import { secondReports, type CanonicalName } from '../notify/second-reports.ts'
import { createSilences, type SilenceStore, type Silences } from '../notify/silences.ts'
import type { RuleAlert } from '../rules/rule-status.ts'

/** Old silences and the like are looked for this often. */
const PRUNE_EVERY_MS = 10 * 60_000
/** A fault that stays is said again this often, not every second. */
const REPEAT_FAULT_AFTER_MS = 60_000

export interface People {
  readonly silences: Silences
  readonly acknowledgements: Acknowledgements
  readonly external: ExternalAlerts
  readonly decommissions: Decommissions
  /** The past, read from the store. */
  readonly runs: AlertRunReader
  audit(limit: number, before?: number): Promise<readonly AuditEntry[]>
  noteDeed(deed: AuditDeed): Promise<void>
  /** Those of the rules and those of others. */
  alerts(): Promise<readonly (RuleAlert | ExternalAlert)[]>
  /** Those of the beat at this time; read again when there was none. Crossing threads with all alerts is not cheap. */
  alertsAt(nowMs: number): Promise<readonly (RuleAlert | ExternalAlert)[]>
  /** By fingerprint of an alert that only repeats another, that one's; as of the last beat. */
  repeats(): ReadonlyMap<string, string>
  /** What may page: all alerts less those that only repeat another. */
  speaking(alerts: readonly (RuleAlert | ExternalAlert)[]): readonly (RuleAlert | ExternalAlert)[]
  /** One beat: writes the history, ends silences whose alerts are resolved, forgets what is old. */
  beat(nowMs: number): Promise<void>
}

export interface PeopleParts {
  readonly config: Config
  readonly clock: Clock
  /** Where it is written. */
  readonly store: PeopleStore
  /** Where the past is read, and the alerts of the rules. */
  readonly history: PeopleHistory
  /** What is said of clusters was written: whoever derives reads it anew before this resolves. */
  readonly decommissionsTold: () => Promise<void>
  readonly canonicalName: CanonicalName
  readonly log: Log
}

/** Each write is durable when it resolves. */
export interface PeopleStore {
  readonly silences: SilenceStore
  readonly acknowledgements: AcknowledgementStore
  readonly alertRuns: AlertRunStore & { prune(resolvedBeforeMs: number): Promise<void> }
  readonly externalAlerts: ExternalAlertStore
  readonly audit: { add(deed: AuditDeed): Promise<void>; prune(beforeMs: number): Promise<void> }
  readonly decommissions: DecommissionStore
}

export interface PeopleHistory {
  readonly alertRuns: AlertRunReader
  readonly audit: { list(limit: number, before?: number): Promise<readonly AuditEntry[]> }
  readonly rules: { alerts(): Promise<readonly RuleAlert[]> }
}

/** Reads what is kept. Rejects when the store does. */
export async function createPeople(parts: PeopleParts): Promise<People> {
  const { config, clock, store, history: past, log, canonicalName } = parts
  const [silences, acknowledgements, history, external, decommissions] = await Promise.all([
    createSilences(store.silences, randomUUID),
    createAcknowledgements(store.acknowledgements),
    createAlertHistory(store.alertRuns),
    createExternalAlerts(store.externalAlerts, {
      alertsMax: config['alerts.external-max'],
      clusterAliases: config['identity.labels'],
    }),
    createDecommissions(store.decommissions, randomUUID, parts.decommissionsTold),
  ])
  let repeats: ReadonlyMap<string, string> = new Map()
  let prunedAtMs = -Infinity
  let saidAtMs = -Infinity
  let ofLastBeat: { readonly nowMs: number; readonly alerts: readonly (RuleAlert | ExternalAlert)[] } | undefined

  const allAt = async (nowMs: number): Promise<readonly (RuleAlert | ExternalAlert)[]> => {
    const ofRules = await past.rules.alerts()
    const ofOthers = external.alerts(nowMs)
    return ofOthers.length === 0 ? ofRules : [...ofRules, ...ofOthers]
  }
  /** A disk that is full stays so for a while: said once a minute. */
  const tell = (thrown: unknown, nowMs: number): void => {
    if (Math.abs(nowMs - saidAtMs) < REPEAT_FAULT_AFTER_MS) return
    saidAtMs = nowMs
    log.error({ error: messageOf(thrown) }, 'silences or the history of alerts could not be written; it is tried again')
  }
  const prune = async (nowMs: number): Promise<void> => {
    await silences.prune(nowMs - config['retention.silences'])
    await external.prune(nowMs)
    const endedBeforeMs = nowMs - config['retention.alerts']
    await store.alertRuns.prune(endedBeforeMs)
    await store.audit.prune(endedBeforeMs)
  }
  return {
    silences,
    acknowledgements,
    external,
    decommissions,
    runs: past.alertRuns,
    audit: (limit, before) => past.audit.list(limit, before),
    noteDeed: (deed) => store.audit.add(deed),
    alerts: () => allAt(clock.nowMs()),
    alertsAt: (nowMs) => (ofLastBeat?.nowMs === nowMs ? Promise.resolve(ofLastBeat.alerts) : allAt(nowMs)),
    repeats: () => repeats,
    speaking: (alerts) => {
      repeats = secondReports(alerts, canonicalName)
      return repeats.size === 0 ? alerts : alerts.filter(({ fingerprint }) => !repeats.has(fingerprint))
    },
    beat: async (nowMs) => {
      ofLastBeat = undefined
      const alerts = await allAt(nowMs)
      ofLastBeat = { nowMs, alerts }
      acknowledgements.forget(alerts)
      // What could not be written now is written at a later beat; neither waits for the other.
      await silences.endResolved(alerts, nowMs).catch((thrown: unknown) => {
        tell(thrown, nowMs)
      })
      await history.note(alerts, nowMs).catch((thrown: unknown) => {
        tell(thrown, nowMs)
      })
      if (Math.abs(nowMs - prunedAtMs) < PRUNE_EVERY_MS) return
      prunedAtMs = nowMs
      await prune(nowMs).catch((thrown: unknown) => {
        log.warn({ error: messageOf(thrown) }, 'what is old of silences and alerts could not be removed')
      })
    },
  }
}
