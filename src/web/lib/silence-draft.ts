import type { MatcherItem, SilenceItem, SilenceRequest } from '../../contract/silences.ts'
import { formatDay, formatTimeOfDay } from './format-time.ts'
import type { Zone } from './format-time.ts'
import { matchersFault } from './silence-matchers.ts'

/** A silence while somebody writes it. Pure: the present is an argument. */
export interface SilenceDraft {
  /** Of the silence that is edited. */
  readonly id?: string
  readonly matchers: readonly MatcherItem[]
  readonly length: SilenceLength
  /** The end as a date field holds it, in the reader's zone; only looked at with `until`. */
  readonly until: string
  readonly comment: string
}

export type SilenceLength = '1h' | '4h' | '1d' | 'resolved' | 'until'

const HOUR_MS = 3_600_000

const LENGTHS_MS: Readonly<Record<Exclude<SilenceLength, 'until'>, number>> = {
  '1h': HOUR_MS,
  '4h': 4 * HOUR_MS,
  '1d': 24 * HOUR_MS,
  // The latest end: an alert that never resolves is looked at again after a week.
  resolved: 7 * 24 * HOUR_MS,
}

export function newDraft(matchers: readonly MatcherItem[], nowMs: number, zone: Zone): SilenceDraft {
  return { matchers, length: '1h', until: toDateField(nowMs + 4 * HOUR_MS, zone), comment: '' }
}

export function draftOf(silence: SilenceItem, zone: Zone): SilenceDraft {
  return {
    id: silence.id,
    matchers: silence.matchers,
    length: silence.untilResolved ? 'resolved' : 'until',
    until: toDateField(silence.endsAtMs, zone),
    comment: silence.comment,
  }
}

/** When it ends at the latest; `NaN` when the date field holds no date. */
export function endOf({ length, until }: SilenceDraft, nowMs: number, zone: Zone): number {
  if (length !== 'until') return nowMs + LENGTHS_MS[length]
  return Date.parse(zone === 'utc' ? `${until}Z` : until)
}

/** Why it cannot be sent yet, or `undefined`. */
export function draftFault(draft: SilenceDraft, nowMs: number, zone: Zone): string | undefined {
  const fault = matchersFault(draft.matchers)
  if (fault !== undefined) return fault
  const endsAtMs = endOf(draft, nowMs, zone)
  if (Number.isNaN(endsAtMs)) return 'Say until when.'
  if (endsAtMs <= nowMs) return 'The end is in the past.'
  if (draft.comment.trim() === '') return 'Say why, for those who find it: a comment is needed.'
  return undefined
}

/** @param by left out when empty */
export function requestOf(draft: SilenceDraft, by: string, nowMs: number, zone: Zone): SilenceRequest {
  return {
    matchers: [...draft.matchers],
    endsAtMs: endOf(draft, nowMs, zone),
    comment: draft.comment.trim(),
    untilResolved: draft.length === 'resolved',
    ...(by.trim() === '' ? {} : { createdBy: by.trim() }),
  }
}

/** `2026-11-04T14:03`, as a date and time field wants it. */
export function toDateField(timeMs: number, zone: Zone): string {
  return `${formatDay(timeMs, zone)}T${formatTimeOfDay(timeMs, zone).slice(0, 5)}`
}
