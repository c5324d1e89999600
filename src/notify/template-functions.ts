/** The functions that Alertmanager adds to Go's templates. */
import { fixedArity, wantFloat, wantText, wrongType, type TemplateFunction } from '../template/function.ts'
import { escapeQuery } from '../template/go-functions.ts'
import { formatLayout } from '../template/go-time.ts'
import { humanizeDuration } from '../template/humanize.ts'
import { replaceAll, searches } from '../template/regex.ts'
import {
  TemplateError,
  joined,
  printValue,
  sortedEntries,
  type ListValue,
  type TimeValue,
  type Value,
} from '../template/value.ts'
import { texts } from './template-data.ts'
import { isTimeZone } from './time-interval.ts'

/** The context of these functions beside their arguments. */
export interface NotifyFunctionContext {
  readonly nowMs: number
}

const text = (call: (text: string) => Value): TemplateFunction => fixedArity(1, ([arg]) => call(wantText(arg)))

export const NOTIFY_FUNCTIONS: Readonly<Record<string, TemplateFunction<NotifyFunctionContext>>> = {
  toUpper: text((value) => value.toUpperCase()),
  toLower: text((value) => value.toLowerCase()),
  title: text(titleCase),
  trimSpace: text((value) => value.trim()),
  join: fixedArity(2, ([separator, list]) => joined(wantList(list).items.map(wantText), wantText(separator))),
  match: fixedArity(2, ([pattern, value]) => searches(wantText(pattern), wantText(value))),
  reReplaceAll: fixedArity(3, ([pattern, replacement, value]) =>
    replaceAll(wantText(pattern), wantText(replacement), wantText(value)),
  ),
  safeHtml: text((value) => ({ kind: 'html', text: value })),
  safeUrl: text((value) => ({ kind: 'html', text: value })),
  urlUnescape: text((value) => {
    try {
      return decodeURIComponent(value.replaceAll('+', ' '))
    } catch {
      throw new TemplateError(`invalid URL escape in ${JSON.stringify(value)}`)
    }
  }),
  urlQueryEscape: text(escapeQuery),
  stringSlice: { arity: [0, Infinity], call: (args) => texts(args.map(wantText)) },
  list: { arity: [0, Infinity], call: (args) => ({ kind: 'list', items: args }) },
  append: {
    arity: [1, Infinity],
    call: ([list, ...items]) => ({ kind: 'list', items: [...wantList(list).items, ...items] }),
  },
  dict: { arity: [0, Infinity], call: dictOf },
  toJson: fixedArity(1, ([value = null]) => {
    // Refuses what is too large.
    printValue(value)
    return JSON.stringify(plainValue(value))
  }),
  date: fixedArity(2, ([layout, time]) => {
    const { ms, zone } = wantTime(time)
    return formatLayout(ms, wantText(layout), zone)
  }),
  tz: fixedArity(2, ([zone, time]) => {
    const name = wantText(zone)
    if (!isTimeZone(name)) throw new TemplateError(`unknown time zone ${name}`)
    return { kind: 'time', ms: wantTime(time).ms, zone: name }
  }),
  since: fixedArity<NotifyFunctionContext>(1, ([time], { nowMs }) => ({
    kind: 'duration',
    ms: nowMs - wantTime(time).ms,
  })),
  humanizeDuration: fixedArity(1, ([value]) => humanizeDuration(wantFloat(value))),
}

/** The first letter of each word in upper case, the others in lower case. */
function titleCase(value: string): string {
  return value.replace(/[\p{L}\p{M}\p{N}_]+(?:['’][\p{L}\p{M}]+)*/gu, (word) => {
    return word.toLowerCase().replace(/^\p{L}/u, (first) => first.toUpperCase())
  })
}

function dictOf(args: readonly Value[]): Value {
  if (args.length % 2 === 1) throw new TemplateError('dict needs names and values in turn')
  const entries = new Map<string, Value>()
  for (let i = 0; i < args.length; i += 2) entries.set(wantText(args[i]), args[i + 1]!)
  return { kind: 'map', element: 'any', entries }
}

function wantList(value: Value | undefined): ListValue {
  if (typeof value !== 'object' || value?.kind !== 'list') throw wrongType('[]string', value)
  return value
}

function wantTime(value: Value | undefined): TimeValue {
  if (typeof value !== 'object' || value?.kind !== 'time') throw wrongType('time.Time', value)
  return value
}

function plainValue(value: Value): unknown {
  if (value === null || typeof value !== 'object') return typeof value === 'bigint' ? Number(value) : value
  switch (value.kind) {
    case 'map':
      return Object.fromEntries(sortedEntries(value).map(([key, item]) => [key, plainValue(item)]))
    case 'list':
      return value.items.map(plainValue)
    case 'root':
      return Object.fromEntries(Object.entries(value.fields).map(([key, item]) => [key, plainValue(item)]))
    case 'time':
      return new Date(value.ms).toISOString()
    case 'duration':
      return value.ms * 1_000_000
    case 'sample':
    case 'html':
      return printValue(value)
  }
}
