/** How far the page can be trusted to show the present. Pure. */
export type Freshness =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live'; readonly ageMs: number }
  /** The server answers, but the answer is older than it should be. */
  | { readonly kind: 'old'; readonly ageMs: number }
  /** The last attempt failed; `ageMs` is absent when none ever worked. */
  | { readonly kind: 'offline'; readonly ageMs?: number }

/** Three polls of five seconds: one may be lost without anybody being told. */
export const OLD_AFTER_MS = 15_000

export function freshnessOf(asOfMs: number | undefined, isFailing: boolean, nowMs: number): Freshness {
  if (asOfMs === undefined) return isFailing ? { kind: 'offline' } : { kind: 'connecting' }
  const ageMs = Math.max(0, nowMs - asOfMs)
  if (isFailing) return { kind: 'offline', ageMs }
  return ageMs > OLD_AFTER_MS ? { kind: 'old', ageMs } : { kind: 'live', ageMs }
}
