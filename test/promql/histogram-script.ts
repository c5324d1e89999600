import { FleetError } from '../../src/base/errors.ts'
import { CUSTOM_BOUNDS, NO_BUCKETS, type BucketCounts, type Histogram } from '../../src/model/histogram.ts'
import { METRIC_NAME, type Labels } from '../../src/model/labels.ts'
import { combineHistograms } from '../../src/promql/histogram/combine.ts'
import { nonEmpty } from '../../src/promql/histogram/bucket-sums.ts'
import { readHistogram, type WrittenHistogram } from '../../src/rules/unit-test/histogram-notation.ts'

/** Native histograms in test scripts, one after the other, and classic ones made into them. */

export type ScriptHistogram = WrittenHistogram

const ITEM = /^\{\{(.*?)\}\}(?:([-+])\{\{(.*?)\}\})?(?:x(\d+))?$/

/** `{{...}}`, `{{...}}x3`, `{{...}}+{{...}}x3`. */
export function readHistogramItem(item: string): ScriptHistogram[] {
  const match = ITEM.exec(item)
  if (match === null) throw new Error(`not a histogram: ${item}`)
  const [, first, sign, step, times = '0'] = match
  const values = [read(first!)]
  for (let i = 0; i < Number(times); i++) {
    const last = values.at(-1)!
    values.push(step === undefined ? last : { ...last, histogram: stepped(last.histogram, sign!, read(step)) })
  }
  return values
}

function read(text: string): ScriptHistogram {
  const histogram = readHistogram(text)
  if (typeof histogram === 'string') throw new Error(histogram)
  return histogram
}

function stepped(histogram: Histogram, sign: string, { histogram: step }: ScriptHistogram): Histogram {
  const combined = combineHistograms(histogram, step, sign === '-' ? -1 : 1)
  if (combined === undefined) throw new FleetError('internal', 'a script adds histograms of different kinds')
  return combined.histogram
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
