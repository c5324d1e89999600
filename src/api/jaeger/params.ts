import { FleetError } from '../../base/errors.ts'
import { SPAN_KINDS, type SpanKind } from '../../model/span.ts'

/** Parameters of the Jaeger routes, of both generations: a name and its older spelling mean the same. */

/** The default and the maximum of traces in one response. */
const TRACES_DEFAULT = 100
const TRACES_MAX = 1500

export function badParam(name: string, reason: string): FleetError {
  return new FleetError('bad_request', `malformed parameter ${name}: ${reason}`)
}

const UNIT_NS: ReadonlyMap<string, number> = new Map(
  Object.entries<number>({
    ns: 1,
    us: 1e3,
    '\u00b5s': 1e3,
    '\u03bcs': 1e3,
    ms: 1e6,
    s: 1e9,
    m: 60e9,
    h: 3600e9,
  }),
)
const DURATION = /^(\d+(\.\d*)?|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/

/** A duration as Go writes it, `1.2s` or `1h30m`, in nanoseconds; empty is none. */
export function goDurationNs(name: string, text: string): bigint | undefined {
  if (text === '') return undefined
  if (text === '0') return 0n
  let rest = text
  let sumNs = 0
  while (rest !== '') {
    const part = DURATION.exec(rest)
    if (part === null) throw badParam(name, `got ${JSON.stringify(text)}, want a duration such as 1.2s or 100ms`)
    sumNs += Number(part[1]) * UNIT_NS.get(part[3]!)!
    rest = rest.slice(part[0].length)
  }
  if (sumNs > 2 ** 62) throw badParam(name, `got ${JSON.stringify(text)}, which is too long`)
  return BigInt(Math.round(sumNs))
}

const RFC3339 = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9})\d*)?([Zz]|[+-]\d{2}:\d{2})$/

/** A time of RFC 3339, in nanoseconds; empty is none. */
export function rfc3339Ns(name: string, text: string): bigint | undefined {
  if (text === '') return undefined
  const parts = RFC3339.exec(text)
  const ms = parts === null ? NaN : Date.parse(`${parts[1]}T${parts[2]}${parts[4]!.toUpperCase()}`)
  if (Number.isNaN(ms)) {
    throw badParam(name, `got ${JSON.stringify(text)}, want a time such as 2026-08-20T10:00:00Z`)
  }
  return BigInt(ms) * 1_000_000n + BigInt((parts![3] ?? '').padEnd(9, '0'))
}

/** A number of units since the epoch, in nanoseconds; empty is none. @param unitNs of one unit */
export function unixNs(name: string, text: string, unitNs: bigint): bigint | undefined {
  if (text === '') return undefined
  if (!/^\d{1,18}$/.test(text)) throw badParam(name, `got ${JSON.stringify(text)}, want a whole number`)
  return BigInt(text) * unitNs
}

/** A JSON object of texts; empty is none. */
export function textsParam(name: string, text: string): Readonly<Record<string, string>> {
  if (text === '') return {}
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badParam(name, 'want a JSON object of texts')
  }
  const entries = Object.entries(value as Readonly<Record<string, unknown>>)
  const wrong = entries.find(([, item]) => typeof item !== 'string')
  if (wrong !== undefined) throw badParam(name, `got ${JSON.stringify(wrong[1])} as ${wrong[0]}, want a text`)
  return Object.fromEntries(entries as [string, string][])
}

/** How many traces; empty or 0 is the default. */
export function limitParam(name: string, text: string): number {
  if (text === '') return TRACES_DEFAULT
  if (!/^\d{1,9}$/.test(text)) throw badParam(name, `got ${JSON.stringify(text)}, want a whole number`)
  const limit = Number(text)
  return limit === 0 ? TRACES_DEFAULT : Math.min(limit, TRACES_MAX)
}

export function kindParam(name: string, text: string): SpanKind | undefined {
  if (text === '') return undefined
  const kind = SPAN_KINDS.find((one) => one === text.toLowerCase())
  if (kind === undefined) throw badParam(name, `got ${JSON.stringify(text)}, want one of ${SPAN_KINDS.join(', ')}`)
  return kind
}

/** 32 hexadecimal digits in lower case; leading zeros may be missing. */
export function traceIdParam(text: string): string {
  if (!/^[0-9a-fA-F]{1,32}$/.test(text)) {
    throw badParam('traceID', `got ${JSON.stringify(text)}, want up to 32 hexadecimal digits`)
  }
  return text.toLowerCase().padStart(32, '0')
}

export function checkDurations(minNs: bigint | undefined, maxNs: bigint | undefined, maxName: string): void {
  if (minNs !== undefined && maxNs !== undefined && maxNs < minNs) {
    throw badParam(maxName, 'it is less than the shortest duration')
  }
}
