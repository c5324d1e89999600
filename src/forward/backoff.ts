/** The pause before the next attempt: twice as long after each failure, with a random part, so that senders do not retry together. */
const FIRST_MS = 500
const LONGEST_MS = 30_000
/** The longest pause that the remote side may request. */
const RETRY_AFTER_MS_MAX = 5 * 60_000

/**
 * @param failures in a row, from 1
 * @param random from 0 to 1
 */
export function pauseMs(failures: number, random: number, retryAfterMs = 0): number {
  const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 16))
  return Math.max(longest * (0.5 + random / 2), Math.min(retryAfterMs, RETRY_AFTER_MS_MAX))
}
