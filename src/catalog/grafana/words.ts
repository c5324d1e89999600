/** Grafana's names of units and calculations, and Perses' names for them. */
import type { Calculation } from '../../model/dashboard.ts'

const UNITS: Readonly<Record<string, string>> = {
  ns: 'nanoseconds',
  µs: 'microseconds',
  us: 'microseconds',
  ms: 'milliseconds',
  s: 'seconds',
  m: 'minutes',
  h: 'hours',
  d: 'days',
  dtdurations: 'seconds',
  dtdurationms: 'milliseconds',
  clocks: 'seconds',
  clockms: 'milliseconds',
  percent: 'percent',
  percentunit: 'percent-decimal',
  none: 'decimal',
  short: 'decimal',
  locale: 'decimal',
  bits: 'bits',
  decbits: 'decbits',
  bytes: 'bytes',
  decbytes: 'decbytes',
  bps: 'decbits/sec',
  binbps: 'bits/sec',
  Bps: 'decbytes/sec',
  binBps: 'bytes/sec',
  cps: 'counts/sec',
  eps: 'events/sec',
  mps: 'messages/sec',
  ops: 'ops/sec',
  iops: 'ops/sec',
  pps: 'packets/sec',
  rps: 'reads/sec',
  recps: 'records/sec',
  reqps: 'requests/sec',
  rowsps: 'rows/sec',
  wps: 'writes/sec',
  celsius: 'celsius',
  fahrenheit: 'fahrenheit',
  currencyUSD: 'usd',
  currencyEUR: 'eur',
  currencyGBP: 'gbp',
  currencyJPY: 'jpy',
  dateTimeAsIso: 'datetime-local',
  dateTimeAsLocal: 'datetime-local',
  dateTimeAsUS: 'datetime-local',
  dateTimeFromNow: 'relative-time',
}

/** Multiples of bytes and seconds without a name in Perses: the factor is lost, so they are reported. */
export function unitOf(unit: string): string | undefined {
  return UNITS[unit]
}

const CALCULATIONS: Readonly<Record<string, Calculation>> = {
  last: 'last',
  current: 'last-number',
  lastNotNull: 'last-number',
  first: 'first',
  firstNotNull: 'first-number',
  mean: 'mean',
  avg: 'mean',
  sum: 'sum',
  total: 'sum',
  min: 'min',
  max: 'max',
}

export function calculationOf(word: string): Calculation | undefined {
  return CALCULATIONS[word]
}
