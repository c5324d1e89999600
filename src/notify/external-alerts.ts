/** External alerts: limited in number and by sender, durable before the response, removed some time after their end. */
import { setImmediate } from 'node:timers/promises'
import { createSerialQueue } from '../base/serial-queue.ts'
import type { AuditedAction } from '../model/audit.ts'
import { clusterOf } from '../model/cluster-identity.ts'
import type { ExternalAlertRecord, RemovalFilter } from '../model/external-alert.ts'
import { AlertShares, type SenderShare, type ShareLimit, type ShareLimits } from './alert-shares.ts'
import {
  boundedRecord,
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
  /** Adds or replaces by fingerprint, and removes others, all or nothing. */
  write(alerts: readonly ExternalAlertRecord[], removed: readonly string[]): Promise<void>
  /** Removes alerts by fingerprint and returns how many there were. If there were any, an entry of the audit has the number. */
  remove(removed: readonly string[], filter: RemovalFilter, action: Omit<AuditedAction, 'detail'>): Promise<number>
}

/** Retention of a resolved alert, the same as for rules: receivers are notified, and pages show the resolution. */
export const RESOLVED_RETENTION_MS = 15 * 60_000

/** Alerts that are read and written without a pause for other requests: some 10 ms. */
const SLICE = 500

/** The result of one request. Accepted alerts are stored even when others of the request are refused. */
export interface ExternalOutcome {
  readonly taken: number
  /** The errors of invalid alerts, in the order of the request. */
  readonly faults: readonly string[]
  /** New alerts above a limit. */
  readonly refused: Readonly<Record<ShareLimit, number>>
  /** Stored alerts that made room for new ones. */
  readonly evicted: number
}

export interface ExternalAlertOptions {
  readonly shares: ShareLimits
  /** How far ahead of its last report an alert may end. */
  readonly endsWithinMs: number
  /** Labels that name the cluster of an alert without the label `cluster`. */
  readonly clusterAliases: readonly string[]
}

export interface ExternalAlerts {
  post(
    posted: readonly PostedAlert[],
    rules: Omit<IntakeRules, 'clusterAliases' | 'endsWithinMs'>,
  ): Promise<ExternalOutcome>
  /** The alerts at a time: firing, and resolved in the last 15 minutes. */
  alerts(nowMs: number): readonly ExternalAlert[]
  /** The room in use by sender and cluster, largest first. */
  shares(): readonly SenderShare[]
  /** Removes the selected alerts and adds it to the audit; returns their number. */
  remove(filter: RemovalFilter, by: string, nowMs: number): Promise<number>
  /** Removes alerts that resolved longer ago. */
  prune(nowMs: number): Promise<void>
  /** Takes what other processes have stored. */
  reread(): Promise<void>
}

/** Loads the stored alerts, without those above the limits. */
export async function createExternalAlerts(
  store: ExternalAlertStore,
  { shares: limits, endsWithinMs, clusterAliases }: ExternalAlertOptions,
): Promise<ExternalAlerts> {
  const loaded = (await store.list()).map((alert) => boundedRecord(alert, endsWithinMs))
  const stored = new Map(loaded.map((alert) => [alert.fingerprint, alert]))
  let shares = new AlertShares(limits, stored.values())
  const inOrder = createSerialQueue()
  let made: ReadonlyMap<string, Made> = new Map()
  /** Above the limits at the start. They leave the store with the next write: a full disk prevents no start. */
  let above = shares.above().map(({ fingerprint }) => fingerprint)
  for (const fingerprint of above) stored.delete(fingerprint)

  /** The invariant of every change: durable, then in memory. */
  async function write(changed: readonly ExternalAlertRecord[], removed: readonly string[]): Promise<void> {
    if (changed.length + removed.length + above.length === 0) return
    await store.write(changed, [...above, ...removed])
    above = []
    for (const fingerprint of removed) stored.delete(fingerprint)
    for (const alert of changed) stored.set(alert.fingerprint, alert)
  }

  /** Takes what is stored, also by other processes. */
  async function take(): Promise<void> {
    const all = await store.list()
    stored.clear()
    for (const alert of all) stored.set(alert.fingerprint, boundedRecord(alert, endsWithinMs))
    for (const fingerprint of above) stored.delete(fingerprint)
    shares = new AlertShares(limits, stored.values())
  }

  /** Reads, decides on and writes a part of a request. */
  async function postSlice(posted: readonly PostedAlert[], rules: IntakeRules): Promise<ExternalOutcome> {
    const faults: string[] = []
    const refused = { total_limit: 0, sender_limit: 0, cluster_limit: 0 }
    const changed = new Map<string, ExternalAlertRecord>()
    const evicted = new Set<string>()
    let taken = 0
    for (const one of posted) {
      const record = readPosted(one, rules)
      if ('fault' in record) {
        faults.push(record.fault)
        continue
      }
      const { fingerprint } = record
      const known = changed.get(fingerprint) ?? (evicted.has(fingerprint) ? undefined : stored.get(fingerprint))
      if (known === undefined) {
        const admission = shares.admission(record, rules.nowMs)
        if (admission.kind === 'refused') {
          refused[admission.limit]++
          continue
        }
        if (admission.kind === 'evicts') {
          shares.delete(admission.alert)
          changed.delete(admission.alert.fingerprint)
          evicted.add(admission.alert.fingerprint)
        }
      }
      const merged = mergeExternal(known, record)
      shares.put(merged)
      changed.set(fingerprint, merged)
      evicted.delete(fingerprint)
      taken++
    }
    try {
      await write([...changed.values()], [...evicted])
    } catch (thrown) {
      shares = new AlertShares(limits, stored.values())
      throw thrown
    }
    return { taken, faults, refused, evicted: evicted.size }
  }

  const isOver = (alert: ExternalAlertRecord, nowMs: number): boolean => alert.endsAtMs < nowMs - RESOLVED_RETENTION_MS
  return {
    post: (posted, rules) =>
      inOrder(async () => {
        let outcome = NOTHING
        for (let from = 0; from < posted.length; from += SLICE) {
          if (from > 0) await setImmediate()
          const slice = posted.slice(from, from + SLICE)
          outcome = sumOf(outcome, await postSlice(slice, { ...rules, endsWithinMs, clusterAliases }))
        }
        return outcome
      }),
    alerts: (nowMs) => {
      const alerts: ExternalAlert[] = []
      const present = new Map<string, Made>()
      for (const [fingerprint, record] of stored) {
        if (isOver(record, nowMs)) continue
        const one = madeOf(made.get(fingerprint), record, nowMs)
        present.set(fingerprint, one)
        alerts.push(one.alert)
      }
      made = present
      return alerts
    },
    reread: () => inOrder(take),
    shares: () => shares.list(),
    remove: (filter, by, nowMs) =>
      inOrder(async () => {
        // Another process may have stored one within the last second.
        await take()
        const { sender, cluster, fingerprint } = filter
        const removed = [...stored.values()].filter(
          (alert) =>
            (sender === undefined || alert.sender === sender) &&
            (cluster === undefined || clusterOf(alert.labels, []) === cluster) &&
            (fingerprint === undefined || alert.fingerprint === fingerprint),
        )
        if (removed.length === 0) return 0
        const subject = fingerprint ?? sender ?? cluster ?? ''
        const action = { atMs: nowMs, by, action: 'alert.remove', subject } as const
        const fingerprints = removed.map((alert) => alert.fingerprint)
        const count = await store.remove(fingerprints, filter, action)
        for (const alert of removed) {
          stored.delete(alert.fingerprint)
          shares.delete(alert)
        }
        return count
      }),
    prune: (nowMs) =>
      inOrder(async () => {
        const over = [...stored.values()].filter((alert) => isOver(alert, nowMs))
        await write([], over.map(({ fingerprint }) => fingerprint)) // prettier-ignore
        for (const alert of over) shares.delete(alert)
      }),
  }
}

/** An alert as it was last read. */
interface Made {
  readonly record: ExternalAlertRecord
  readonly alert: ExternalAlert
}

/** Each cycle reads all alerts, so one is made again only when it was posted or has resolved. */
function madeOf(known: Made | undefined, record: ExternalAlertRecord, nowMs: number): Made {
  const isResolved = record.endsAtMs <= nowMs
  if (known?.record === record && (known.alert.state === 'resolved') === isResolved) return known
  return { record, alert: externalAlertOf(record, nowMs) }
}

const NOTHING: ExternalOutcome = {
  taken: 0,
  faults: [],
  refused: { total_limit: 0, sender_limit: 0, cluster_limit: 0 },
  evicted: 0,
}

function sumOf(a: ExternalOutcome, b: ExternalOutcome): ExternalOutcome {
  return {
    taken: a.taken + b.taken,
    faults: [...a.faults, ...b.faults],
    refused: {
      total_limit: a.refused.total_limit + b.refused.total_limit,
      sender_limit: a.refused.sender_limit + b.refused.sender_limit,
      cluster_limit: a.refused.cluster_limit + b.refused.cluster_limit,
    },
    evicted: a.evicted + b.evicted,
  }
}
