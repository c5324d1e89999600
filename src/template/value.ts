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

/** Maximum characters of the text of a value, its items, and depth of lists in lists: a template can double a value in each round. */
const VALUE_CHARS_MAX = 2_000_000
const VALUE_ITEMS_MAX = 200_000
const VALUE_DEPTH_MAX = 100

/** A text of parts. Throws `TemplateError` before it is longer than the text of any value may be. */
export class BoundedText {
  text = ''
  /** Values that it is made of, at any depth. */
  items = 0

  put(part: string): void {
    if (this.text.length + part.length > VALUE_CHARS_MAX) {
      throw new TemplateError(`value of more than ${VALUE_CHARS_MAX} characters`)
    }
    this.text += part
  }
}

/** Throws `TemplateError` when the text is too long. */
export function joined(texts: readonly string[], separator: string): string {
  const text = new BoundedText()
  texts.forEach((one, i) => {
    text.put(i > 0 ? separator + one : one)
  })
  return text.text
}

/** The output of `{{ value }}` and `print`: Go's `%v`. Throws `TemplateError` when the value is too large. */
export function printValue(value: Value): string {
  const text = new BoundedText()
  print(value, text, 0)
  return text.text
}

function print(value: Value, to: BoundedText, depth: number): void {
  if (++to.items > VALUE_ITEMS_MAX) throw new TemplateError(`value of more than ${VALUE_ITEMS_MAX} items`)
  if (depth > VALUE_DEPTH_MAX) throw new TemplateError(`value of more than ${VALUE_DEPTH_MAX} lists in lists`)
  const printItems = (open: string, items: readonly Value[], close: string): void => {
    to.put(open)
    items.forEach((item, i) => {
      if (i > 0) to.put(' ')
      print(item, to, depth + 1)
    })
    to.put(close)
  }
  if (value === null) to.put('<nil>')
  else if (typeof value === 'number') to.put(formatGoFloat(value, 'g'))
  else if (typeof value !== 'object') to.put(String(value))
  else if (value.kind === 'html') to.put(value.text)
  else if (value.kind === 'time') to.put(formatGoTime(value.ms, value.zone))
  else if (value.kind === 'duration') to.put(formatGoDuration(value.ms))
  else if (value.kind === 'sample') printItems('{', [value.labels, value.value], '}')
  else if (value.kind === 'root') printItems('{', Object.values(value.fields), '}')
  else if (value.behaviour?.print !== undefined) to.put(value.behaviour.print())
  else if (value.kind === 'list') printItems('[', value.items, ']')
  else {
    to.put('map[')
    sortedEntries(value).forEach(([key, item], i) => {
      to.put(`${i > 0 ? ' ' : ''}${key}:`)
      print(item, to, depth + 1)
    })
    to.put(']')
  }
}

/** Entries by key, the order in which Go's `range` iterates and prints a map. */
export function sortedEntries(map: MapValue): (readonly [string, Value])[] {
  return [...map.entries].sort(([a], [b]) => compareText(a, b))
}
