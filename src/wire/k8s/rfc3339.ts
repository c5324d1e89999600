/**
 * Times as Kubernetes writes them: RFC 3339, seconds (`metav1.Time`) or microseconds (`metav1.MicroTime`), mostly in UTC.
 */
const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/

/**
 * Milliseconds since the epoch, rounded down; `undefined` for an invalid time, and for Go's zero time, which means
 * none.
 */
export function rfc3339Ms(text: string): number | undefined {
  const parts = RFC3339.exec(text)
  if (parts === null) return undefined
  const [, year, month, day, hour, minute, second, fraction = '', zone = 'Z'] = parts
  const ms = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second))
  const date = new Date(ms)
  // `Date.UTC` reads the 31st of February as the 3rd of March. A leap second is the first of the next minute.
  const isDay = date.getUTCFullYear() === Number(year) || Number(second) === 60
  if (!isDay || Number(month) > 12 || Number(month) < 1 || Number(day) > daysOf(Number(year), Number(month)))
    return undefined
  if (Number(day) < 1 || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined
  const offset = offsetMs(zone)
  if (offset === undefined || Number(year) <= 1) return undefined
  return ms + Number(fraction.slice(1, 4).padEnd(3, '0')) - offset
}

function daysOf(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate()
}

function offsetMs(zone: string): number | undefined {
  if (zone === 'Z' || zone === 'z') return 0
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(4, 6))]
  if (hours > 23 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
}
