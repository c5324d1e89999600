import type { AskParams } from './adoption-call.ts'
import { formatMomentParam } from './moment.ts'
import { addUtcDays, utcDayStartMs } from './utc-day.ts'

/** The days of a citation link, whose numbers must not change. Pure. */
export interface CitedDays {
  readonly from: string
  readonly to: string
  /** The end of the last day; absent while that day lasts and its numbers still change. */
  readonly at: string | undefined
}

interface Counted {
  readonly to: string
  readonly missingDays: readonly string[]
}

/**
 * Ends with the last counted day that is over, because the counts of the present day change until midnight. Falls back to
 * the present day when no other day was counted.
 * @param today by the server's clock
 */
export function citedDays(asked: AskParams, { to, missingDays }: Counted, today: string): CitedDays {
  const missing = new Set(missingDays)
  const from = asked.from ?? addUtcDays(to, -90)
  let last = to < today ? to : addUtcDays(today, -1)
  while (last >= from && missing.has(last)) last = addUtcDays(last, -1)
  if (last < from) return { from, to, at: undefined }
  return { from, to: last, at: formatMomentParam(utcDayStartMs(addUtcDays(last, 1))) }
}
