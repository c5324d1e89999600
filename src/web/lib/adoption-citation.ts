import type { AskParams } from './adoption-call.ts'
import { formatMomentParam } from './moment.ts'
import { addUtcDays, utcDayStartMs } from './utc-day.ts'

/** Which days a link holds that is to say the same for ever. Pure. */
export interface CitedDays {
  readonly from: string
  readonly to: string
  /** When the last of them was over; absent: it is not, and its numbers will change. */
  readonly at: string | undefined
}

interface Counted {
  readonly to: string
  readonly missingDays: readonly string[]
}

/**
 * Ends with the last counted day that is over: the counts of the present one go on changing until midnight. When no other
 * day was counted, it has to be that one.
 * @param today as the server's clock says
 */
export function citedDays(asked: AskParams, { to, missingDays }: Counted, today: string): CitedDays {
  const missing = new Set(missingDays)
  const from = asked.from ?? addUtcDays(to, -90)
  let last = to < today ? to : addUtcDays(today, -1)
  while (last >= from && missing.has(last)) last = addUtcDays(last, -1)
  if (last < from) return { from, to, at: undefined }
  return { from, to: last, at: formatMomentParam(utcDayStartMs(addUtcDays(last, 1))) }
}
