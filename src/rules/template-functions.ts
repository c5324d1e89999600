/** The functions that Prometheus adds to Go's templates: queries, readable numbers and times, links. */
import { isIP, isIPv6 } from 'node:net'
import { parseDuration } from '../model/duration.ts'
import { compareText } from '../model/labels.ts'
import { fixedArity, wantFloat, wantText, wrongType, type TemplateFunction } from '../template/function.ts'
import { formatGoFloat } from '../base/go-float.ts'
import { escapeQuery } from '../template/go-functions.ts'
import { formatGoTime } from '../template/go-time.ts'
import { humanize, humanize1024, humanizeDuration, humanizePercentage } from '../template/humanize.ts'
import { replaceAll, searches } from '../template/regex.ts'
import { TemplateError, type ListValue, type SampleValue, type Value } from '../template/value.ts'

/** The context of these functions beside their arguments. */
export interface FunctionContext {
  readonly nowMs: number
  /** Without a trailing slash. */
  readonly externalUrl: string
  /** The result of a PromQL query at `nowMs`. */
  query(expr: string): ListValue
}

const text = (call: (text: string) => string): TemplateFunction => fixedArity(1, ([arg]) => call(wantText(arg)))
const float = (call: (value: number) => Value): TemplateFunction => fixedArity(1, ([arg]) => call(wantFloat(arg)))

export const PROMETHEUS_FUNCTIONS: Readonly<Record<string, TemplateFunction<FunctionContext>>> = {
  // Queries
  query: fixedArity<FunctionContext>(1, ([expr], context) => context.query(wantText(expr))),
  first: fixedArity(1, ([list]) => {
    const [first] = wantList(list).items
    if (first === undefined) throw new TemplateError('first() called on vector with no elements')
    return first
  }),
  label: fixedArity(2, ([name, sample]) => labelOf(sample, wantText(name))),
  value: fixedArity(1, ([sample]) => wantSample(sample).value),
  strvalue: fixedArity(1, ([sample]) => labelOf(sample, '__value__')),
  sortByLabel: fixedArity(2, ([name, list]) => sortByLabel(wantText(name), wantList(list))),

  // Numbers and times
  humanize: float(humanize),
  humanize1024: float(humanize1024),
  humanizeDuration: float(humanizeDuration),
  humanizePercentage: float(humanizePercentage),
  humanizeTimestamp: float((seconds) =>
    Number.isFinite(seconds) ? formatGoTime(toMs(seconds)) : formatGoFloat(seconds, 'g', 4),
  ),
  toTime: float((seconds) => ({ kind: 'time', ms: toMs(seconds) })),
  toDuration: float((seconds) => ({ kind: 'duration', ms: seconds * 1000 })),
  parseDuration: fixedArity(1, ([arg]) => {
    const durationMs = parseDuration(wantText(arg))
    if (durationMs === undefined) throw new TemplateError(`not a valid duration string: ${JSON.stringify(arg)}`)
    return durationMs / 1000
  }),
  now: fixedArity<FunctionContext>(0, (_, context) => context.nowMs / 1000),

  // Texts
  title: text(titleCase),
  toUpper: text((value) => value.toUpperCase()),
  toLower: text((value) => value.toLowerCase()),
  match: fixedArity(2, ([pattern, value]) => searches(wantText(pattern), wantText(value))),
  reReplaceAll: fixedArity(3, ([pattern, replacement, value]) =>
    replaceAll(wantText(pattern), wantText(replacement), wantText(value)),
  ),
  stripPort: text((value) => splitHostPort(value)?.host ?? value),
  stripDomain: text(stripDomain),
  safeHtml: text((value) => value),
  urlQueryEscape: text(escapeQuery),

  // Links
  graphLink: text((expr) => `/graph?g0.expr=${escapeQuery(expr)}&g0.tab=0`),
  tableLink: text((expr) => `/graph?g0.expr=${escapeQuery(expr)}&g0.tab=1`),
  externalURL: fixedArity<FunctionContext>(0, (_, context) => context.externalUrl),
  pathPrefix: fixedArity<FunctionContext>(
    0,
    (_, context) => /^[a-z]+:\/\/[^/]*(\/[^?#]*)?/i.exec(context.externalUrl)?.[1] ?? '',
  ),

  args: {
    arity: [0, Infinity],
    call: (args) => ({ kind: 'map', element: 'any', entries: new Map(args.map((arg, i) => [`arg${i}`, arg])) }),
  },
}

/** The largest time of Go's 64-bit nanoseconds, in milliseconds. */
const TIME_MS_MAX = 2 ** 63 / 1e6

function toMs(seconds: number): number {
  if (!Number.isFinite(seconds)) throw new TemplateError('value is NaN or Inf')
  const ms = Math.trunc(seconds * 1000)
  if (Math.abs(ms) >= TIME_MS_MAX) {
    const shown = formatGoFloat(seconds, 'g')
    throw new TemplateError(`${shown} cannot be represented as a nanoseconds timestamp since it overflows int64`)
  }
  return ms
}

function wantList(value: Value | undefined): ListValue {
  if (typeof value !== 'object' || value?.kind !== 'list') throw wrongType('template.queryResult', value)
  return value
}

function wantSample(value: Value | undefined): SampleValue {
  if (typeof value !== 'object' || value?.kind !== 'sample') throw wrongType('*template.sample', value)
  return value
}

function labelOf(sample: Value | undefined, name: string): string {
  return wantText(wantSample(sample).labels.entries.get(name) ?? '')
}

function sortByLabel(name: string, list: ListValue): ListValue {
  return { kind: 'list', items: [...list.items].sort((a, b) => compareText(labelOf(a, name), labelOf(b, name))) }
}

/** Converts the first letter of each word to upper case. An underscore or apostrophe does not end a word. */
function titleCase(value: string): string {
  return value.replace(/[\p{L}\p{M}\p{N}_]+(?:[.:'’][\p{L}\p{M}]+)*/gu, (word) => {
    return word.replace(/^\p{L}/u, (first) => first.toUpperCase())
  })
}

/** Go's net.SplitHostPort: one port, brackets around a host with colons. `undefined` when there is none. */
function splitHostPort(value: string): { readonly host: string; readonly port: string } | undefined {
  const parts = /^(?:\[([^[\]]*)\]|([^:[\]]*)):([^:[\]]*)$/.exec(value)
  return parts === null ? undefined : { host: parts[1] ?? parts[2] ?? '', port: parts[3] ?? '' }
}

function stripDomain(value: string): string {
  const split = splitHostPort(value)
  const host = split?.host ?? value
  if (isIP(host) !== 0) return value
  const short = host.split('.')[0]!
  if (split === undefined || split.port === '') return short
  return isIPv6(short) ? `[${short}]:${split.port}` : `${short}:${split.port}`
}
