/**
 * When groups are evaluated, and at which evaluation time. A hash of the group's name gives its offset inside the interval,
 * so groups do not all query at once and a group keeps its offset over restarts. Pure: time is an argument.
 *
 * A group is evaluated at its scheduled time even when the evaluation runs late, as in Prometheus: `for: 5m` is then ten
 * evaluations of 30 s, not eleven because one of them was late.
 */

export interface GroupSchedule {
  readonly intervalMs: number
  /** In [0, intervalMs). */
  readonly offsetMs: number
}

/** Offset of a group inside its interval; in [0, intervalMs). */
export type OffsetOf = (groupKey: string, intervalMs: number) => number

/** Whole seconds for intervals of whole seconds: the evaluation cycle runs on those, so no evaluation is late. */
export const spreadOffset: OffsetOf = (groupKey, intervalMs) => {
  const unitMs = intervalMs % 1000 === 0 ? 1000 : 1
  return (hash32(groupKey) % (intervalMs / unitMs)) * unitMs
}

export type Due =
  /** `timeMs` is not after now; `missed` scheduled evaluations were skipped since the last one. */
  | { readonly isDue: true; readonly timeMs: number; readonly missed: number }
  | { readonly isDue: false; readonly nextMs: number }

/**
 * Whether a group is due at `nowMs`. The first evaluation is due at once, because users wait for results after a start.
 * After the clock was set back by at most one interval nothing is evaluated twice; further back, the group is due at once.
 */
export function dueAt(schedule: GroupSchedule, lastMs: number | undefined, nowMs: number): Due {
  if (lastMs === undefined) return { isDue: true, timeMs: nowMs, missed: 0 }
  const slots = slotOf(schedule, nowMs) - slotOf(schedule, lastMs)
  if (nowMs > lastMs && slots > 0) {
    return { isDue: true, timeMs: slotStartMs(schedule, slotOf(schedule, nowMs)), missed: slots - 1 }
  }
  if (lastMs - nowMs > schedule.intervalMs) return { isDue: true, timeMs: nowMs, missed: 0 }
  return { isDue: false, nextMs: nextSlotMs(schedule, Math.max(nowMs, lastMs)) }
}

/** The first scheduled time after `timeMs`. */
export function nextSlotMs(schedule: GroupSchedule, timeMs: number): number {
  return slotStartMs(schedule, slotOf(schedule, timeMs) + 1)
}

/** The number of the interval that contains `timeMs`. */
function slotOf({ intervalMs, offsetMs }: GroupSchedule, timeMs: number): number {
  return Math.floor((timeMs - offsetMs) / intervalMs)
}

function slotStartMs({ intervalMs, offsetMs }: GroupSchedule, slot: number): number {
  return slot * intervalMs + offsetMs
}

/** FNV-1a over UTF-16 code units: spread, not secrecy. */
function hash32(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0
  return hash
}
