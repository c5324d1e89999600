/**
 * Times as text. Nothing here asks the locale: under `LANG=C` a browser calls itself `en-US@posix`, and
 * `toLocaleString` throws on that. Pure: the present is an argument.
 */

export type Zone = 'local' | 'utc'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** A time of an answer (RFC 3339), in milliseconds. */
export function msOf(time: string): number {
  return Date.parse(time)
}

/** A length in at most two units: `12 s`, `4 min`, `3 h 05 min`, `2 d 4 h`. A negative length (a clock ahead) is `0 s`. */
export function formatAge(ageMs: number): string {
  const wholeMs = Math.max(0, ageMs)
  if (wholeMs < MINUTE_MS) return `${Math.floor(wholeMs / SECOND_MS)} s`
  if (wholeMs < HOUR_MS) return `${Math.floor(wholeMs / MINUTE_MS)} min`
  if (wholeMs < DAY_MS) return twoUnits(wholeMs, HOUR_MS, 'h', MINUTE_MS, 'min')
  if (wholeMs < 100 * DAY_MS) return twoUnits(wholeMs, DAY_MS, 'd', HOUR_MS, 'h')
  return `${Math.floor(wholeMs / DAY_MS)} d`
}

function twoUnits(lengthMs: number, bigMs: number, big: string, smallMs: number, small: string): string {
  const bigs = Math.floor(lengthMs / bigMs)
  const smalls = Math.floor((lengthMs % bigMs) / smallMs)
  return smalls === 0 ? `${bigs} ${big}` : `${bigs} ${big} ${smalls} ${small}`
}

const twoDigits = (count: number): string => String(count).padStart(2, '0')

/** `2026-11-04 14:03:22 UTC`, or with the offset of the reader's zone: `2026-11-04 15:03:22 +01:00`. */
export function formatMoment(timeMs: number, zone: Zone): string {
  if (!Number.isFinite(timeMs) || Math.abs(timeMs) > 8.64e15) return 'unknown time'
  return `${formatDay(timeMs, zone)} ${formatTimeOfDay(timeMs, zone)} ${zoneName(timeMs, zone)}`
}

/** A moment that was written by `formatMoment`, to the millisecond: `2026-11-04 14:03:22.075 UTC`. */
export function withMilliseconds(moment: string, timeMs: number): string {
  const milliseconds = ((Math.round(timeMs) % SECOND_MS) + SECOND_MS) % SECOND_MS
  return moment.replace(/:\d\d (?=\S+$)/, (seconds) => `${seconds.trimEnd()}.${String(milliseconds).padStart(3, '0')} `)
}

/** `14:03:22`, without its zone: only for places where the zone stands beside it. */
export function formatTimeOfDay(timeMs: number, zone: Zone): string {
  const date = new Date(timeMs)
  const parts =
    zone === 'utc'
      ? [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()]
      : [date.getHours(), date.getMinutes(), date.getSeconds()]
  return parts.map(twoDigits).join(':')
}

/** `2026-11-04`. */
export function formatDay(timeMs: number, zone: Zone): string {
  const date = new Date(timeMs)
  const [year, month, day] =
    zone === 'utc'
      ? [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
      : [date.getFullYear(), date.getMonth(), date.getDate()]
  return `${String(year).padStart(4, '0')}-${twoDigits(month + 1)}-${twoDigits(day)}`
}

function zoneName(timeMs: number, zone: Zone): string {
  if (zone === 'utc') return 'UTC'
  const offsetMinutes = -new Date(timeMs).getTimezoneOffset()
  const sign = offsetMinutes < 0 ? '-' : '+'
  const absolute = Math.abs(offsetMinutes)
  return `${sign}${twoDigits(Math.floor(absolute / 60))}:${twoDigits(absolute % 60)}`
}
