/**
 * Reads series of test files: `name{label="value"}`, and values `1 2+3x4 _ _x3 stale {{count:1}}x2`, one per interval.
 * Prometheus' notation of unit tests; errors have their position in the text.
 */
import type { Histogram } from '../../model/histogram.ts'
import { Labels } from '../../model/labels.ts'
import { combineHistograms } from '../../promql/histogram/combine.ts'
import { parseNumber } from '../../promql/literals.ts'
import { parseSelector } from '../../promql/parse.ts'
import { PromqlError } from '../../promql/promql-error.ts'
import { readHistogram, type WrittenHistogram } from './histogram-notation.ts'

/** `undefined`: no sample at that time. */
export type WrittenValue = number | 'stale' | WrittenHistogram | undefined

/** `to` is exclusive. */
interface NotationError {
  readonly message: string
  readonly from: number
  readonly to: number
}

export type Readout<T> = { readonly value: T } | { readonly error: NotationError }

/** Maximum values of one series: one repetition can make a short text huge. */
export const VALUES_MAX = 1_000_000

/** A series' labels; `isEmptyAllowed` for query results, where `{}` is a sample without labels. */
export function readSeries(text: string, isEmptyAllowed = false): Readout<Labels> {
  if (/^\s*(?:\{\s*\})?\s*$/.test(text)) {
    return isEmptyAllowed ? { value: Labels.EMPTY } : errorAt(text, 'a series needs a name or labels')
  }
  const blank = /^\s*[A-Za-z_:][\w:]*(\s+)\{/.exec(text)
  if (blank !== null && !isEmptyAllowed) return errorAt(text, 'a blank between the name and its labels')
  try {
    const matchers = parseSelector(text)
    const other = matchers.find(({ op }) => op !== '=')
    if (other !== undefined) return errorAt(text, `${other.name} ${other.op} is a question; want ${other.name}="..."`)
    const names = new Set<string>()
    for (const { name } of matchers) {
      if (names.has(name)) return errorAt(text, `label ${name} is repeated`)
      names.add(name)
    }
    return { value: Labels.fromPairs(matchers.map(({ name, value }) => [name, value] as const)) }
  } catch (thrown) {
    if (!(thrown instanceof PromqlError)) throw thrown
    const { message, from, to } = thrown.diagnostic
    return { error: { message, from, to } }
  }
}

const ITEM = /\{\{.*?\}\}(?:[-+]\{\{.*?\}\})?[^\s]*|\S+/gs

/** One value per interval, from the first on. */
export function readValues(text: string): Readout<WrittenValue[]> {
  const values: WrittenValue[] = []
  for (const match of text.matchAll(ITEM)) {
    const [item] = match
    const place = { from: match.index, to: match.index + item.length }
    const read = readItem(item)
    if (typeof read === 'string') return { error: { message: read, ...place } }
    if (values.length + read.count > VALUES_MAX) {
      return { error: { message: `more than ${VALUES_MAX} values in one series`, ...place } }
    }
    let value = read.first
    for (let i = 0; i < read.count; i++) {
      values.push(value)
      if (i === read.count - 1 || read.next === undefined) continue
      const next = read.next(value)
      if ('fault' in next) return { error: { message: next.fault, ...place } }
      value = next.value
    }
  }
  return { value: values }
}

type Next = { readonly value: WrittenValue } | { readonly fault: string }

interface Item {
  readonly first: WrittenValue
  /** Number of values. */
  readonly count: number
  /** The value after a value, or an error; absent when all values are equal. */
  readonly next?: (value: WrittenValue) => Next
}

const DECIMAL = String.raw`(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?`
const NUMBER = new RegExp(
  `^(?<sign>[-+]?)(?:(?<number>${DECIMAL})|(?<word>[a-zA-Z]+))(?:(?<stepSign>[-+])(?<step>${DECIMAL}))?(?:x(?<times>\\d+))?$`,
)
const HISTOGRAM = /^\{\{(?<first>.*?)\}\}(?:(?<sign>[-+])\{\{(?<step>.*?)\}\})?(?:x(?<times>\d+))?$/s

/** Returns the error as a sentence. */
function readItem(item: string): Item | string {
  const blank = /^_(?:x(\d+))?$/.exec(item)
  if (blank !== null) return { first: undefined, count: Number(blank[1] ?? 1) }
  if (item === 'stale') return { first: 'stale', count: 1 }
  if (item.startsWith('{{')) return readHistogramItem(item)
  const parts = NUMBER.exec(item)?.groups
  if (parts === undefined) return `${JSON.stringify(item)} is not a value; want 1, 1x3, 1+2x3, _, _x3, stale or {{...}}`
  const { sign, number, word, stepSign, step, times } = parts
  if (word === 'stale' && sign === '') return readStaleItem(item, times)
  if (word !== undefined && !/^(inf|nan)$/i.test(word)) return `${JSON.stringify(item)} is not a number`
  const size = parseNumber(number ?? word ?? '')
  const stepSize = step === undefined ? 0 : parseNumber(step)
  if (number !== undefined && !Number.isFinite(size)) return `${number} is too large for a float`
  if (size === undefined || stepSize === undefined) return `${JSON.stringify(item)} is not a number`
  const first = sign === '-' ? -size : size
  if (step !== undefined && times === undefined) {
    return `${JSON.stringify(item)} has a step but no count; want ${item}x3`
  }
  if (times === undefined) return { first, count: 1 }
  if (word !== undefined && step === undefined) return `${JSON.stringify(item)} cannot be repeated by x`
  const change = stepSign === '-' ? -stepSize : stepSize
  return { first, count: Number(times) + 1, next: (value) => ({ value: (value as number) + change }) }
}

/** `stale+0x3`, as in Prometheus: a stale marker, and then what adding to its NaN gives, which is no marker. */
function readStaleItem(item: string, times: string | undefined): Item | string {
  if (/^stalex/.test(item)) return `${JSON.stringify(item)} is not a number`
  if (times === undefined) return `${JSON.stringify(item)} has a step but no count; want ${item}x3`
  return { first: 'stale', count: Number(times) + 1, next: () => ({ value: NaN }) }
}

function readHistogramItem(item: string): Item | string {
  const parts = HISTOGRAM.exec(item)?.groups
  if (parts === undefined)
    return `${JSON.stringify(item)} is not a histogram; want {{...}}, {{...}}x3 or {{...}}+{{...}}x3`
  const first = readHistogram(parts['first']!)
  if (typeof first === 'string') return first
  const { sign, step: stepText, times } = parts
  if (stepText === undefined) return { first, count: times === undefined ? 1 : Number(times) + 1 }
  if (times === undefined) return `${JSON.stringify(item)} has a step but no count; want ${item}x3`
  const step = readHistogram(stepText)
  if (typeof step === 'string') return step
  return {
    first,
    count: Number(times) + 1,
    next: (value) => stepped(value as WrittenHistogram, sign!, step.histogram),
  }
}

function stepped(value: WrittenHistogram, sign: string, step: Histogram): Next {
  const { histogram } = value
  const combined = combineHistograms(histogram, step, sign === '-' ? -1 : 1)
  if (combined === undefined) return { fault: 'histograms of custom_values and of a schema cannot be combined' }
  return { value: { ...value, histogram: { ...combined.histogram, counterReset: histogram.counterReset } } }
}

function errorAt(text: string, message: string): { readonly error: NotationError } {
  return { error: { message, from: 0, to: Math.max(1, text.length) } }
}
