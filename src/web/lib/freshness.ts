/** Whether the page shows the present. Pure. */
export type Freshness =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live'; readonly ageMs: number }
  /** The answer of the server is too old. */
  | { readonly kind: 'old'; readonly ageMs: number }
  /** The last attempt failed; `ageMs` is absent when none ever worked. */
  | { readonly kind: 'offline'; readonly ageMs?: number }

/** Three polls of five seconds: one may fail silently. */
export const OLD_AFTER_MS = 15_000

/** @param pollMs the poll interval, if longer than usual; `false`: paused */
export function freshnessOf(
  asOfMs: number | undefined,
  isFailing: boolean,
  nowMs: number,
  pollMs: number | false = 0,
): Freshness {
  if (asOfMs === undefined) return isFailing ? { kind: 'offline' } : { kind: 'connecting' }
  const ageMs = Math.max(0, nowMs - asOfMs)
  if (isFailing) return { kind: 'offline', ageMs }
  const isOld = pollMs !== false && ageMs > pollMs + OLD_AFTER_MS
  return isOld ? { kind: 'old', ageMs } : { kind: 'live', ageMs }
}
