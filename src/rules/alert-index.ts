/** The alerts of all rules on a thread that does not evaluate them, built from `AlertUpdate`s. */
import { invariant } from '../base/invariant.ts'
import type { AlertUpdate, RuleAlertUpdate } from './alert-update.ts'
import type { RuleAlert } from '../model/alert.ts'

export class AlertIndex {
  readonly #byRule = new Map<number, readonly RuleAlert[]>()
  #all: readonly RuleAlert[] | undefined

  /** The same alerts as `RuleEngine.alerts`: in the order of their rules, with those resolved in the last 15 minutes. */
  all(): readonly RuleAlert[] {
    this.#all ??= [...this.#byRule].sort(([a], [b]) => a - b).flatMap(([, alerts]) => alerts)
    return this.#all
  }

  apply({ isWhole, rules }: AlertUpdate): void {
    if (isWhole) this.#byRule.clear()
    else if (rules.length === 0) return
    this.#all = undefined
    for (const update of rules) this.#byRule.set(update.rule, updated(this.#byRule.get(update.rule) ?? [], update))
  }
}

function updated(before: readonly RuleAlert[], update: RuleAlertUpdate): readonly RuleAlert[] {
  const { removed, changed, added, values, lastHeldAtMs } = update
  const removedPositions = new Set(removed)
  const remaining = removed.length === 0 ? before : before.filter((_, position) => !removedPositions.has(position))
  const alerts = remaining.concat(added)
  invariant(alerts.length === values.length, 'an update of alerts fits the one before it')
  for (const { position, annotations, phase } of changed) {
    const { fingerprint, labels, ruleKey, rule, value, lastHeldAtMs } = alerts[position]!
    alerts[position] = { fingerprint, labels, annotations, ...phase, lastHeldAtMs, value, ruleKey, rule }
  }
  for (let i = 0; i < alerts.length; i++) {
    const alert = alerts[i]!
    const [value, heldAtMs] = [values[i]!, lastHeldAtMs[i]!]
    if (alert.lastHeldAtMs === heldAtMs && Object.is(alert.value, value)) continue
    alerts[i] = { ...alert, value, lastHeldAtMs: heldAtMs }
  }
  return alerts
}
