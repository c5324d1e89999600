/** The units of Perses, by what they measure. */

export const UNITS = {
  time: [
    'nanoseconds',
    'microseconds',
    'milliseconds',
    'seconds',
    'minutes',
    'hours',
    'days',
    'weeks',
    'months',
    'years',
  ],
  percent: ['percent', 'percent-decimal', '%'],
  number: ['decimal'],
  bits: ['bits', 'decbits'],
  bytes: ['bytes', 'decbytes'],
  throughput: [
    'bits/sec',
    'decbits/sec',
    'bytes/sec',
    'decbytes/sec',
    'counts/sec',
    'events/sec',
    'messages/sec',
    'ops/sec',
    'packets/sec',
    'reads/sec',
    'records/sec',
    'requests/sec',
    'rows/sec',
    'writes/sec',
  ],
  temperature: ['celsius', 'fahrenheit'],
  currency: ['aud', 'cad', 'chf', 'cny', 'eur', 'gbp', 'hkd', 'inr', 'jpy', 'krw', 'nok', 'nzd', 'sek', 'sgd', 'usd'],
  date: [
    'datetime-iso',
    'datetime-us',
    'datetime-local',
    'date-iso',
    'date-us',
    'date-local',
    'time-iso',
    'time-us',
    'time-local',
    'relative-time',
    'unix-timestamp',
    'unix-timestamp-ms',
  ],
} as const

const ALL: ReadonlySet<string> = new Set(Object.values(UNITS).flat())

export function isUnit(name: string): boolean {
  return ALL.has(name)
}
