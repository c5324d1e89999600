import { CUSTOM_BOUNDS, NO_BUCKETS, type Histogram } from '../../model/histogram.ts'
import type { Annotations, Place } from '../annotations.ts'
import { addPlainly, combineHistograms } from '../histogram/combine.ts'
import { areEqual } from '../histogram/equals.ts'
import { isReset } from '../histogram/reset.ts'
import { beginSum, endSum, withSchema } from '../histogram/running-sum.ts'
import { divideHistogram, multiplyHistogram } from '../histogram/scale.ts'
import { HistogramTotal } from '../histogram/total.ts'
import type { Element } from './histogram-cells.ts'
import { isChange } from './over-time.ts'
import { extrapolationFactor, rangeSeconds } from './rate.ts'

/** Range functions of windows with native histograms. */

/** Samples, oldest first, at least one. */
export interface Elements {
  readonly timesMs: readonly number[]
  readonly elements: readonly Element[]
}

/** The samples of a window; for an extended window also those around it. */
export interface ElementWindow extends Elements {
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

/** The histograms, if all samples are histograms; otherwise a warning. */
export function onlyHistograms(
  elements: readonly Element[],
  { annotations, metricName, place }: WindowRemarks,
): Histogram[] | undefined {
  const histograms = elements.filter((element) => typeof element !== 'number')
  if (histograms.length === elements.length) return histograms
  annotations.warn('mixedSamples', place, metricName)
  return undefined
}

/** Whether all have exponential buckets, or all custom ones; otherwise a warning. */
export function areOneKind(
  histograms: readonly Histogram[],
  { annotations, metricName, place }: WindowRemarks,
): boolean {
  const custom = histograms.filter(({ schema }) => schema === CUSTOM_BOUNDS).length
  if (custom === 0 || custom === histograms.length) return true
  annotations.warn('mixedBucketKinds', place, metricName)
  return false
}

export function isGauge({ counterReset }: Histogram): boolean {
  return counterReset === 'gauge'
}

/** The sum (`sign` 1) or the difference (-1); `undefined`, with a warning, if their kinds of buckets differ. */
export function combined(
  a: Histogram,
  b: Histogram,
  sign: 1 | -1,
  { annotations, metricName, place }: WindowRemarks,
): Histogram | undefined {
  const result = combineHistograms(a, b, sign)
  if (result === undefined) annotations.warn('mixedBucketKinds', place, metricName)
  else if (result.isReconciled) annotations.inform('reconciledBounds', place, sign === 1 ? 'addition' : 'subtraction')
  return result?.histogram
}

/** The gain of a counter plus its values before each reset from `first` over `later`. */
export function withLosses(
  gained: Histogram,
  first: Histogram,
  later: readonly Histogram[],
  remarks: WindowRemarks,
): Histogram | undefined {
  let sum: Histogram | undefined = gained
  let previous = first
  for (const current of later) {
    if (sum !== undefined && isReset(current, previous)) sum = combined(sum, previous, 1, remarks)
    previous = current
  }
  return sum
}

const total =
  (isMean: boolean): ElementFunction =>
  ({ elements }, remarks) => {
    const { annotations, metricName, place } = remarks
    const histograms = onlyHistograms(elements, remarks)
    if (histograms === undefined) return undefined
    const sum = new HistogramTotal(histograms[0]!, isMean)
    for (const histogram of histograms.slice(1)) sum.add(histogram)
    if (sum.isMixed) {
      annotations.warn('mixedBucketKinds', place, metricName)
      return undefined
    }
    if (sum.hasCollision) annotations.warn('resetCollision', place, 'aggregation')
    if (sum.isReconciled) annotations.inform('reconciledBounds', place, 'aggregation')
    return sum.result()
  }

const gain =
  (isCounter: boolean, isRate: boolean): ElementFunction =>
  ({ timesMs, elements, startMs, endMs }, remarks) => {
    const histograms = onlyHistograms(elements, remarks)
    if (histograms === undefined || histograms.length < 2) return undefined
    const gained = gainOf(histograms, isCounter, remarks)
    if (gained === undefined) return undefined
    const samples = histograms.length
    const [first, last] = [timesMs[0]!, timesMs[samples - 1]!]
    const firstCount = histograms[0]!.count
    const factor = extrapolationFactor(gained.count, firstCount, first, last, samples, startMs, endMs, isCounter)
    const result = multiplyHistogram(gained, isRate ? factor / rangeSeconds(endMs - startMs) : factor)
    return { ...result, counterReset: 'gauge' }
  }

/** The gain of a histogram from the first sample to the last; after each counter reset it starts from empty. */
function gainOf(histograms: readonly Histogram[], isCounter: boolean, remarks: WindowRemarks): Histogram | undefined {
  const { annotations, metricName, place } = remarks
  const newest = histograms.at(-1)!
  // The layout of the first sample does not count when a reset follows it, because none of its counts are used.
  const first = isCounter && isReset(histograms[1]!, histograms[0]!) ? nothingLike(histograms[1]!) : histograms[0]!
  const counted = [first, ...(isCounter ? histograms.slice(1, -1) : []), newest]
  if (!areOneKind(counted, remarks)) return undefined
  if (isCounter && histograms.some(isGauge)) annotations.warn('histogramNotCounter', place, metricName)
  const schema = Math.min(...counted.map((one) => one.schema))
  const gained = combined(endSum(withSchema(beginSum(newest), schema, addPlainly)), first, -1, remarks)
  if (gained !== undefined && isCounter) return withLosses(gained, first, histograms.slice(1), remarks)
  if (!isGauge(histograms[0]!) || !isGauge(newest)) annotations.warn('histogramNotGauge', place, metricName)
  return gained
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
  ({ timesMs, elements }, remarks) => {
    const { annotations, metricName, place } = remarks
    const [before, now] = elements.slice(-2)
    if (before === undefined || now === undefined) return undefined
    const seconds = (timesMs.at(-1)! - timesMs.at(-2)!) / 1000
    if (typeof before === 'number' && typeof now === 'number') {
      const gained = isCounter && now < before ? now : now - before
      return isCounter ? gained / seconds : gained
    }
    if (typeof before === 'number' || typeof now === 'number') {
      annotations.warn('mixedSamples', place, metricName)
      return undefined
    }
    const gauges = [before, now].filter(isGauge).length
    if (isCounter && gauges > 0) annotations.warn('histogramNotCounter', place, metricName)
    if (!isCounter && gauges < 2) annotations.warn('histogramNotGauge', place, metricName)
    const gained = isCounter && isReset(now, before) ? now : combined(now, before, -1, remarks)
    if (gained === undefined) return undefined
    return { ...(isCounter ? divideHistogram(gained, seconds) : gained), counterReset: 'gauge' }
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

export const ELEMENT_FUNCTIONS: Readonly<Record<string, ElementFunction>> = {
  avg_over_time: total(true),
  changes: counted(isChange, (before, now) => !areEqual(before, now)),
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
  sum_over_time: total(false),
}

/** Functions of sample times and counts only, so their float versions apply. */
export const TIME_FUNCTIONS: ReadonlySet<string> = new Set([
  'count_over_time',
  'present_over_time',
  'ts_of_first_over_time',
  'ts_of_last_over_time',
])
