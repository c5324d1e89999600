/**
 * Times as text, independent of the locale: under `LANG=C` a browser calls itself `en-US@posix`, and
 * `toLocaleString` throws on that. Pure: the present is an argument.
 */

export type Zone = 'local' | 'utc'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** RFC 3339 to milliseconds. */
export function msOf(time: string): number {
  return Date.parse(time)
}

/** A completed length: `12 s`, `4 min`, `3 h 05 min`, `2 d 4 h`. A negative length (a clock ahead) is `0 s`. */
export function formatAge(ageMs: number): string {
  const unitMs = ageMs < MINUTE_MS ? SECOND_MS : ageMs < DAY_MS ? MINUTE_MS : HOUR_MS
  return formatLength((Math.floor(ageMs / unitMs) * unitMs) / SECOND_MS)
}

/** As `formatAge`, to the minute: for lists, where nobody reads seconds. */
export function formatMinutes(ageMs: number): string {
  return ageMs < MINUTE_MS ? 'under 1 min' : formatAge(ageMs)
}

/** `3 h 05 min ago`, `in 4 min`. */
export function formatRelative(timeMs: number, nowMs: number): string {
  return timeMs <= nowMs ? `${formatAge(nowMs - timeMs)} ago` : `in ${formatAge(timeMs - nowMs)}`
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

/** `14:03:22`, for places that show the zone separately. */
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

/** Durations to the second, in at most two units: `42 s`, `4 min 05 s`, `1 h 05 min`, `2 d 4 h`, `100 d`. */
export function formatLength(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const [days, hours, minutes, rest] = [
    Math.floor(whole / 86_400),
    Math.floor(whole / 3600) % 24,
    Math.floor(whole / 60) % 60,
    whole % 60,
  ]
  const two = (count: number): string => String(count).padStart(2, '0')
  if (days > 0) return hours === 0 || days >= 100 ? `${days} d` : `${days} d ${hours} h`
  if (hours > 0) return minutes === 0 ? `${hours} h` : `${hours} h ${two(minutes)} min`
  if (minutes > 0) return rest === 0 ? `${minutes} min` : `${minutes} min ${two(rest)} s`
  return `${rest} s`
}

/** Shorter: whole minutes from ten on. */
export function formatShortLength(seconds: number): string {
  return seconds >= 600 && seconds < 3600 ? `${Math.round(seconds / 60)} min` : formatLength(seconds)
}

/** Durations from nanoseconds to days: `340 ns`, `12.4 ms`, `3.2 s`, `4 min 05 s`. */
export function formatSpanNs(ns: number): string {
  if (ns < 1000) return `${Math.round(ns)} ns`
  if (ns < 1e6) return `${shortNumber(ns / 1e3)} µs`
  if (ns < 1e9) return `${shortNumber(ns / 1e6)} ms`
  if (ns < 10e9) return `${shortNumber(ns / 1e9)} s`
  return formatShortLength(ns / 1e9)
}

/** Three digits. */
function shortNumber(value: number): string {
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)))
}

/** `+1 min 20 s`, `-3.2 s`. */
export function formatDifferenceNs(ns: number): string {
  return `${ns < 0 ? '-' : '+'}${formatSpanNs(Math.abs(ns))}`
}

/** The value of a `datetime-local` field: `2026-11-22T03:04:05`, without a zone. */

export function toFieldTime(timeMs: number, zone: Zone): string {
  return `${formatDay(timeMs, zone)}T${formatTimeOfDay(timeMs, zone)}`
}

/** `undefined` while the text is incomplete. */
export function fromFieldTime(text: string, zone: Zone): number | undefined {
  if (!/^\d{4,6}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?$/.test(text)) return undefined
  const ms = Date.parse(zone === 'utc' ? `${text}Z` : text)
  return Number.isNaN(ms) ? undefined : ms
}
