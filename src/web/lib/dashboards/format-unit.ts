import type { Format } from '../../../model/dashboard.ts'
import { UNITS } from '../../../model/unit.ts'
import { formatCount, formatValue } from '../format-number.ts'
import { formatDay, formatLength, formatMoment, formatRelative, formatTimeOfDay, type Zone } from '../format-time.ts'

/** Values in the units of Perses, as text, independent of the locale (see format-time.ts). Pure. */

export interface FormatContext {
  readonly zone: Zone
  /** For `relative-time`. */
  readonly nowMs: number
}

export function formatUnit(value: number, format: Format | undefined, formatContext: FormatContext): string {
  if (!Number.isFinite(value)) return formatValue(value)
  const { unit } = format ?? { unit: 'decimal' }
  const write = WRITERS[unit]
  return write === undefined ? `${plain(value, format)} ${unit}` : write(value, format ?? { unit }, formatContext)
}

/** Without the noun of a rate, for an axis: `15,000/s`. */
export function formatTick(value: number, format: Format | undefined, formatContext: FormatContext): string {
  return formatUnit(value, format, formatContext).replace(/ [a-z]{2,}\/s$/, '/s')
}

/** Whether ticks are at powers of two. */
export function isBinary(format: Format | undefined): boolean {
  return ['bytes', 'bits', 'bytes/sec', 'bits/sec'].includes(format?.unit ?? '')
}

const SECONDS_OF: Readonly<Record<string, number>> = { milliseconds: 1e-3, seconds: 1, minutes: 60, hours: 3600 }
const POWERS_OF_TWO = Array.from({ length: 64 }, (_, i) => 2 ** (i - 4))
const PARTS_OF_SECONDS = Array.from({ length: 9 }, (_, i) => 10 ** (i - 9)).flatMap((one) => [one, 2 * one, 5 * one])
/** Round durations. */
const LENGTHS_SECONDS = [
  ...PARTS_OF_SECONDS,
  ...[1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200],
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000].map((days) => days * 86_400),
]

/** Distances of ticks; `undefined`: decimal. */
export function tickSteps(format: Format | undefined): readonly number[] | undefined {
  if (isBinary(format)) return POWERS_OF_TWO
  const seconds = SECONDS_OF[format?.unit ?? '']
  return seconds === undefined ? undefined : LENGTHS_SECONDS.map((length) => length / seconds)
}

type Write = (value: number, format: Format, formatContext: FormatContext) => string

const SHORT = ['', 'K', 'M', 'B', 'T', 'P']
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']
const DECIMAL = ['', 'k', 'M', 'G', 'T', 'P', 'E']

const scaled =
  (prefixes: readonly string[], base: number, unit: string): Write =>
  (value, format) => {
    if (format.isShort === false) return `${plain(value, format)} ${unit}`
    const [size, prefix] = scale(value, prefixes, base)
    return `${digits(size, format)} ${prefix}${unit}`
  }

const perSecond =
  (what: string): Write =>
  (value, format) =>
    `${plain(value, format)} ${what}/s`

const inSeconds =
  (seconds: number): Write =>
  (value, format) =>
    duration(value * seconds, format)

const withSign =
  (sign: string): Write =>
  (value, format) =>
    `${plain(value, format)} ${sign}`

const DAY_SECONDS = 86_400

const WRITERS: Readonly<Record<string, Write>> = {
  decimal: (value, format) => plain(value, format),
  percent: (value, format) => `${digits(value, format)} %`,
  '%': (value, format) => `${digits(value, format)} %`,
  'percent-decimal': (value, format) => `${digits(100 * value, format)} %`,
  bytes: scaled(BINARY, 1024, 'B'),
  decbytes: scaled(DECIMAL, 1000, 'B'),
  bits: scaled(BINARY, 1024, 'b'),
  decbits: scaled(DECIMAL, 1000, 'b'),
  'bytes/sec': scaled(BINARY, 1024, 'B/s'),
  'decbytes/sec': scaled(DECIMAL, 1000, 'B/s'),
  'bits/sec': scaled(BINARY, 1024, 'b/s'),
  'decbits/sec': scaled(DECIMAL, 1000, 'b/s'),
  ...Object.fromEntries(
    ['counts', 'events', 'messages', 'ops', 'packets', 'reads', 'records', 'requests', 'rows', 'writes'].map((what) => [
      `${what}/sec`,
      perSecond(what),
    ]),
  ),
  nanoseconds: inSeconds(1e-9),
  microseconds: inSeconds(1e-6),
  milliseconds: inSeconds(1e-3),
  seconds: inSeconds(1),
  minutes: inSeconds(60),
  hours: inSeconds(3600),
  days: inSeconds(DAY_SECONDS),
  weeks: inSeconds(7 * DAY_SECONDS),
  months: inSeconds(30 * DAY_SECONDS),
  years: inSeconds(365 * DAY_SECONDS),
  celsius: withSign('°C'),
  fahrenheit: withSign('°F'),
  ...Object.fromEntries(
    UNITS.currency.map((code): [string, Write] => [
      code,
      (value, format) => `${plain(value, format)} ${code.toUpperCase()}`,
    ]),
  ),
  'datetime-iso': (value) => isoOf(value),
  'datetime-us': (value) => isoOf(value),
  'datetime-local': (value, _format, { zone }) => formatMoment(toMs(value), zone),
  'date-iso': (value) => formatDay(toMs(value), 'utc'),
  'date-us': (value) => formatDay(toMs(value), 'utc'),
  'date-local': (value, _format, { zone }) => formatDay(toMs(value), zone),
  'time-iso': (value) => `${formatTimeOfDay(toMs(value), 'utc')} UTC`,
  'time-us': (value) => `${formatTimeOfDay(toMs(value), 'utc')} UTC`,
  'time-local': (value, _format, { zone }) => formatTimeOfDay(toMs(value), zone),
  'relative-time': (value, _format, { nowMs }) => formatRelative(toMs(value), nowMs),
  'unix-timestamp': (value) => String(Math.floor(toMs(value) / 1000)),
  'unix-timestamp-ms': (value) => String(toMs(value)),
}

/** A time in seconds; values after the year 2286 are milliseconds. */
const SECONDS_MAX = 1e10

function toMs(value: number): number {
  return Math.abs(value) < SECONDS_MAX ? value * 1000 : value
}

function isoOf(value: number): string {
  const ms = toMs(value)
  return Math.abs(ms) > 8.64e15 ? 'unknown time' : new Date(ms).toISOString()
}

function plain(value: number, format: Format | undefined): string {
  if (format?.isShort === true) {
    const [size, prefix] = scale(value, SHORT, 1000)
    return `${digits(size, format)}${prefix}`
  }
  return format?.decimalPlaces === undefined ? formatValue(value) : digits(value, format)
}

/** The requested decimal places, else four significant digits. */
function digits(value: number, format: Format | undefined): string {
  if (format?.decimalPlaces !== undefined) return grouped(value.toFixed(format.decimalPlaces))
  return Math.abs(value) >= 1000 ? formatValue(Math.round(value)) : formatValue(value)
}

function grouped(text: string): string {
  const [whole = '', fraction] = text.split('.')
  const sign = whole.startsWith('-') ? '-' : ''
  const count = formatCount(Number(whole.replace('-', '')))
  return `${sign}${count}${fraction === undefined ? '' : `.${fraction}`}`
}

function scale(value: number, prefixes: readonly string[], base: number): readonly [number, string] {
  const size = Math.abs(value)
  const power = size < base ? 0 : Math.min(prefixes.length - 1, Math.floor(Math.log(size) / Math.log(base) + 1e-9))
  return [value / base ** power, prefixes[power] ?? '']
}

const MINUTE_SECONDS = 60
const SHORT_UNITS: readonly (readonly [seconds: number, unit: string])[] = [
  [1, 's'],
  [1e-3, 'ms'],
  [1e-6, 'µs'],
  [1e-9, 'ns'],
]

/** As everywhere: `1 h 37 min`. Below a minute in the largest unit that is at most the value, with the requested decimals. */
function duration(seconds: number, format: Format): string {
  if (seconds === 0) return '0 s'
  const size = Math.abs(seconds)
  if (size >= MINUTE_SECONDS * (1 - 1e-9)) return `${seconds < 0 ? '-' : ''}${formatLength(size)}`
  const [unitSeconds, unit] = SHORT_UNITS.find(([one]) => size >= one * (1 - 1e-9)) ?? SHORT_UNITS.at(-1)!
  return `${digits(seconds / unitSeconds, format)} ${unit}`
}
