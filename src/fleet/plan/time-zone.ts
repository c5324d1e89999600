/** Wall-clock times of IANA time zones, with their changes to and from daylight-saving time. */

export interface WallTime {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  readonly day: number
  /** Since midnight; 1440 is the next midnight. */
  readonly minutes: number
}

export interface TimeZone {
  readonly name: string
  /**
   * The time in UTC. A wall time that is skipped is as much later as the clock jumps; of one that comes twice the
   * first or the last.
   */
  timeMs(wall: WallTime, which: 'first' | 'last'): number
  wallOf(timeMs: number): WallTime & { /** 0: Sunday. */ readonly weekday: number }
}

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** Names are short; a longer text is none. */
const NAME_CHARS_MAX = 64

/** `undefined`: no time zone. */
export function timeZoneOf(name: string): TimeZone | undefined {
  let format: Intl.DateTimeFormat
  try {
    if (name.length > NAME_CHARS_MAX) return undefined
    format = new Intl.DateTimeFormat('en-US', {
      ...{ timeZone: name, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
      ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
    })
  } catch {
    return undefined
  }
  /** The wall time of a moment, as if it were UTC. */
  const wallMs = (timeMs: number): number => {
    const parts = new Map(format.formatToParts(timeMs).map(({ type, value }) => [type, Number(value)]))
    const of = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0
    return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'))
  }
  const offsetMs = (timeMs: number): number => wallMs(timeMs) - Math.floor(timeMs / 1000) * 1000
  return {
    name,
    timeMs: ({ year, month, day, minutes }, which) => {
      const asUtcMs = Date.UTC(year, month - 1, day) + minutes * MINUTE_MS
      // The offsets a day before and after are those on both sides of a change.
      const offsets = [offsetMs(asUtcMs - DAY_MS), offsetMs(asUtcMs + DAY_MS)]
      const fitting = offsets.map((offset) => asUtcMs - offset).filter((ms) => wallMs(ms) === asUtcMs)
      if (fitting.length === 0) return asUtcMs - offsets[0]!
      return which === 'first' ? Math.min(...fitting) : Math.max(...fitting)
    },
    wallOf: (timeMs) => {
      const wall = new Date(wallMs(timeMs))
      return {
        year: wall.getUTCFullYear(),
        month: wall.getUTCMonth() + 1,
        day: wall.getUTCDate(),
        minutes: wall.getUTCHours() * 60 + wall.getUTCMinutes(),
        weekday: wall.getUTCDay(),
      }
    },
  }
}
