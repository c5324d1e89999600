/**
 * Maintenance windows that repeat each week: `Sat 22:00-06:00`, `Mon-Fri 20:00-23:00`, `Sat,Sun 08:00-18:00`, `daily
 * 01:00-05:00`, in wall-clock time. A window that ends at or before its start ends on the next day.
 */
import type { TimeZone } from './time-zone.ts'

export interface WeeklyWindow {
  /** Of the start; 0: Sunday. */
  readonly weekdays: readonly number[]
  readonly startMinutes: number
  /** Up to 48 hours after the midnight of the start. */
  readonly endMinutes: number
}

export interface TimeSpan {
  readonly startMs: number
  readonly endMs: number
}

/** The windows of a request. */
export const WINDOWS_MAX = 20
export const WINDOW_FORM = 'days and times such as Sat 22:00-06:00, Mon-Fri 20:00-23:00 or daily 01:00-05:00'

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const
const DAY_MINUTES = 24 * 60
const DAY_MS = DAY_MINUTES * 60_000
const TIMES = /^(\d{1,2}):(\d{2})-(\d{1,2}):(\d{2})$/

/** `undefined`: no window. */
export function weeklyWindowOf(text: string): WeeklyWindow | undefined {
  const [days = '', times = '', ...more] = text.trim().toLowerCase().split(/\s+/)
  const [weekdays, parts] = [weekdaysOf(days), TIMES.exec(times)]
  if (weekdays === undefined || parts === null || more.length > 0) return undefined
  const [fromHour, fromMinute, toHour, toMinute] = parts.slice(1).map(Number) as [number, number, number, number]
  const [startMinutes, endOfDay] = [fromHour * 60 + fromMinute, toHour * 60 + toMinute]
  if (fromMinute > 59 || toMinute > 59 || startMinutes >= DAY_MINUTES || endOfDay > DAY_MINUTES) return undefined
  return { weekdays, startMinutes, endMinutes: endOfDay > startMinutes ? endOfDay : endOfDay + DAY_MINUTES }
}

function weekdaysOf(text: string): readonly number[] | undefined {
  if (text === 'daily') return DAYS.map((_, day) => day)
  const found = new Set<number>()
  for (const part of text.split(',')) {
    const [first = '', last = first, ...more] = part.split('-')
    const [from, to] = [first, last].map((name) => DAYS.findIndex((day) => day === name))
    if (from === -1 || to === -1 || more.length > 0) return undefined
    for (let day = from!; ; day = (day + 1) % DAYS.length) {
      found.add(day)
      if (day === to) break
    }
  }
  return [...found].sort()
}

/** The spans of all windows between two times, in order; spans that touch or overlap are one. */
export function windowSpans(
  windows: readonly WeeklyWindow[],
  zone: TimeZone,
  fromMs: number,
  untilMs: number,
): readonly TimeSpan[] {
  const spans: TimeSpan[] = []
  // A window of the day before may still be open, and one may last two days.
  for (let dayMs = fromMs - 2 * DAY_MS; dayMs <= untilMs + DAY_MS; dayMs += DAY_MS) {
    // Noon is a time of each day, whatever the clock does at night.
    const { year, month, day } = zone.wallOf(dayMs)
    const noon = zone.wallOf(zone.timeMs({ year, month, day, minutes: DAY_MINUTES / 2 }, 'first'))
    for (const { weekdays, startMinutes, endMinutes } of windows) {
      if (!weekdays.includes(noon.weekday)) continue
      const startMs = zone.timeMs({ year, month, day, minutes: startMinutes }, 'first')
      const endMs = zone.timeMs({ year, month, day, minutes: endMinutes }, 'last')
      if (endMs > fromMs && startMs < untilMs) spans.push({ startMs: Math.max(startMs, fromMs), endMs })
    }
  }
  return joined(spans.sort((a, b) => a.startMs - b.startMs || a.endMs - b.endMs))
}

function joined(spans: readonly TimeSpan[]): readonly TimeSpan[] {
  const all: TimeSpan[] = []
  for (const span of spans) {
    const last = all.at(-1)
    if (last === undefined || span.startMs > last.endMs) all.push(span)
    else all[all.length - 1] = { ...last, endMs: Math.max(last.endMs, span.endMs) }
  }
  return all
}
