import type { AcceptanceRequest } from '../../contract/readiness.ts'
import { fromFieldTime, type Zone } from './format-time.ts'

/** The acceptance of a risk, while it is edited. Pure: the present is an argument. */
export interface RiskDraft {
  readonly hazard: AcceptanceRequest['hazard']
  readonly of: Pick<AcceptanceRequest, 'clusters' | 'selector' | 'to'>
  readonly reason: string
  /** The value of the date field, in the reader's zone. */
  readonly until: string
}

const FRIDAY = 5
const END_OF_DAY_HOUR = 18
const DAY_MS = 86_400_000

/** The next Friday at 18:00, as a date field has it: a week at most, and after a working day. */
export function nextFriday(nowMs: number, zone: Zone): string {
  const offsetMs = zone === 'utc' ? 0 : new Date(nowMs).getTimezoneOffset() * 60_000
  const local = new Date(nowMs - offsetMs)
  const days = (FRIDAY - local.getUTCDay() + 7) % 7
  const friday = new Date(local.getTime() + days * DAY_MS)
  friday.setUTCHours(END_OF_DAY_HOUR, 0, 0, 0)
  const chosen = friday.getTime() > local.getTime() ? friday : new Date(friday.getTime() + 7 * DAY_MS)
  return chosen.toISOString().slice(0, 16)
}

/** Why the acceptance cannot be sent, or `undefined`. */
export function riskFault({ reason, until }: RiskDraft, nowMs: number, zone: Zone): string | undefined {
  const atMs = fromFieldTime(until, zone)
  if (atMs === undefined) return 'Enter when the acceptance expires.'
  if (atMs <= nowMs) return 'The expiry must be in the future.'
  if (reason.trim() === '') return 'Enter a reason.'
  return undefined
}

/** @param by left out when empty */
export function riskRequest({ hazard, of, reason, until }: RiskDraft, by: string, zone: Zone): AcceptanceRequest {
  const atMs = fromFieldTime(until, zone)
  return {
    hazard,
    ...of,
    reason: reason.trim(),
    expiresAt: atMs === undefined ? '' : new Date(atMs).toISOString(),
    ...(by.trim() === '' ? {} : { by: by.trim() }),
  }
}
