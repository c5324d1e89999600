/**
 * What changed in the alerts of the rules, for the thread that shows alerts and notifies: sent after each evaluation in
 * place of a copy of all alerts. `AlertIndex` applies it.
 *
 * An alert that began is sent whole, one whose state or annotations changed without its labels. Values change at every
 * evaluation and are always sent, as two columns without names: notifications, pages and `/api/v2/alerts` all show the
 * value and the time of the last evaluation, so a second call for them would cost more than their sixteen bytes an alert.
 */
import type { AlertPhase } from './alert-state.ts'
import type { TrackedAlert, TrackedAlerts } from './alerting-rule.ts'
import { alertSourceOf, ruleAlertOf, ruleAlertsOf } from './rule-state.ts'
import type { GroupState, OrphanAlert, RuleState } from './rule-state.ts'
import type { RuleAlert } from '../model/alert.ts'

/** Structured-cloneable. Updates are to be applied in the order in which they were made. */
export interface AlertUpdate {
  /** Nothing that was sent before holds: the first update, and the first after the rules changed. */
  readonly isWhole: boolean
  /** Only rules whose alerts changed. */
  readonly rules: readonly RuleAlertUpdate[]
}

/** Alerts are named by their position in the list of the rule, which keeps its order: new ones come last. */
export interface RuleAlertUpdate {
  /** Position of the rule among the rules of all groups. The alerts of removed rules come after the last rule. */
  readonly rule: number
  /** Rising positions, in the list as it was, of alerts that are no longer in it. */
  readonly removed: readonly number[]
  /** Positions in the new list. */
  readonly changed: readonly ChangedAlert[]
  readonly added: readonly RuleAlert[]
  /** Of all alerts of the new list. */
  readonly values: Float64Array
  readonly lastHeldAtMs: Float64Array
}

export interface ChangedAlert {
  readonly position: number
  readonly annotations: Readonly<Record<string, string>>
  readonly phase: AlertPhase
}

/** Remembers what was sent. An alert is never changed in place, nor is the map of a rule's alerts: what is the same object is unchanged. */
export class AlertUpdates {
  #groups: readonly GroupState[] | undefined
  /** By position of the rule; an absent one has no alerts. */
  #sent = new Map<number, TrackedAlerts>()
  #orphans: readonly OrphanAlert[] = []

  /** What changed since the call before. */
  next(groups: readonly GroupState[], orphans: readonly OrphanAlert[]): AlertUpdate {
    const isWhole = groups !== this.#groups
    if (isWhole) {
      this.#groups = groups
      this.#sent.clear()
      this.#orphans = []
    }
    const rules: RuleAlertUpdate[] = []
    const states = groups.flatMap((group) => group.rules.map((rule) => ({ group, rule })))
    for (const [position, { group, rule }] of states.entries()) {
      const before = this.#sent.get(position) ?? NONE
      if (rule.alerts === before || rule.alerts.size + before.size === 0) continue
      rules.push(updateOf(position, before, group, rule))
      this.#sent.set(position, rule.alerts)
    }
    if (!areSame(this.#orphans, orphans)) {
      // There are few, and for a quarter of an hour: all of them are sent.
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

/** HOT: once per alert and evaluation. Walks both maps side by side, because most alerts have the place they had. */
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
    // An alert that ended and began between two updates has another place now.
    else if (next.value[0] !== key) return replacement(rule, before.size, ruleAlertsOf(group, state))
    else {
      if (!isShownAlike(next.value[1], alert)) {
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

/** But for value and time. */
function isShownAlike(a: TrackedAlert, b: TrackedAlert): boolean {
  return a === b || (areSameFields(a.phase, b.phase) && areSameFields(a.annotations, b.annotations))
}

/** Of flat records. */
function areSameFields<T extends object>(a: T, b: T): boolean {
  if (a === b) return true
  const names = Object.keys(a) as (keyof T)[]
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name])
}
