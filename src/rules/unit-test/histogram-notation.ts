/**
 * Reads native histograms of test files: `{{schema:1 count:5 sum:2 buckets:[2 3] n_buckets:[...] z_bucket:1 ...}}`, the
 * notation of Prometheus 3.
 */
import {
  CUSTOM_BOUNDS,
  NO_BUCKETS,
  SCHEMA_MAX,
  SCHEMA_MIN,
  type BucketCounts,
  type Histogram,
} from '../../model/histogram.ts'
import { nonEmpty } from '../../promql/histogram/bucket-sums.ts'
import { isReset } from '../../promql/histogram/reset.ts'
import { parseNumber } from '../../promql/literals.ts'

export interface WrittenHistogram {
  readonly histogram: Histogram
  /** The text has a counter reset hint, so the hint is compared too. */
  readonly hasHint: boolean
}

const NUMBER_KEYS = ['schema', 'count', 'sum', 'z_bucket', 'z_bucket_w', 'offset', 'n_offset'] as const
const LIST_KEYS = ['buckets', 'n_buckets', 'custom_values'] as const
const KEYS: readonly string[] = [...NUMBER_KEYS, ...LIST_KEYS, 'counter_reset_hint']

const HINTS: ReadonlyMap<string, Histogram['counterReset']> = new Map([
  ['unknown', 'unknown'],
  ['reset', 'reset'],
  ['not_reset', 'continued'],
  ['gauge', 'gauge'],
])

const PART = /\s*([a-z_]+):(\[[^\]]*\]|[^\s[\]]+)\s*/y

/** Reads the text between the braces; returns the error as a sentence. */
export function readHistogram(text: string): WrittenHistogram | string {
  const parts = new Map<string, string>()
  for (let at = 0; at < text.trimEnd().length; at = PART.lastIndex) {
    PART.lastIndex = at
    const part = PART.exec(text)
    if (part === null) return `${JSON.stringify(text.slice(at).trim())} is not part of a histogram; want key:value`
    const [, key = '', value = ''] = part
    if (!KEYS.includes(key)) return `unknown key ${key} in a histogram; known are ${KEYS.join(', ')}`
    if (parts.has(key)) return `${key} is repeated in a histogram`
    parts.set(key, value)
  }
  const numbers = new Map<string, number>()
  for (const key of NUMBER_KEYS) {
    const value = readFloat(parts.get(key) ?? '0')
    if (value === undefined) return `${key}: ${parts.get(key) ?? ''} is not a number`
    numbers.set(key, value)
  }
  const lists = new Map<string, Float64Array>()
  for (const key of LIST_KEYS) {
    const list = readList(parts.get(key) ?? '[]')
    if (list === undefined) return `${key}: want a list of numbers such as [1 2 3]`
    lists.set(key, list)
  }
  const hint = HINTS.get(parts.get('counter_reset_hint') ?? 'unknown')
  if (hint === undefined) return `counter_reset_hint: want one of ${[...HINTS.keys()].join(', ')}`
  const schema = numbers.get('schema')!
  if (schema !== CUSTOM_BOUNDS && !(Number.isInteger(schema) && schema >= SCHEMA_MIN && schema <= SCHEMA_MAX)) {
    return `schema: got ${schema}, want ${SCHEMA_MIN} to ${SCHEMA_MAX}, or ${CUSTOM_BOUNDS} for custom_values`
  }
  return {
    histogram: {
      schema,
      counterReset: hint,
      count: numbers.get('count')!,
      sum: numbers.get('sum')!,
      zeroThreshold: numbers.get('z_bucket_w')!,
      zeroCount: numbers.get('z_bucket')!,
      positive: side(lists.get('buckets')!, numbers.get('offset')!),
      negative: side(lists.get('n_buckets')!, numbers.get('n_offset')!),
      customBounds: lists.get('custom_values')!,
    },
    hasHint: parts.has('counter_reset_hint'),
  }
}

function side(counts: Float64Array, offset: number): BucketCounts {
  if (counts.length === 0) return NO_BUCKETS
  const indexes = Int32Array.from(counts, (_, i) => offset + i)
  return nonEmpty(indexes, counts)
}

function readList(text: string): Float64Array | undefined {
  if (!/^\[[^[\]]*\]$/.test(text)) return undefined
  const numbers = (text.match(/[^\s[\]]+/g) ?? []).map(readFloat)
  return numbers.includes(undefined) ? undefined : Float64Array.from(numbers as number[])
}

function readFloat(text: string): number | undefined {
  const size = parseNumber(text.replace(/^[-+]/, ''))
  return size === undefined || !text.startsWith('-') ? size : -size
}

/**
 * The counter reset hint that Prometheus' store returns for a histogram: `unknown` for the first of a chunk, and a counter
 * reset starts a new chunk. `previous` is the sample before, as stored.
 */
export function storedHint(histogram: Histogram, previous: Histogram | undefined): Histogram['counterReset'] {
  if (histogram.counterReset === 'gauge') return 'gauge'
  if (previous === undefined || previous.counterReset === 'gauge') return 'unknown'
  return histogram.counterReset === 'reset' || isReset({ ...histogram, counterReset: 'unknown' }, previous)
    ? 'unknown'
    : 'continued'
}
