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
    marks.push({ kind: 'acknowledged', word: 'acknowledged', reason: `${acknowledged.by} has seen it: ${note}` })
  }
  if (silencedBy.length > 0) {
    marks.push({
      kind: 'silenced',
      word: 'silenced',
      reason: `${countOf(silencedBy.length, 'silence keeps', 'silences keep')} it from paging anybody`,
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
      reason: `${countOf(inhibitedBy.length, 'other alert speaks', 'other alerts speak')} for it: a worse one of the same thing is told instead`,
    })
  }
  if (mutedBy.length > 0) {
    marks.push({ kind: 'muted', word: 'muted', reason: `Nobody is paged in ${mutedBy.join(', ')}` })
  }
  if (alert.source === 'external') {
    marks.push({
      kind: 'external',
      word: 'external',
      reason:
        alert.generatorUrl === undefined
          ? 'Sent by somebody else, not by a rule here'
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
  if (delivered.length > 0) return { isGood: true, sentence: `Yes: ${delivered.join(', ')}.` }
  const failed = [...new Set(deliveries.map((one) => one.receiver))]
  if (failed.length > 0) return { isGood: false, sentence: `No: ${failed.join(', ')} could not be reached.` }
  if (receivers.length === 0) return { isGood: false, sentence: 'No: no receiver is configured for it.' }
  if (alert.state === 'pending') return { isGood: true, sentence: 'Not yet: it waits, and only what fires is told.' }
  const held = decisions.find(({ sends }) => !sends)
  if (held !== undefined) return { isGood: false, sentence: `No: ${reasonWords(held.reason)}.` }
  return { isGood: true, sentence: `Not yet: ${receivers.join(', ')} will be told with the next group.` }
}

const REASON_WORDS: Readonly<Record<string, string>> = {
  first: 'first notification of its group',
  new_alerts: 'the group has new alerts',
  resolved: 'it resolved',
  repeat_due: 'the repeat interval has passed',
  nothing_new: 'nothing new since the last notification',
  silenced_by: 'a silence hides it',
  inhibited_by: 'another alert speaks for it',
  expected_in_upgrade: 'an upgrade is expected to raise it',
  muted_by: 'a time interval mutes it',
  acknowledged: 'somebody has acknowledged it',
}

/** A reason of the notification pipeline (`silenced_by`, or `silenced_by: 5f…`) in words; an unknown reason unchanged. */
export function reasonWords(reason: string): string {
  const [, code = '', rest = ''] = /^([a-z_]+)(.*)$/s.exec(reason) ?? []
  const words = REASON_WORDS[code]
  if (words === undefined) return reason.replaceAll('_', ' ')
  const detail = rest.replace(/^[:\s(]+|[)\s]+$/g, '')
  return detail === '' ? words : `${words} (${detail})`
}
