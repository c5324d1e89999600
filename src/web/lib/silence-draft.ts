import type { MatcherItem, SilenceItem, SilenceRequest } from '../../contract/silences.ts'
import { formatDay, formatTimeOfDay, fromFieldTime, type Zone } from './format-time.ts'
import { matchersFault } from './silence-matchers.ts'

/** A silence while it is edited. Pure: the present is an argument. */
export interface SilenceDraft {
  /** The existing silence; absent for a new one. */
  readonly id?: string
  readonly matchers: readonly MatcherItem[]
  readonly length: SilenceLength
  /** The value of the date field, in the reader's zone; used with the length `until`. */
  readonly until: string
  readonly comment: string
}

export type SilenceLength = '1h' | '4h' | '1d' | 'resolved' | 'until'

const HOUR_MS = 3_600_000

const LENGTHS_MS: Readonly<Record<Exclude<SilenceLength, 'until'>, number>> = {
  '1h': HOUR_MS,
  '4h': 4 * HOUR_MS,
  '1d': 24 * HOUR_MS,
  // The latest end: an alert that never resolves notifies again after a week.
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

/** The latest end; `NaN` when the date field has no date. */
export function endOf({ length, until }: SilenceDraft, nowMs: number, zone: Zone): number {
  if (length !== 'until') return nowMs + LENGTHS_MS[length]
  return fromFieldTime(until, zone) ?? NaN
}

/** Why the silence cannot be saved, or `undefined`. */
export function draftFault(draft: SilenceDraft, nowMs: number, zone: Zone): string | undefined {
  const fault = matchersFault(draft.matchers)
  if (fault !== undefined) return fault
  const endsAtMs = endOf(draft, nowMs, zone)
  if (Number.isNaN(endsAtMs)) return 'Enter an end time.'
  if (endsAtMs <= nowMs) return 'The end is in the past.'
  if (draft.comment.trim() === '') return 'Enter a comment: it explains the silence to others.'
  return undefined
}

/** @param by omitted when empty */
export function requestOf(draft: SilenceDraft, by: string, nowMs: number, zone: Zone): SilenceRequest {
  return {
    matchers: [...draft.matchers],
    endsAtMs: endOf(draft, nowMs, zone),
    comment: draft.comment.trim(),
    untilResolved: draft.length === 'resolved',
    ...(by.trim() === '' ? {} : { createdBy: by.trim() }),
  }
}

/** `2026-11-04T14:03`, the format of a `datetime-local` field. */
export function toDateField(timeMs: number, zone: Zone): string {
  return `${formatDay(timeMs, zone)}T${formatTimeOfDay(timeMs, zone).slice(0, 5)}`
}
