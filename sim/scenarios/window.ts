/** Things that are true for a while: once, or again and again. Bounds: `fromMs` is inside, `untilMs` is not. */
export interface Window {
  readonly fromMs: number
  readonly untilMs: number
}

/** True from `anchorMs` for `onMs`, then again every `everyMs`; never before `anchorMs`. */
export interface Recurring {
  readonly anchorMs: number
  readonly onMs: number
  readonly everyMs: number
}

export const SECOND_MS = 1000
export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS

/** The window that holds `timeMs`, if any. */
export function windowAt(recurring: Recurring | undefined, timeMs: number): Window | undefined {
  if (recurring === undefined || timeMs < recurring.anchorMs) return undefined
  const { anchorMs, onMs, everyMs } = recurring
  const fromMs = anchorMs + Math.floor((timeMs - anchorMs) / everyMs) * everyMs
  return timeMs < fromMs + onMs ? { fromMs, untilMs: fromMs + onMs } : undefined
}

export function isWithin(window: Window, timeMs: number): boolean {
  return timeMs >= window.fromMs && timeMs < window.untilMs
}
