import { FleetError } from '../../src/base/errors.ts'
import { CUSTOM_BOUNDS, NO_BUCKETS, type BucketCounts, type Histogram } from '../../src/model/histogram.ts'
import type { Labels } from '../../src/model/labels.ts'
import { METRIC_NAME } from '../../src/model/labels.ts'
import { addHistograms, subtractHistograms } from '../../src/promql/histogram/combine.ts'
import { nonEmpty } from '../../src/promql/histogram/bucket-sums.ts'
import { isReset } from '../../src/promql/histogram/reset.ts'
import { parseNumber } from '../../src/promql/literals.ts'

/** Native histograms in test scripts: `{{schema:1 count:5 sum:2 buckets:[2 3] n_buckets:[...] z_bucket:1 ...}}`. */

export interface ScriptHistogram {
  readonly histogram: Histogram
  /** The script says what is known of counter resets, so it is compared. */
  readonly hasHint: boolean
}

const HINTS: Readonly<Record<string, Histogram['counterReset']>> = {
  unknown: 'unknown',
  reset: 'reset',
  not_reset: 'continued',
  gauge: 'gauge',
}

/** The text between the braces. */
export function readHistogram(text: string): ScriptHistogram {
  const parts = new Map<string, string>()
  for (const [, key, value] of text.matchAll(/([a-z_]+):(\[[^\]]*\]|\S+)/g)) parts.set(key!, value!)
  const number = (key: string): number => (parts.has(key) ? readFloat(parts.get(key)!) : 0)
  const list = (key: string): number[] => (parts.get(key)?.match(/[^\s[\]]+/g) ?? []).map(readFloat)
  const side = (key: string, offset: number): BucketCounts => {
    const counts = Float64Array.from(list(key))
    return nonEmpty(
      Int32Array.from(counts, (_, i) => offset + i),
      counts,
    )
  }
  const hint = parts.get('counter_reset_hint')
  return {
    histogram: {
      schema: number('schema'),
      counterReset: hint === undefined ? 'unknown' : HINTS[hint]!,
      count: number('count'),
      sum: number('sum'),
      zeroThreshold: number('z_bucket_w'),
      zeroCount: number('z_bucket'),
      positive: side('buckets', number('offset')),
      negative: side('n_buckets', number('n_offset')),
      customBounds: Float64Array.from(list('custom_values')),
    },
    hasHint: hint !== undefined,
  }
}

function readFloat(text: string): number {
  const isNegative = text.startsWith('-')
  const size = parseNumber(text.replace(/^[-+]/, ''))
  if (size === undefined) throw new Error(`not a number: ${text}`)
  return isNegative ? -size : size
}

const ITEM = /^\{\{(.*?)\}\}(?:([-+])\{\{(.*?)\}\})?(?:x(\d+))?$/

/** `{{...}}`, `{{...}}x3`, `{{...}}+{{...}}x3`. */
export function readHistogramItem(item: string): ScriptHistogram[] {
  const match = ITEM.exec(item)
  if (match === null) throw new Error(`not a histogram: ${item}`)
  const [, first, sign, step, times = '0'] = match
  const values = [readHistogram(first!)]
  for (let i = 0; i < Number(times); i++) {
    const last = values.at(-1)!
    values.push(step === undefined ? last : { ...last, histogram: stepped(last.histogram, sign!, readHistogram(step)) })
  }
  return values
}

function stepped(histogram: Histogram, sign: string, { histogram: step }: ScriptHistogram): Histogram {
  const combined = sign === '-' ? subtractHistograms(histogram, step) : addHistograms(histogram, step)
  if (combined === undefined) throw new FleetError('internal', 'a script adds histograms of different kinds')
  return combined.histogram
}

/**
 * What Prometheus' store says of a histogram's counts when it is read: nothing of the first of a chunk, and a counter's
 * chunk ends where its counts begin anew. `previous`: the sample before, a histogram as it was stored.
 */
export function storedHint(histogram: Histogram, previous: Histogram | undefined): Histogram['counterReset'] {
  if (histogram.counterReset === 'gauge') return 'gauge'
  if (previous === undefined || previous.counterReset === 'gauge') return 'unknown'
  return histogram.counterReset === 'reset' || isReset({ ...histogram, counterReset: 'unknown' }, previous)
    ? 'unknown'
    : 'continued'
}

/** Classic histograms of a `load_with_nhcb`, gathered by the labels they share and by time. */
export class ClassicSeries {
  readonly #byLabels = new Map<string, { labels: Labels; byTime: Map<number, ClassicHistogram> }>()

  add(labels: Labels, timeMs: number, value: number): void {
    const suffix = /_(bucket|sum|count)$/.exec(labels.metricName)
    if (suffix === null) return
    const base = labels.with(METRIC_NAME, labels.metricName.slice(0, suffix.index)).with('le', '')
    const bound = suffix[1] === 'bucket' ? readBound(labels.get('le')) : 0
    if (bound === undefined) return
    let series = this.#byLabels.get(base.key)
    if (series === undefined) this.#byLabels.set(base.key, (series = { labels: base, byTime: new Map() }))
    let histogram = series.byTime.get(timeMs)
    if (histogram === undefined) series.byTime.set(timeMs, (histogram = { buckets: new Map() }))
    if (suffix[1] === 'bucket') histogram.buckets.set(bound, value)
    else histogram[suffix[1] as 'sum' | 'count'] = value
  }

  /** One histogram of custom bounds for each label set and time. */
  *histograms(): Generator<{ labels: Labels; timeMs: number; histogram: Histogram }> {
    for (const { labels, byTime } of this.#byLabels.values()) {
      for (const [timeMs, classic] of [...byTime].sort(([a], [b]) => a - b)) {
        yield { labels, timeMs, histogram: withCustomBounds(classic) }
      }
    }
  }
}

interface ClassicHistogram {
  readonly buckets: Map<number, number>
  sum?: number
  count?: number
}

function readBound(text: string): number | undefined {
  if (/^\+?inf$/i.test(text)) return Infinity
  return text === '' || Number.isNaN(Number(text)) ? undefined : Number(text)
}

/** Cumulative buckets as custom ones. */
function withCustomBounds({ buckets, sum = 0, count: given }: ClassicHistogram): Histogram {
  const sorted = [...buckets].sort(([a], [b]) => a - b)
  const count = given ?? sorted.at(-1)?.[1] ?? 0
  if (sorted.at(-1)?.[0] !== Infinity) sorted.push([Infinity, count])
  const counts = Float64Array.from(sorted, ([, cumulative], i) => cumulative - (i === 0 ? 0 : sorted[i - 1]![1]))
  return {
    schema: CUSTOM_BOUNDS,
    counterReset: 'unknown',
    count,
    sum,
    zeroThreshold: 0,
    zeroCount: 0,
    positive: nonEmpty(
      Int32Array.from(counts, (_, i) => i),
      counts,
    ),
    negative: NO_BUCKETS,
    customBounds: Float64Array.from(sorted.slice(0, -1), ([bound]) => bound),
  }
}

/** For a failure's message. */
export function describeHistogram(histogram: Histogram): string {
  const { schema, counterReset, count, sum, zeroCount, zeroThreshold, positive, negative, customBounds } = histogram
  const side = (name: string, { indexes, counts }: BucketCounts): string =>
    indexes.length === 0 ? '' : ` ${name}:{${Array.from(indexes, (index, i) => `${index}:${counts[i]!}`).join(' ')}}`
  const zero = zeroCount === 0 && zeroThreshold === 0 ? '' : ` zero:${zeroCount}/${zeroThreshold}`
  const bounds = customBounds.length === 0 ? '' : ` bounds:${customBounds.join(',')}`
  const hint = counterReset === 'unknown' ? '' : ` ${counterReset}`
  return `{{${schema} count:${count} sum:${sum}${zero}${side('+', positive)}${side('-', negative)}${bounds}${hint}}}`
}
