/**
 * Time intervals of Alertmanager's configuration: when a route is muted or active. Kinds of ranges are joined by and, ranges
 * of one kind by or; an absent kind always holds.
 */
export interface TimeInterval {
  /** Minutes of the day, `to` exclusive, 1440 for midnight at its end. */
  readonly times?: readonly Range[]
  /** 0 is Sunday; inclusive, as all below. */
  readonly weekdays?: readonly Range[]
  /** From 1; negative ones count from the month's end, -1 being its last day. */
  readonly daysOfMonth?: readonly Range[]
  /** 1 is January. */
  readonly months?: readonly Range[]
  readonly years?: readonly Range[]
  /** IANA name; UTC when absent. */
  readonly location?: string
}

export interface Range {
  readonly from: number
  readonly to: number
}

/** Intervals by name; of the intervals of one name at least one must hold. */
export type TimeIntervals = ReadonlyMap<string, readonly TimeInterval[]>

export function holdsAt(interval: TimeInterval, nowMs: number): boolean {
  const { times, weekdays, daysOfMonth, months, years } = interval
  const now = wallClock(nowMs, interval.location)
  const isIn = (ranges: readonly Range[] | undefined, value: number): boolean =>
    ranges === undefined || ranges.some(({ from, to }) => value >= from && value <= to)
  return (
    (times === undefined || times.some(({ from, to }) => now.minute >= from && now.minute < to)) &&
    (daysOfMonth === undefined || daysOfMonth.some((range) => isDayIn(range, now))) &&
    isIn(months, now.month) &&
    isIn(weekdays, now.weekday) &&
    isIn(years, now.year)
  )
}

/** The names that hold now, in their order. An unknown name never holds. */
export function namesHoldingAt(names: readonly string[], intervals: TimeIntervals, nowMs: number): readonly string[] {
  return names.filter((name) => intervals.get(name)?.some((interval) => holdsAt(interval, nowMs)) === true)
}

/** Whether the runtime knows this time zone. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch (thrown) {
    if (thrown instanceof RangeError) return false
    throw thrown
  }
}

interface WallClock {
  readonly minute: number
  readonly weekday: number
  readonly day: number
  readonly month: number
  readonly year: number
  readonly daysInMonth: number
}

/** A range that starts after the end of the month is empty; one that ends later is cut at the end of the month. */
function isDayIn({ from, to }: Range, { day, daysInMonth }: WallClock): boolean {
  const first = from < 0 ? daysInMonth + from + 1 : from
  const last = to < 0 ? daysInMonth + to + 1 : to
  return first <= daysInMonth && day >= first && day <= Math.min(last, daysInMonth)
}

/** Creating a formatter costs more than a thousand uses. */
const formatters = new Map<string, Intl.DateTimeFormat>()
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

function wallClock(nowMs: number, timeZone = 'UTC'): WallClock {
  let formatter = formatters.get(timeZone)
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'iso8601',
      hourCycle: 'h23',
      weekday: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    })
    formatters.set(timeZone, formatter)
  }
  const parts = new Map(formatter.formatToParts(nowMs).map(({ type, value }) => [type, value]))
  const number = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type))
  const [year, month] = [number('year'), number('month')]
  return {
    minute: number('hour') * 60 + number('minute'),
    weekday: WEEKDAYS.indexOf(parts.get('weekday') ?? ''),
    day: number('day'),
    month,
    year,
    daysInMonth: new Date(Date.UTC(year, month, 0)).getUTCDate(),
  }
}
