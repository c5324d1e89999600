import type { Random } from '../random.ts'
import type { Release } from '../release.ts'
import { HOUR_MS, SECOND_MS } from '../scenarios/window.ts'
import { STALLS, type HcoUpgrade, type HistoryStall, type StallKind } from './cluster-history.ts'

/** What an upgrade is to become; the rest is drawn. */
export interface UpgradeWish {
  readonly index: number
  readonly from: Release
  readonly to: Release
  /** The CSV that the new one replaces, when it is not that of `from`: an upgrade that was given up. */
  readonly replaces?: Release
  readonly offeredMs: number
  /** How long a person takes to approve; 0 where OLM does it. */
  readonly approvalMs: number
  readonly stall?: { readonly kind: StallKind; readonly lastsMs: number }
  /** The upgrade before ends then, and holds its CSV in Pending until it does. */
  readonly gateMs?: number | undefined
  /** The CSV fails for good, a while after its pods came. */
  readonly fails?: boolean
  readonly outcome: HcoUpgrade['outcome']
  /** When it is given up; infinity when never. */
  readonly abortedMs: number
}

/** Walks through an upgrade's steps; a stall is waited out where it is wished for. */
export interface StepClock {
  nowMs(): number
  /** Goes on by `min` to `max` seconds, after the stall when it is wished for here. */
  after(min: number, max: number, stallsAs?: StallKind): number
  /** Waits, and remembers it as a stall when it is long. */
  waits(kind: StallKind, lastsMs: number): void
  /** How long the stall of this kind lasts that begins now; `undefined` when it is not wished for. */
  stopsAt(kind: StallKind): number | undefined
  /** Goes on to a time, when that is later. */
  skipTo(timeMs: number): void
  stall(): HistoryStall | undefined
}

export function stepClock(random: Random, wish: UpgradeWish): StepClock {
  let atMs = wish.offeredMs
  let stall: HistoryStall | undefined
  let waited: HistoryStall | undefined
  const stallFrom = (kind: StallKind, fromMs: number, lastsMs: number): HistoryStall => ({
    ...{ kind, ...STALLS[kind], fromMs, untilMs: Math.min(fromMs + lastsMs, wish.abortedMs) },
  })
  const stopsAt = (kind: StallKind): number | undefined => {
    if (wish.stall?.kind !== kind) return undefined
    stall = stallFrom(kind, atMs, wish.stall.lastsMs)
    return wish.stall.lastsMs
  }
  return {
    nowMs: () => atMs,
    stopsAt,
    after(min, max, stallsAs) {
      if (stallsAs !== undefined) atMs += stopsAt(stallsAs) ?? 0
      atMs += random.int(min, max) * SECOND_MS
      return atMs
    },
    waits(kind, lastsMs) {
      if (lastsMs > 24 * HOUR_MS) waited = stallFrom(kind, atMs, lastsMs)
      atMs += lastsMs
    },
    skipTo(timeMs) {
      atMs = Math.max(atMs, timeMs)
    },
    // Of two, the one that was not people's waiting.
    stall: () => stall ?? waited,
  }
}
