/**
 * The changes of the rules' alerts since the last evaluation, sent to the thread that shows alerts and notifies in place
 * of a copy of all alerts. `AlertIndex` applies them.
 *
 * A new alert is sent whole; an alert whose state or annotations changed, without its labels. Values change at every
 * evaluation and are always sent, as two columns: notifications, pages and `/api/v2/alerts` show the value and the time of
 * the last evaluation, and a second call for them would cost more than sixteen bytes per alert.
 */
import { invariant } from '../base/invariant.ts'
import { eachInSteps, type Steps } from '../base/thread-slices.ts'
import type { AlertPhase } from './alert-state.ts'
import type { TrackedAlert, TrackedAlerts } from './alerting-rule.ts'
import {
  alertSourceOf,
  ruleAlertOf,
  ruleAlertsOf,
  type GroupState,
  type OrphanAlert,
  type RuleState,
} from './rule-state.ts'
import type { RuleAlert } from '../model/alert.ts'

/** Structured-cloneable. Apply updates in the order of their creation. */
export interface AlertUpdate {
  /** Replaces everything that was sent before: the first update, and the first after a reload of the rules. */
  readonly isWhole: boolean
  /** Only rules whose alerts changed. */
  readonly rules: readonly RuleAlertUpdate[]
}

/** Refers to alerts by their position in the list of the rule. The list keeps its order; new alerts come last. */
export interface RuleAlertUpdate {
  /** Position of the rule among the rules of all groups. The alerts of removed rules come after the last rule. */
  readonly rule: number
  /** Ascending positions, in the list before this update, of deleted alerts. */
  readonly removed: readonly number[]
  /** Positions in the new list. */
  readonly changed: readonly ChangedAlert[]
  readonly added: readonly RuleAlert[]
  /** Of all alerts of the new list. */
  readonly values: Float64Array
  readonly lastHeldAtMs: Float64Array
}

interface ChangedAlert {
  readonly position: number
  readonly annotations: Readonly<Record<string, string>>
  readonly phase: AlertPhase
}

/** The state that was sent last. Alerts and the maps of them are never changed in place, so an identical object is unchanged. */
export class AlertUpdates {
  #groups: readonly GroupState[] | undefined
  /** By position of the rule; an absent one has no alerts. */
  #sent = new Map<number, TrackedAlerts>()
  #orphans: readonly OrphanAlert[] = []

  /**
   * The changes since the previous call.
   * @param isShared changes of a group are held back until they are stored: another process that takes it over must not undo what
   *   this one has notified
   */
  next(groups: readonly GroupState[], orphans: readonly OrphanAlert[], isShared = false): AlertUpdate {
    const isWhole = groups !== this.#groups
    if (isWhole) {
      this.#groups = groups
      this.#sent.clear()
      this.#orphans = []
    }
    const rules: RuleAlertUpdate[] = []
    const states = groups.flatMap((group) => group.rules.map((rule) => ({ group, rule })))
    for (const [position, { group, rule }] of states.entries()) {
      if (isShared && group.isUnstored && !isWhole) continue
      const before = this.#sent.get(position) ?? NONE
      if (rule.alerts === before || rule.alerts.size + before.size === 0) continue
      rules.push(updateOf(position, before, group, rule))
      this.#sent.set(position, rule.alerts)
    }
    if (!areSame(this.#orphans, orphans)) {
      // Orphans are few and expire after 15 minutes, so all of them are sent.
      const added = orphans.map(({ tracked, ruleKey, source }) => ruleAlertOf(tracked, ruleKey, source))
      rules.push(replacement(states.length, this.#orphans.length, added))
      this.#orphans = [...orphans]
    }
    return { isWhole, rules }
  }
}

const NONE: TrackedAlerts = new Map()

function areSame(a: readonly OrphanAlert[], b: readonly OrphanAlert[]): boolean {
  return a.length === b.length && a.every((orphan, i) => orphan === b[i])
}

function replacement(rule: number, sizeBefore: number, added: readonly RuleAlert[]): RuleAlertUpdate {
  const removed = Array.from({ length: sizeBefore }, (_, position) => position)
  return { rule, removed, changed: [], added, ...columnsOf(added, added.length) }
}

/** HOT: once per alert and evaluation. Iterates both maps in parallel, because most alerts keep their position. */
function updateOf(rule: number, before: TrackedAlerts, group: GroupState, state: RuleState): RuleAlertUpdate {
  const { alerts } = state
  if (before.size === 0) return replacement(rule, 0, ruleAlertsOf(group, state))
  const source = alertSourceOf(group, state)
  const removed: number[] = []
  const changed: ChangedAlert[] = []
  const added: RuleAlert[] = []
  const known = before.entries()
  let place = 0
  let next = known.next()
  const skipRemoved = (): void => {
    for (; next.done !== true && !alerts.has(next.value[0]); next = known.next()) removed.push(place++)
  }
  let position = 0
  for (const [key, alert] of alerts) {
    if (next.done !== true && next.value[0] !== key) skipRemoved()
    if (next.done === true) added.push(ruleAlertOf(alert, state.rule.ruleKey, source))
    // An alert that was deleted and created again between two updates has a new position.
    else if (next.value[0] !== key) return replacement(rule, before.size, ruleAlertsOf(group, state))
    else {
      if (!isUnchanged(next.value[1], alert)) {
        changed.push({ position, annotations: alert.annotations, phase: alert.phase })
      }
      next = known.next()
      place++
    }
    position++
  }
  skipRemoved()
  return { rule, removed, changed, added, ...columnsOf(alerts.values(), alerts.size) }
}

function columnsOf(
  alerts: Iterable<Pick<RuleAlert, 'value' | 'lastHeldAtMs'>>,
  size: number,
): Pick<RuleAlertUpdate, 'values' | 'lastHeldAtMs'> {
  const [values, lastHeldAtMs] = [new Float64Array(size), new Float64Array(size)]
  let position = 0
  for (const alert of alerts) {
    values[position] = alert.value
    lastHeldAtMs[position++] = alert.lastHeldAtMs
  }
  return { values, lastHeldAtMs }
}

/** Ignores the value and the time of the last evaluation. */
function isUnchanged(a: TrackedAlert, b: TrackedAlert): boolean {
  return a === b || (areSameFields(a.phase, b.phase) && areSameFields(a.annotations, b.annotations))
}

/** Compares flat records. */
function areSameFields<T extends object>(a: T, b: T): boolean {
  if (a === b) return true
  const names = Object.keys(a) as (keyof T)[]
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name])
}

/** A piece of an update. A message is read in one piece, and the first update may have 100,000 alerts. */
export interface AlertUpdatePart extends AlertUpdate {
  readonly isLast: boolean
}

const ALERTS_PER_PART = 1000

/** The parts of an update; the columns of values are in the first part of a rule. */
export function partsOf({ isWhole, rules }: AlertUpdate): AlertUpdatePart[] {
  const parts: RuleAlertUpdate[][] = [[]]
  let room = ALERTS_PER_PART
  for (const update of rules) {
    const { rule, changed, added } = update
    for (let from = 0; from === 0 || from < changed.length + added.length;) {
      if (room === 0) {
        parts.push([])
        room = ALERTS_PER_PART
      }
      const to = from + room
      const sliced = {
        changed: changed.slice(from, to),
        added: added.slice(Math.max(0, from - changed.length), Math.max(0, to - changed.length)),
      }
      const isFirst = from === 0
      parts.at(-1)!.push({ ...(isFirst ? update : { ...EMPTY_UPDATE, rule }), ...sliced })
      const count = sliced.changed.length + sliced.added.length
      room -= count
      from += Math.max(1, count)
    }
  }
  return parts.map((ofPart, i) => ({ isWhole, rules: ofPart, isLast: i === parts.length - 1 }))
}

const EMPTY_UPDATE = { removed: [], values: new Float64Array(0), lastHeldAtMs: new Float64Array(0) }

/** The update of all its parts, in order. */
export function joinedUpdate(parts: readonly AlertUpdatePart[]): AlertUpdate {
  const byRule = new Map<number, RuleAlertUpdate & { readonly changed: ChangedAlert[]; readonly added: RuleAlert[] }>()
  for (const { rules } of parts) {
    for (const update of rules) {
      const known = byRule.get(update.rule)
      if (known === undefined) {
        byRule.set(update.rule, { ...update, changed: [...update.changed], added: [...update.added] })
        continue
      }
      known.changed.push(...update.changed)
      known.added.push(...update.added)
    }
  }
  return { isWhole: parts[0]?.isWhole === true, rules: [...byRule.values()] }
}

/** The alerts of all rules on a thread that does not evaluate them, built from `AlertUpdate`s. */
export class AlertIndex {
  #byRule: ReadonlyMap<number, readonly RuleAlert[]> = new Map<number, readonly RuleAlert[]>()
  #all: readonly RuleAlert[] | undefined

  /** The same alerts as `RuleEngine.alerts`: in the order of their rules, with those resolved in the last 15 minutes. */
  all(): readonly RuleAlert[] {
    this.#all ??= [...this.#byRule].sort(([a], [b]) => a - b).flatMap(([, alerts]) => alerts)
    return this.#all
  }

  /** One update at a time; `all` has its alerts after the last step. */
  *apply({ isWhole, rules }: AlertUpdate): Steps<void> {
    if (!isWhole && rules.length === 0) return
    const byRule = new Map(isWhole ? [] : this.#byRule)
    for (const update of rules) byRule.set(update.rule, yield* updated(byRule.get(update.rule) ?? [], update))
    this.#byRule = byRule
    this.#all = undefined
  }
}

function* updated(before: readonly RuleAlert[], update: RuleAlertUpdate): Steps<readonly RuleAlert[]> {
  const { removed, changed, added, values, lastHeldAtMs } = update
  const removedPositions = new Set(removed)
  const remaining = removed.length === 0 ? before : before.filter((_, position) => !removedPositions.has(position))
  const alerts = remaining.concat(added)
  invariant(alerts.length === values.length, 'an update of alerts fits the one before it')
  yield* eachInSteps(changed, ({ position, annotations, phase }) => {
    const { fingerprint, labels, ruleKey, rule, value, lastHeldAtMs } = alerts[position]!
    alerts[position] = { fingerprint, labels, annotations, ...phase, lastHeldAtMs, value, ruleKey, rule }
  })
  yield* eachInSteps(alerts.keys(), (i) => {
    const alert = alerts[i]!
    const [value, heldAtMs] = [values[i]!, lastHeldAtMs[i]!]
    if (alert.lastHeldAtMs === heldAtMs && Object.is(alert.value, value)) return
    alerts[i] = { ...alert, value, lastHeldAtMs: heldAtMs }
  })
  return alerts
}
