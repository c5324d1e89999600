import type { AlertItem, AlertMarks } from '../../contract/alerts.ts'
import { countOf } from './format-number.ts'

/** Why an alert does not notify anybody (silenced, inhibited, ...), with the reason in words. Pure. */

export const NO_MARKS: AlertMarks = { silencedBy: [], inhibitedBy: [], mutedBy: [], receivers: [], decisions: [] }

export type MarkKind = 'silenced' | 'acknowledged' | 'expected' | 'inhibited' | 'muted' | 'external'

export interface AlertMark {
  readonly kind: MarkKind
  readonly word: string
  /** A sentence: who, what, until when. */
  readonly reason: string
}

export function marksOf(alert: Pick<AlertItem, 'marks' | 'source' | 'generatorUrl'>): AlertMark[] {
  const { acknowledged, expected, silencedBy, inhibitedBy, mutedBy } = alert.marks ?? NO_MARKS
  const marks: AlertMark[] = []
  if (acknowledged !== undefined) {
    const note = acknowledged.note === '' ? 'without a note' : `“${acknowledged.note}”`
    marks.push({ kind: 'acknowledged', word: 'acknowledged', reason: `Acknowledged by ${acknowledged.by}: ${note}` })
  }
  if (silencedBy.length > 0) {
    marks.push({
      kind: 'silenced',
      word: 'silenced',
      reason: `${countOf(silencedBy.length, 'silence suppresses', 'silences suppress')} its notifications`,
    })
  }
  if (expected !== undefined) {
    marks.push({
      kind: 'expected',
      word: 'expected',
      reason: `Expected in the upgrade of ${expected.title}, phase ${expected.phase}: ${expected.reason}`,
    })
  }
  if (inhibitedBy.length > 0) {
    marks.push({
      kind: 'inhibited',
      word: 'inhibited',
      reason: `Inhibited by ${countOf(inhibitedBy.length, 'other firing alert')}: only the inhibiting alert notifies`,
    })
  }
  if (mutedBy.length > 0) {
    marks.push({ kind: 'muted', word: 'muted', reason: `Muted by the time interval ${mutedBy.join(', ')}` })
  }
  if (alert.source === 'external') {
    marks.push({
      kind: 'external',
      word: 'external',
      reason:
        alert.generatorUrl === undefined
          ? 'Sent by an external source, not by a rule of this server'
          : `Sent by ${alert.generatorUrl}`,
    })
  }
  return marks
}

/** Whether the alert is suppressed or acknowledged. */
export function isHeldBack(alert: Pick<AlertItem, 'marks'>): boolean {
  const { acknowledged, expected, silencedBy, inhibitedBy, mutedBy } = alert.marks ?? NO_MARKS
  return (
    acknowledged !== undefined || expected !== undefined || silencedBy.length + inhibitedBy.length + mutedBy.length > 0
  )
}

/** Whether the alert was delivered, in one sentence; `isGood` is false when nobody may know of the alert. */
export interface DeliverySentence {
  readonly isGood: boolean
  readonly sentence: string
}

export function deliverySentence(
  alert: Pick<AlertItem, 'marks' | 'state'>,
  deliveries: readonly { readonly outcome: string; readonly receiver: string }[],
): DeliverySentence {
  const { receivers, decisions } = alert.marks ?? NO_MARKS
  const delivered = [...new Set(deliveries.filter(({ outcome }) => outcome === 'delivered').map((one) => one.receiver))]
  if (delivered.length > 0) return { isGood: true, sentence: `Delivered to ${delivered.join(', ')}.` }
  const failed = [...new Set(deliveries.map((one) => one.receiver))]
  if (failed.length > 0) return { isGood: false, sentence: `Not delivered: ${failed.join(', ')} could not be reached.` }
  if (receivers.length === 0)
    return { isGood: false, sentence: 'Not notified: no receiver is configured for this alert.' }
  if (alert.state === 'pending')
    return { isGood: true, sentence: 'Not notified yet: the alert is pending, and only firing alerts notify.' }
  const held = decisions.find(({ sends }) => !sends)
  if (held !== undefined) return { isGood: false, sentence: `Not notified: ${reasonWords(held.reason)}.` }
  return { isGood: true, sentence: `Not notified yet: ${receivers.join(', ')} will be notified with the next group.` }
}

const REASON_WORDS: Readonly<Record<string, string>> = {
  first: 'first notification of its group',
  new_alerts: 'the group has new alerts',
  resolved: 'the alert resolved',
  repeat_due: 'the repeat interval has passed',
  nothing_new: 'no change since the last notification',
  silenced_by: 'silenced',
  inhibited_by: 'inhibited by another alert',
  expected_in_upgrade: 'expected during an upgrade',
  muted_by: 'muted by a time interval',
  acknowledged: 'already acknowledged',
}

/** A reason of the notification pipeline (`silenced_by`, or `silenced_by: 5f…`) in words; an unknown reason unchanged. */
export function reasonWords(reason: string): string {
  const [, code = '', rest = ''] = /^([a-z_]+)(.*)$/s.exec(reason) ?? []
  const words = REASON_WORDS[code]
  if (words === undefined) return reason.replaceAll('_', ' ')
  const detail = rest.replace(/^[:\s(]+|[)\s]+$/g, '')
  return detail === '' ? words : `${words} (${detail})`
}
