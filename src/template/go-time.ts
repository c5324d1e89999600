/** Times and durations as Go prints them. */

/** Go's zero time: the first of January of the year 1. */
export const ZERO_TIME_MS = Date.UTC(2001, 0, 1) - 5 * 400 * 365.2425 * 86_400_000

/** The offset of the zone's wall clock from UTC. An unknown zone throws RangeError. */
export function zoneOffsetMs(timeMs: number, zone: string | undefined): number {
  if (zone === undefined || zone === 'UTC' || Number.isNaN(new Date(timeMs).getTime())) return 0
  const shown = zonePart(timeMs, zone, 'longOffset')
  const parts = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(shown)
  if (parts?.[1] === undefined) return 0
  const seconds = Number(parts[2]) * 3600 + Number(parts[3]) * 60 + Number(parts[4] ?? 0)
  return (parts[1] === '-' ? -1000 : 1000) * seconds
}

function zonePart(timeMs: number, zone: string, style: 'longOffset' | 'short'): string {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: style }).formatToParts(timeMs)
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
}

/** `+0200`, or with a colon. */
function offsetText(offsetMs: number, separator = ''): string {
  const minutes = Math.round(Math.abs(offsetMs) / 60_000)
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${offsetMs < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}${separator}${two(minutes % 60)}`
}

/** `CEST` where the runtime has such a name, else the offset. */
function zoneAbbreviation(timeMs: number, zone: string | undefined, offsetMs: number): string {
  if (zone === undefined || zone === 'UTC') return 'UTC'
  const short = zonePart(timeMs, zone, 'short')
  return /^[A-Z]{3,5}$/.test(short) ? short : offsetText(offsetMs)
}

/** `time.Time.String`: `2015-06-23 13:19:44.128 +0000 UTC`. Outside Date's range, the number itself. */
export function formatGoTime(timeMs: number, zone?: string): string {
  const offsetMs = zoneOffsetMs(timeMs, zone)
  const date = new Date(timeMs + offsetMs)
  if (Number.isNaN(date.getTime())) return `${timeMs} ms since 1970 UTC`
  const [day = '', clock = ''] = date.toISOString().slice(0, -1).split('T')
  const [seconds = '', fraction = ''] = clock.split('.')
  const trimmed = fraction.replace(/0+$/, '')
  const where = `${offsetText(offsetMs)} ${zoneAbbreviation(timeMs, zone, offsetMs)}`
  return `${day} ${seconds}${trimmed === '' ? '' : `.${trimmed}`} ${where}`
}

/** `time.Duration.String`: `1h30m0s`, `1.5s`, `250ms`, `0s`. */
export function formatGoDuration(durationMs: number): string {
  if (durationMs === 0) return '0s'
  const sign = durationMs < 0 ? '-' : ''
  const ms = Math.abs(durationMs)
  if (ms < 0.001) return `${sign}${Math.round(ms * 1e6)}ns`
  if (ms < 1) return `${sign}${Number((ms * 1000).toFixed(3))}µs`
  if (ms < 1000) return `${sign}${Number(ms.toFixed(6))}ms`
  const hours = Math.floor(ms / 3_600_000)
  const minutes = Math.floor(ms / 60_000) % 60
  const seconds = `${Number(((ms % 60_000) / 1000).toFixed(9))}s`
  if (hours > 0) return `${sign}${hours}h${minutes}m${seconds}`
  return minutes > 0 ? `${sign}${minutes}m${seconds}` : `${sign}${seconds}`
}

const MONTH = new Intl.DateTimeFormat('en-US', { month: 'long', timeZone: 'UTC' })
const WEEKDAY = new Intl.DateTimeFormat('en-US', { weekday: 'long', timeZone: 'UTC' })

/** The English name of the month in UTC. */
export function monthOf(date: Date): string {
  return MONTH.format(date)
}

/** The English name of the day in UTC. */
export function weekdayOf(date: Date): string {
  return WEEKDAY.format(date)
}

/** Parts of Go's reference time `Mon Jan 2 15:04:05 MST 2006`, the longest first. */
const LAYOUT =
  /January|Jan|Monday|Mon|MST|2006|-07:00|-0700|Z07:00|[.,]0{3,9}|[.,]9{3,9}|01|02|03|04|05|06|15|PM|pm|_2|1|2|3|4|5/g

/** `time.Time.Format`. */
export function formatLayout(timeMs: number, layout: string, zone?: string): string {
  const offsetMs = zoneOffsetMs(timeMs, zone)
  const date = new Date(timeMs + offsetMs)
  if (Number.isNaN(date.getTime())) return formatGoTime(timeMs, zone)
  const two = (value: number): string => String(value).padStart(2, '0')
  const month = monthOf(date)
  const day = weekdayOf(date)
  const hour12 = date.getUTCHours() % 12 === 0 ? 12 : date.getUTCHours() % 12
  const parts: ReadonlyMap<string, string> = new Map(
    Object.entries<string>({
      January: month,
      Jan: month.slice(0, 3),
      Monday: day,
      Mon: day.slice(0, 3),
      MST: zoneAbbreviation(timeMs, zone, offsetMs),
      '2006': String(date.getUTCFullYear()).padStart(4, '0'),
      '06': two(date.getUTCFullYear() % 100),
      '-07:00': offsetText(offsetMs, ':'),
      '-0700': offsetText(offsetMs),
      'Z07:00': offsetMs === 0 ? 'Z' : offsetText(offsetMs, ':'),
      '01': two(date.getUTCMonth() + 1),
      '1': String(date.getUTCMonth() + 1),
      '02': two(date.getUTCDate()),
      _2: String(date.getUTCDate()).padStart(2, ' '),
      '2': String(date.getUTCDate()),
      '15': two(date.getUTCHours()),
      '03': two(hour12),
      '3': String(hour12),
      '04': two(date.getUTCMinutes()),
      '4': String(date.getUTCMinutes()),
      '05': two(date.getUTCSeconds()),
      '5': String(date.getUTCSeconds()),
      PM: date.getUTCHours() < 12 ? 'AM' : 'PM',
      pm: date.getUTCHours() < 12 ? 'am' : 'pm',
    }),
  )
  return layout.replace(LAYOUT, (part) => {
    if (part[0] !== '.' && part[0] !== ',') return parts.get(part) ?? part
    const fraction = String(date.getUTCMilliseconds())
      .padStart(3, '0')
      .padEnd(part.length - 1, '0')
      .slice(0, part.length - 1)
    if (part[1] === '0') return part[0] + fraction
    const trimmed = fraction.replace(/0+$/, '')
    return trimmed === '' ? '' : part[0] + trimmed
  })
}
