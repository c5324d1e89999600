import { useSyncExternalStore } from 'react'
import { utcDayOf } from '../lib/utc-day.ts'

/**
 * The present, as the server sees it. Ages are counted with it, so a phone whose clock is wrong does not show an
 * alert of the future. The server's time travels in every answer (`asOfMs`); between answers the own clock counts on.
 */
let skewMs = 0
let nowMs = Date.now()
const listeners = new Set<() => void>()
/** The moment that is shown instead of the present. */
let heldMs: number | undefined
let timer: ReturnType<typeof setInterval> | undefined

/** Ages are shown to the second at most. */
const TICK_MS = 1000

function tick(): void {
  nowMs = Date.now() + skewMs
  for (const listener of listeners) listener()
}

/** Call when an answer arrives. An answer from a cache would set the clock back, so only fresh ones may. */
export function setServerTime(asOfMs: number): void {
  skewMs = asOfMs - Date.now()
  nowMs = asOfMs
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(tick, TICK_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** Shows the pages as they were: the clock stands at that moment until it is let go by `undefined`. */
export function holdClock(momentMs: number | undefined): void {
  if (momentMs === heldMs) return
  heldMs = momentMs
  tick()
}

export function useNowMs(): number {
  return useSyncExternalStore(subscribe, () => heldMs ?? nowMs)
}

/** A text about the present: what shows it is rendered again when the text changes, not every second. */
export function useNowText(textAt: (nowMs: number) => string): string {
  return useSyncExternalStore(subscribe, () => textAt(heldMs ?? nowMs))
}

/** The present day in UTC, `2026-11-21`; changes at midnight and not every second. */
export function useUtcDay(): string {
  return useNowText(utcDayOf)
}

/** For code outside components. */
export function serverNowMs(): number {
  return heldMs ?? Date.now() + skewMs
}

/** The present, also where a page shows the past. */
export function presentMs(): number {
  return Date.now() + skewMs
}

/** A moment of this machine's clock, as the server's clock says it. */
export function toServerTime(ownMs: number): number {
  return ownMs + skewMs
}
