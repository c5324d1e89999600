/**
 * The rule engine: all groups, each on its schedule. Time, the query function, the appender and the store of alert
 * states are arguments; nothing here reads the clock or a file. Calls run one after the other.
 */
import { createSerialQueue } from '../base/serial-queue.ts'
import { invariant } from '../base/invariant.ts'
import type { AlertRecord, AlertStateStore, RuleAlert } from '../model/alert.ts'
import type { AppendDerived } from '../model/appender.ts'
import type { Labels } from '../model/labels.ts'
import { RESOLVED_RETENTION_MS, resolve } from './alert-state.ts'
import { AlertUpdates, type AlertUpdate } from './alert-update.ts'
import type { TrackedAlert } from './alerting-rule.ts'
import { alertSamples, seriesSetOf, staleMarkers } from './derived-series.ts'
import { evaluateGroup, persist, type GroupPorts, type RuleQuery } from './group.ts'
import {
  alertSourceOf,
  createGroupState,
  groupStatusOf,
  ruleAlertOf,
  ruleAlertsOf,
  trackedOf,
  type GroupState,
  type OrphanAlert,
  type RuleState,
} from './rule-state.ts'
import type { AlertTransition, EvaluationReport, GroupReport, RuleGroupStatus } from './rule-status.ts'
import type { RuleGroup } from './rule.ts'
import { dueAt, spreadOffset, type OffsetOf } from './schedule.ts'

export interface RuleEngineOptions {
  readonly groups: readonly RuleGroup[]
  readonly query: RuleQuery
  readonly appendDerived: AppendDerived
  readonly states: AlertStateStore
  /** The URL of this server for its users; a trailing slash is removed. */
  readonly externalUrl: string
  readonly externalLabels?: Readonly<Record<string, string>>
  /** For durations only; see `GroupPorts`. */
  readonly stopwatchMs?: () => number
  /** Whether this process evaluates a group; by default it evaluates all. */
  readonly isOwn?: (groupKey: string) => boolean
  /** False: groups that are due wait; by default none waits. */
  readonly isReady?: (nowMs: number) => boolean
  /** Offset of each group inside its interval; by default a hash of its name. */
  readonly offsetOf?: OffsetOf
}

export interface RuleEngine {
  /** Call before the first `evaluate`: loads the stored alerts. Rejects when the store does. */
  restore(nowMs: number): Promise<void>
  /** Evaluates the groups that are due, each at its scheduled time. Rejects only for bugs; the report has the failures. */
  evaluate(nowMs: number): Promise<EvaluationReport>
  /** Groups that another process evaluated until now: before their next evaluation the alerts that it stored are read. */
  gain(groupKeys: readonly string[]): void
  /** Reads the alerts of groups that other processes evaluate; absent: of all of them. Rejects when the store does. */
  reread(groupKeys: readonly string[] | undefined, nowMs: number): Promise<void>
  /** Keys of the groups, also of removed ones with stored alerts. */
  groupKeys(): readonly string[]
  groups(): RuleGroupStatus[]
  /** All alerts, with those resolved in the last 15 minutes. */
  alerts(): RuleAlert[]
  /** The changes of `alerts` since the previous call, for one `AlertIndex` on another thread. */
  alertUpdate(): AlertUpdate
  /** Replaces the groups. Rules with the same group and `ruleKey` keep their alerts; the alerts of removed rules end. */
  reload(groups: readonly RuleGroup[]): Promise<void>
}

export function createRuleEngine(options: RuleEngineOptions): RuleEngine {
  const engine = new Engine(options)
  const inOrder = createSerialQueue()
  return {
    restore: (nowMs) => inOrder(() => engine.restore(nowMs)),
    evaluate: (nowMs) => inOrder(() => engine.evaluate(nowMs)),
    gain: (groupKeys) => {
      engine.gain(groupKeys)
    },
    reread: (groupKeys, nowMs) => inOrder(() => engine.reread(groupKeys, nowMs)),
    groupKeys: () => engine.groupKeys(),
    groups: () => engine.groups.map(groupStatusOf),
    alerts: () => engine.alerts(),
    alertUpdate: () => engine.alertUpdate(),
    reload: (groups) =>
      inOrder(() => {
        engine.reload(groups)
      }),
  }
}

class Engine {
  readonly #ports: GroupPorts
  readonly #offsetOf: OffsetOf
  readonly #isOwn: (groupKey: string) => boolean
  readonly #isReady: (nowMs: number) => boolean
  /** Other processes go on from what is stored. */
  readonly #isShared: boolean
  /** Groups whose stored alerts are to be read before they are evaluated. */
  readonly #gained = new Set<string>()
  groups: readonly GroupState[]
  /** Alerts of rules removed by a reload or before a restart, until the retention of resolved alerts has passed. */
  #orphans: OrphanAlert[] = []
  readonly #updates = new AlertUpdates()
  #endedSeries: Labels[] = []
  #removedGroups = new Set<string>()
  #isRestored = false

  constructor(options: RuleEngineOptions) {
    const { query, appendDerived, states, externalLabels = {}, stopwatchMs } = options
    const externalUrl = options.externalUrl.replace(/\/+$/, '')
    this.#ports = { query, appendDerived, states, externalUrl, externalLabels, stopwatchMs }
    this.#offsetOf = options.offsetOf ?? spreadOffset
    this.#isOwn = options.isOwn ?? (() => true)
    this.#isShared = options.isOwn !== undefined
    this.#isReady = options.isReady ?? (() => true)
    this.groups = options.groups.map((group) => createGroupState(group, this.#offsetOf))
  }

  async restore(nowMs: number): Promise<void> {
    invariant(!this.#isRestored, 'rules are restored once, before the first evaluation')
    const stored = await this.#ports.states.load()
    this.#isRestored = true
    const byKey = new Map(this.groups.map((group) => [group.key, group]))
    for (const [key, records] of stored) {
      const group = byKey.get(key)
      const orphaned = group === undefined ? records : restoreGroup(group, records, nowMs, this.#isOwn(key))
      if (group === undefined) this.#removedGroups.add(key)
      for (const record of orphaned) this.#orphanRecord(key, record)
    }
  }

  async evaluate(nowMs: number): Promise<EvaluationReport> {
    invariant(this.#isRestored, 'rules are restored before they are evaluated')
    let transitions: readonly AlertTransition[] = this.#resolveOrphans(nowMs)
    const groups: GroupReport[] = []
    await this.#readGained(nowMs)
    for (const group of this.groups) {
      if (!this.#isOwn(group.key) || this.#gained.has(group.key)) continue
      const due = dueAt(group.schedule, group.lastEvaluationMs, nowMs)
      if (!due.isDue || !this.#isReady(nowMs)) {
        // The next evaluation may be far away, and this process may end before it.
        if (group.isUnstored) await persist(group, this.#ports.states, nowMs, false)
        continue
      }
      const evaluation = await evaluateGroup(group, this.#ports, due.timeMs, due.missed)
      groups.push(evaluation.report)
      transitions = transitions.concat(evaluation.transitions)
    }
    await this.#tidyUp(nowMs)
    return { nowMs, groups, transitions }
  }

  gain(groupKeys: readonly string[]): void {
    for (const key of groupKeys) this.#gained.add(key)
  }

  groupKeys(): readonly string[] {
    return [...this.groups.map(({ key }) => key), ...this.#removedGroups]
  }

  async reread(groupKeys: readonly string[] | undefined, nowMs: number): Promise<void> {
    if (!this.#isRestored) return
    const named = groupKeys === undefined ? undefined : new Set(groupKeys)
    const groups = this.groups.filter(({ key }) => (named === undefined || named.has(key)) && !this.#isOwn(key))
    await this.#readStored(groups, nowMs)
  }

  /** A group that cannot be read waits for the next evaluation. */
  async #readGained(nowMs: number): Promise<void> {
    if (this.#gained.size === 0) return
    const groups = this.groups.filter(({ key }) => this.#gained.has(key))
    if (!(await succeeds(this.#readStored(groups, nowMs)))) return
    for (const group of groups) group.lastEvaluationMs = undefined
    this.#gained.clear()
  }

  async #readStored(groups: readonly GroupState[], nowMs: number): Promise<void> {
    if (groups.length === 0) return
    const stored = await this.#ports.states.load(groups.map(({ key }) => key))
    for (const group of groups) {
      for (const rule of group.rules) rule.alerts = new Map()
      restoreGroup(group, stored.get(group.key) ?? [], nowMs, this.#isOwn(group.key))
    }
  }

  alerts(): RuleAlert[] {
    const own = this.groups.flatMap((group) => group.rules.flatMap((rule) => ruleAlertsOf(group, rule)))
    return [...own, ...this.#orphans.map(({ tracked, ruleKey, source }) => ruleAlertOf(tracked, ruleKey, source))]
  }

  alertUpdate(): AlertUpdate {
    return this.#updates.next(this.groups, this.#orphans, this.#isShared)
  }

  reload(groups: readonly RuleGroup[]): void {
    const before = new Map(this.groups.map((group) => [group.key, group]))
    const next = groups.map((group) => createGroupState(group, this.#offsetOf))
    for (const group of next) {
      const old = before.get(group.key)
      this.#removedGroups.delete(group.key)
      if (old === undefined) continue
      before.delete(group.key)
      this.#carryOver(old, group)
    }
    for (const group of before.values()) {
      if (!group.isPersistedEmpty) this.#removedGroups.add(group.key)
      for (const rule of group.rules) this.#orphanAlerts(group, rule)
    }
    this.groups = next
  }

  #carryOver(old: GroupState, group: GroupState): void {
    group.lastEvaluationMs = old.lastEvaluationMs
    group.evaluationMs = old.evaluationMs
    group.missed = old.missed
    group.persistedAtMs = old.persistedAtMs
    group.isPersistedEmpty = old.isPersistedEmpty
    group.isUnstored = old.isUnstored
    const rules = new Map(group.rules.map((rule) => [`${rule.rule.kind} ${rule.rule.ruleKey}`, rule]))
    for (const was of old.rules) {
      const rule = rules.get(`${was.rule.kind} ${was.rule.ruleKey}`)
      if (rule === undefined) {
        this.#orphanAlerts(old, was)
        continue
      }
      const { alerts, series, health, lastError, warnings, evaluationMs, lastEvaluationMs } = was
      Object.assign(rule, { alerts, series, health, lastError, warnings, evaluationMs, lastEvaluationMs })
    }
  }

  #orphanAlerts(group: GroupState, rule: RuleState): void {
    const source = alertSourceOf(group, rule)
    for (const tracked of rule.alerts.values()) this.#orphans.push({ tracked, ruleKey: rule.rule.ruleKey, source })
    this.#endedSeries.push(...rule.series.values())
  }

  #orphanRecord(groupKey: string, record: AlertRecord): void {
    const tracked = trackedOf(record)
    const [name, file] = splitGroupKey(groupKey)
    const rule = record.labels.get('alertname')
    const source = { group: name, file, name: rule, expr: '', forMs: 0, keepFiringForMs: 0, intervalMs: 0 }
    this.#orphans.push({ tracked, ruleKey: record.ruleKey, source })
    this.#endedSeries.push(...seriesSetOf(alertSamples(record.labels, tracked.phase, 0)).values())
  }

  /** Resolves firing alerts without a rule, so that receivers are notified; deletes pending ones. */
  #resolveOrphans(nowMs: number): AlertTransition[] {
    const transitions: AlertTransition[] = []
    this.#orphans = this.#orphans.flatMap((orphan) => {
      const { tracked, ruleKey, source } = orphan
      const { phase } = tracked
      if (phase.state === 'resolved') return nowMs - phase.resolvedAtMs > RESOLVED_RETENTION_MS ? [] : [orphan]
      if (phase.state === 'pending') {
        transitions.push({ alert: ruleAlertOf(tracked, ruleKey, source), from: 'pending', to: 'inactive' })
        return []
      }
      const resolved = { ...tracked, phase: resolve(phase, nowMs) }
      transitions.push({ alert: ruleAlertOf(resolved, ruleKey, source), from: 'firing', to: 'resolved' })
      return [{ ...orphan, tracked: resolved }]
    })
    return transitions
  }

  /**
   * Ends the series of removed rules, unless another rule still writes them, and deletes the stored alerts of removed
   * groups. Failures are retried at the next evaluation.
   */
  async #tidyUp(nowMs: number): Promise<void> {
    if (this.#endedSeries.length > 0) {
      const written = new Map(this.groups.flatMap(({ rules }) => rules.flatMap(({ series }) => [...series])))
      const markers = staleMarkers(new Map(this.#endedSeries.map((labels) => [labels.key, labels])), written, nowMs)
      if (await succeeds(this.#ports.appendDerived(markers))) this.#endedSeries = []
    }
    for (const key of this.#removedGroups) {
      if (await succeeds(this.#ports.states.replaceGroup(key, []))) this.#removedGroups.delete(key)
    }
  }
}

function succeeds(write: Promise<unknown>): Promise<boolean> {
  return write.then(
    () => true,
    () => false,
  )
}

/** Name and file of a group's key; a name may contain a semicolon, a file should not. */
function splitGroupKey(key: string): readonly [string, string] {
  const at = key.indexOf(';')
  return at === -1 ? [key, ''] : [key.slice(at + 1), key.slice(0, at)]
}

/** After a longer outage a pending alert starts over. Prometheus' default outage tolerance. */
export const OUTAGE_TOLERANCE_MS = 3_600_000
/** Lookback of instant queries: after a shorter outage, missing samples are meaningful. */
const LOOKBACK_MS = 5 * 60_000
/** After a longer outage: the time for senders to reconnect. */
export const CONFIRM_WITHIN_MS = 5 * 60_000

/**
 * Assigns the stored records of a group to its rules after a restart. Returns the records of removed rules. The time without
 * evaluations does not count for `for`. A firing alert stays firing; after a long outage it is not resolved before the
 * senders had time to reconnect. What another process evaluates is shown as that one stored it.
 */
function restoreGroup(
  state: GroupState,
  records: readonly AlertRecord[],
  nowMs: number,
  isOwn: boolean,
): AlertRecord[] {
  const byRule = new Map<string, AlertRecord[]>()
  for (const record of records) byRule.set(record.ruleKey, [...(byRule.get(record.ruleKey) ?? []), record])
  for (const rule of state.rules) {
    const own = byRule.get(rule.rule.ruleKey)
    if (own === undefined || rule.rule.kind !== 'alerting') continue
    byRule.delete(rule.rule.ruleKey)
    const restoredAtMs = (record: AlertRecord): number =>
      isOwn || record.state === 'resolved' ? nowMs : record.lastHeldAtMs
    const alerts = own.flatMap((record) => restoreAlert(record, restoredAtMs(record), state.group.intervalMs) ?? [])
    rule.alerts = new Map(alerts.map((alert) => [alert.labels.key, alert]))
    // The series written before the restart, so that an alert that does not continue gets stale markers.
    rule.series = seriesSetOf(own.flatMap((record) => alertSamples(record.labels, trackedOf(record).phase, nowMs)))
  }
  state.persistedAtMs = nowMs
  state.isPersistedEmpty = records.length === 0
  state.isUnstored = false
  return [...byRule.values()].flat()
}

/** The restored alert at `nowMs`; `undefined` when it is expired. */
export function restoreAlert(record: AlertRecord, nowMs: number, intervalMs: number): TrackedAlert | undefined {
  const tracked = trackedOf(record)
  const outageMs = Math.max(0, nowMs - record.lastHeldAtMs)
  switch (tracked.phase.state) {
    case 'resolved':
      return nowMs - tracked.phase.resolvedAtMs > RESOLVED_RETENTION_MS ? undefined : tracked
    case 'firing':
      return outageMs > LOOKBACK_MS ? { ...tracked, unconfirmedUntilMs: nowMs + CONFIRM_WITHIN_MS } : tracked
    case 'pending': {
      if (outageMs > OUTAGE_TOLERANCE_MS) return undefined
      // One or two missed evaluations are no outage; a longer time without evaluations does not count for `for`.
      const unseenMs = outageMs <= 2 * intervalMs ? 0 : outageMs - intervalMs
      return { ...tracked, phase: { state: 'pending', activeAtMs: tracked.phase.activeAtMs + unseenMs } }
    }
  }
}
