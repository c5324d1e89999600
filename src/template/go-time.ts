/** Times and lengths of time as Go prints them. */

/** `time.Time.String` in UTC: `2015-06-23 13:19:44.128 +0000 UTC`. Outside of Date's range the number itself. */
export function formatGoTime(timeMs: number): string {
  const date = new Date(timeMs)
  if (Number.isNaN(date.getTime())) return `${timeMs} ms since 1970 UTC`
  const [day = '', clock = ''] = date.toISOString().slice(0, -1).split('T')
  const [seconds = '', fraction = ''] = clock.split('.')
  const trimmed = fraction.replace(/0+$/, '')
  return `${day} ${seconds}${trimmed === '' ? '' : `.${trimmed}`} +0000 UTC`
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

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

/** Parts of Go's reference time `Mon Jan 2 15:04:05 MST 2006`, the longest first. */
const LAYOUT =
  /January|Jan|Monday|Mon|MST|2006|-07:00|-0700|Z07:00|[.,]0{3,9}|[.,]9{3,9}|01|02|03|04|05|06|15|PM|pm|_2|1|2|3|4|5/g

/** `time.Time.Format` in UTC. */
export function formatLayout(timeMs: number, layout: string): string {
  const date = new Date(timeMs)
  if (Number.isNaN(date.getTime())) return formatGoTime(timeMs)
  const two = (value: number): string => String(value).padStart(2, '0')
  const month = MONTHS[date.getUTCMonth()]!
  const day = DAYS[date.getUTCDay()]!
  const hour12 = date.getUTCHours() % 12 === 0 ? 12 : date.getUTCHours() % 12
  const parts: Readonly<Record<string, string>> = {
    January: month,
    Jan: month.slice(0, 3),
    Monday: day,
    Mon: day.slice(0, 3),
    MST: 'UTC',
    '2006': String(date.getUTCFullYear()).padStart(4, '0'),
    '06': two(date.getUTCFullYear() % 100),
    '-07:00': '+00:00',
    '-0700': '+0000',
    'Z07:00': 'Z',
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
  }
  return layout.replace(LAYOUT, (part) => {
    if (part[0] !== '.' && part[0] !== ',') return parts[part] ?? part
    const fraction = String(date.getUTCMilliseconds())
      .padStart(3, '0')
      .padEnd(part.length - 1, '0')
      .slice(0, part.length - 1)
    if (part[1] === '0') return part[0] + fraction
    const trimmed = fraction.replace(/0+$/, '')
    return trimmed === '' ? '' : part[0] + trimmed
  })
}
