import { CUSTOM_BOUNDS, NO_BUCKETS, type Histogram } from '../../model/histogram.ts'
import type { Annotations, Place } from '../annotations.ts'
import { addHistograms, addPlainly, subtractHistograms, type Combined } from '../histogram/combine.ts'
import { areEqual } from '../histogram/equals.ts'
import { isReset } from '../histogram/reset.ts'
import { beginSum, endSum, withSchema } from '../histogram/running-sum.ts'
import { divideHistogram, multiplyHistogram } from '../histogram/scale.ts'
import { HistogramTotal } from '../histogram/total.ts'
import type { Element } from './histogram-cells.ts'
import { extrapolationFactor } from './rate.ts'

/** Range functions of windows with native histograms. */

/** The samples of a window, oldest first, at least one of them a histogram. */
interface ElementWindow {
  readonly timesMs: readonly number[]
  readonly elements: readonly Element[]
  readonly startMs: number
  readonly endMs: number
}

/** The position of annotations about a series. */
export interface WindowRemarks {
  readonly annotations: Annotations
  readonly metricName: string
  /** The range vector. */
  readonly place: Place
}

/** `undefined`: no value at this step. */
type ElementFunction = (window: ElementWindow, remarks: WindowRemarks) => Element | undefined

/** Marks a window that mixes kinds of histograms: it has no result. */
const MIXED = Symbol('mixed')

const total =
  (begin: (first: Histogram) => HistogramTotal): ElementFunction =>
  ({ elements }, { annotations, metricName, place }) => {
    const histograms = histogramsIn(elements)
    if (histograms.length < elements.length) {
      annotations.mixedSamples(metricName, place)
      return undefined
    }
    const sum = begin(histograms[0]!)
    for (const histogram of histograms.slice(1)) sum.add(histogram)
    if (sum.isMixed) {
      annotations.mixedBucketKinds(metricName, place)
      return undefined
    }
    if (sum.hasCollision) annotations.resetCollision('aggregation', place)
    if (sum.isReconciled) annotations.reconciledBounds('aggregation', place)
    return sum.result()
  }

const gain =
  (isCounter: boolean, isRate: boolean): ElementFunction =>
  ({ timesMs, elements, startMs, endMs }, remarks) => {
    const histograms = histogramsIn(elements)
    if (histograms.length < elements.length) {
      remarks.annotations.mixedSamples(remarks.metricName, remarks.place)
      return undefined
    }
    if (histograms.length < 2) return undefined
    const gained = gainOf(histograms, isCounter, remarks)
    if (gained === MIXED) {
      remarks.annotations.mixedBucketKinds(remarks.metricName, remarks.place)
      return undefined
    }
    const samples = histograms.length
    const [first, last] = [timesMs[0]!, timesMs[samples - 1]!]
    const firstCount = histograms[0]!.count
    const factor = extrapolationFactor(gained.count, firstCount, first, last, samples, startMs, endMs, isCounter)
    return multiplyHistogram(gained, isRate ? factor / ((endMs - startMs) / 1000) : factor)
  }

/** The gain of a histogram from the first sample to the last; after each counter reset it starts from empty. */
function gainOf(
  histograms: readonly Histogram[],
  isCounter: boolean,
  { annotations, metricName, place }: WindowRemarks,
): Histogram | typeof MIXED {
  const newest = histograms.at(-1)!
  const isGauge = ({ counterReset }: Histogram): boolean => counterReset === 'gauge'
  // The layout of the first sample does not count when a reset follows it, because none of its counts are used.
  const first = isCounter && isReset(histograms[1]!, histograms[0]!) ? nothingLike(histograms[1]!) : histograms[0]!
  const kind = (one: Histogram): boolean => one.schema === CUSTOM_BOUNDS
  const between = isCounter ? histograms.slice(1, -1) : []
  if ([newest, ...between].some((one) => kind(one) !== kind(first))) return MIXED
  if (isCounter && histograms.some(isGauge)) annotations.histogramNotCounter(metricName, place)
  const schema = Math.min(newest.schema, first.schema, ...between.map((one) => one.schema))
  const difference = subtractHistograms(endSum(withSchema(beginSum(newest), schema, addPlainly)), first)
  if (difference === undefined) return MIXED
  let gained = reconciled(difference, 'subtraction')
  if (!isCounter) {
    if (!isGauge(histograms[0]!) || !isGauge(newest)) annotations.histogramNotGauge(metricName, place)
    return { ...gained, counterReset: 'gauge' }
  }
  let previous = first
  for (const current of histograms.slice(1)) {
    if (isReset(current, previous)) {
      const sum = addHistograms(gained, previous)
      if (sum === undefined) return MIXED
      gained = reconciled(sum, 'addition')
    }
    previous = current
  }
  return { ...gained, counterReset: 'gauge' }

  function reconciled({ histogram, isReconciled }: Combined, operation: 'addition' | 'subtraction'): Histogram {
    if (isReconciled) annotations.reconciledBounds(operation, place)
    return histogram
  }
}

/** A histogram of the same layout without observations. */
function nothingLike({ schema, customBounds }: Histogram): Histogram {
  return {
    schema,
    counterReset: 'unknown',
    count: 0,
    sum: 0,
    zeroThreshold: 0,
    zeroCount: 0,
    positive: NO_BUCKETS,
    negative: NO_BUCKETS,
    customBounds,
  }
}

/** The last two samples. */
const instant =
  (isCounter: boolean): ElementFunction =>
  ({ timesMs, elements }, { annotations, metricName, place }) => {
    const [before, now] = elements.slice(-2)
    if (before === undefined || now === undefined) return undefined
    const seconds = (timesMs.at(-1)! - timesMs.at(-2)!) / 1000
    if (typeof before === 'number' && typeof now === 'number') {
      const gained = isCounter && now < before ? now : now - before
      return isCounter ? gained / seconds : gained
    }
    if (typeof before === 'number' || typeof now === 'number') {
      annotations.mixedSamples(metricName, place)
      return undefined
    }
    const gauges = [before, now].filter(({ counterReset }) => counterReset === 'gauge').length
    if (isCounter && gauges > 0) annotations.histogramNotCounter(metricName, place)
    if (!isCounter && gauges < 2) annotations.histogramNotGauge(metricName, place)
    let gained = now
    if (!isCounter || !isReset(now, before)) {
      const difference = subtractHistograms(now, before)
      if (difference === undefined) {
        annotations.mixedBucketKinds(metricName, place)
        return undefined
      }
      if (difference.isReconciled) annotations.reconciledBounds('subtraction', place)
      gained = difference.histogram
    }
    gained = { ...gained, counterReset: 'gauge' }
    return isCounter ? divideHistogram(gained, seconds) : gained
  }

/** The number of neighbouring samples that differ; a float next to a histogram always differs. */
const counted =
  (
    ofFloats: (before: number, now: number) => boolean,
    ofHistograms: (before: Histogram, now: Histogram) => boolean,
  ): ElementFunction =>
  ({ elements }) =>
    elements.slice(1).filter((now, i) => {
      const before = elements[i]!
      if (typeof before === 'number' && typeof now === 'number') return ofFloats(before, now)
      if (typeof before === 'number' || typeof now === 'number') return true
      return ofHistograms(before, now)
    }).length

function histogramsIn(elements: readonly Element[]): Histogram[] {
  return elements.filter((element) => typeof element !== 'number')
}

export const ELEMENT_FUNCTIONS: Readonly<Record<string, ElementFunction>> = {
  avg_over_time: total((first) => HistogramTotal.mean(first)),
  changes: counted(
    (before, now) => before !== now && !(Number.isNaN(before) && Number.isNaN(now)),
    (before, now) => !areEqual(before, now),
  ),
  delta: gain(false, false),
  first_over_time: ({ elements }) => elements[0],
  idelta: instant(false),
  increase: gain(true, false),
  irate: instant(true),
  last_over_time: ({ elements }) => elements.at(-1),
  rate: gain(true, true),
  resets: counted(
    (before, now) => now < before,
    (before, now) => isReset(now, before),
  ),
  sum_over_time: total((first) => HistogramTotal.sum(first)),
}

/** Functions of sample times and counts only, so their float versions apply. */
export const TIME_FUNCTIONS: ReadonlySet<string> = new Set([
  'count_over_time',
  'present_over_time',
  'ts_of_first_over_time',
  'ts_of_last_over_time',
])
