/**
 * When groups are evaluated, and for which time. Each has a place of its own inside its interval, by a hash of its name, so
 * that groups do not all ask at once and a group keeps its beat over restarts. Pure: it is told the time.
 *
 * A group is evaluated for the time of its beat, however late that is, as Prometheus does: `for: 5m` is then ten beats of
 * 30 s, and not eleven because one of them came a little late.
 */

export interface Beat {
  readonly intervalMs: number
  /** In [0, intervalMs). */
  readonly offsetMs: number
}

/** Where in its interval the beat of a group is; in [0, intervalMs). */
export type OffsetOf = (groupKey: string, intervalMs: number) => number

/** Whole seconds where the interval is: the heart beats on those, and no beat is late then. */
export const spreadOffset: OffsetOf = (groupKey, intervalMs) => {
  const unitMs = intervalMs % 1000 === 0 ? 1000 : 1
  return (hash32(groupKey) % (intervalMs / unitMs)) * unitMs
}

export type Due =
  /** For `timeMs`, which is not after now; `missed` beats passed without an evaluation since the last one. */
  | { readonly isDue: true; readonly timeMs: number; readonly missed: number }
  | { readonly isDue: false; readonly nextMs: number }

/**
 * Whether a group is due at `nowMs`. The first evaluation is due at once: people wait for a screen after a start.
 * A clock that was set back by less than one interval evaluates nothing twice; one set back further starts a new beat.
 */
export function dueAt(beat: Beat, lastMs: number | undefined, nowMs: number): Due {
  if (lastMs === undefined) return { isDue: true, timeMs: nowMs, missed: 0 }
  const beats = slotOf(beat, nowMs) - slotOf(beat, lastMs)
  if (nowMs > lastMs && beats > 0) {
    return { isDue: true, timeMs: slotStartMs(beat, slotOf(beat, nowMs)), missed: beats - 1 }
  }
  if (lastMs - nowMs > beat.intervalMs) return { isDue: true, timeMs: nowMs, missed: 0 }
  return { isDue: false, nextMs: slotStartMs(beat, slotOf(beat, Math.max(nowMs, lastMs)) + 1) }
}

/** When the first beat after `timeMs` comes. */
export function nextSlotMs(beat: Beat, timeMs: number): number {
  return slotStartMs(beat, slotOf(beat, timeMs) + 1)
}

/** The number of the interval that holds `timeMs`. */
function slotOf({ intervalMs, offsetMs }: Beat, timeMs: number): number {
  return Math.floor((timeMs - offsetMs) / intervalMs)
}

function slotStartMs({ intervalMs, offsetMs }: Beat, slot: number): number {
  return slot * intervalMs + offsetMs
}

/** FNV-1a over UTF-16 code units: spread, not secrecy. */
function hash32(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0
  return hash
}
