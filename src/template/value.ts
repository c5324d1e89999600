/**
 * The values of a template with Go's types: a JavaScript number is a float64, a bigint is an int. The difference is
 * visible: Go refuses to compare the two, and prints them differently.
 */
import { compareText } from '../model/labels.ts'
import { formatGoFloat } from '../base/go-float.ts'
import { formatGoDuration, formatGoTime } from './go-time.ts'

export type Value =
  | null
  | boolean
  | string
  | number
  | bigint
  | MapValue
  | ListValue
  | SampleValue
  | TimeValue
  | DurationValue
  | RootValue
  | HtmlValue

/** Methods and printed form of a map or list of one particular Go type. */
export interface Behaviour {
  readonly typeName: string
  readonly methods: Readonly<Record<string, (args: readonly Value[]) => Value>>
  readonly print?: () => string
}

/** A missing key is the zero value of the element: the empty string in label maps, nothing in `args`. */
export interface MapValue {
  readonly kind: 'map'
  readonly element: 'string' | 'any'
  readonly entries: ReadonlyMap<string, Value>
  readonly behaviour?: Behaviour
}

export interface ListValue {
  readonly kind: 'list'
  readonly items: readonly Value[]
  readonly behaviour?: Behaviour
}

/** One series of a `query` in a template. */
export interface SampleValue {
  readonly kind: 'sample'
  readonly labels: MapValue
  readonly value: number
}

export interface TimeValue {
  readonly kind: 'time'
  /** Milliseconds since the epoch. */
  readonly ms: number
  /** IANA name of the zone it is shown in; UTC when absent. */
  readonly zone?: string
}

export interface DurationValue {
  readonly kind: 'duration'
  readonly ms: number
}

/** A struct, such as the initial `.`: `.Labels`, `.ExternalLabels`, `.ExternalURL`, `.Value`. */
export interface RootValue {
  readonly kind: 'root'
  readonly fields: Readonly<Record<string, Value>>
}

/** HTML text, written without escaping. */
interface HtmlValue {
  readonly kind: 'html'
  readonly text: string
}

/** A failure of a template's evaluation; it becomes text in the annotation. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
}

export function labelMap(record: Readonly<Record<string, string>>): MapValue {
  return { kind: 'map', element: 'string', entries: new Map(Object.entries(record)) }
}

/** Go's truth value: whether the value is not the zero value of its type. */
export function isTruthy(value: Value): boolean {
  if (value === null || typeof value !== 'object') return Boolean(value) || Number.isNaN(value)
  if (value.kind === 'map') return value.entries.size > 0
  if (value.kind === 'list') return value.items.length > 0
  if (value.kind === 'html') return value.text !== ''
  return value.kind !== 'duration' || value.ms !== 0
}

/** Go's name of the type, for messages and `%T`. */
export function typeName(value: Value): string {
  if (value === null) return '<nil>'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'string') return 'string'
  if (typeof value === 'number') return 'float64'
  if (typeof value === 'bigint') return 'int'
  switch (value.kind) {
    case 'html':
      return 'template.HTML'
    case 'map':
      if (value.behaviour !== undefined) return value.behaviour.typeName
      return value.element === 'string' ? 'map[string]string' : 'map[string]interface {}'
    case 'list':
      return value.behaviour?.typeName ?? 'template.queryResult'
    case 'sample':
      return '*template.sample'
    case 'time':
      return '*time.Time'
    case 'duration':
      return '*time.Duration'
    case 'root':
      return 'template data'
  }
}

/** The output of `{{ value }}` and `print`: Go's `%v`. */
export function printValue(value: Value): string {
  if (value === null) return '<nil>'
  if (typeof value === 'string') return value
  if (typeof value === 'number') return formatGoFloat(value, 'g')
  if (typeof value !== 'object') return String(value)
  switch (value.kind) {
    case 'html':
      return value.text
    case 'map': {
      if (value.behaviour?.print !== undefined) return value.behaviour.print()
      const entries = sortedEntries(value).map(([key, item]) => `${key}:${printValue(item)}`)
      return `map[${entries.join(' ')}]`
    }
    case 'list':
      if (value.behaviour?.print !== undefined) return value.behaviour.print()
      return `[${value.items.map(printValue).join(' ')}]`
    case 'sample':
      return `{${printValue(value.labels)} ${printValue(value.value)}}`
    case 'time':
      return formatGoTime(value.ms, value.zone)
    case 'duration':
      return formatGoDuration(value.ms)
    case 'root':
      return `{${Object.values(value.fields).map(printValue).join(' ')}}`
  }
}

/** Entries by key, the order in which Go's `range` iterates and prints a map. */
export function sortedEntries(map: MapValue): (readonly [string, Value])[] {
  return [...map.entries].sort(([a], [b]) => compareText(a, b))
}
