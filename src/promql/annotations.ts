import { positionOf } from '../model/diagnostic.ts'
import { formatDuration } from '../model/duration.ts'
import { quote } from './literals.ts'
import { formatShort, formatTwoDigits } from './number-format.ts'

/** A range in the query text. */
export interface Place {
  readonly from: number
  readonly to: number
}

/** The largest time of a JavaScript Date. */
const DATE_MS_MAX = 8.64e15

/** The operation that combined two histograms. */
type HistogramOperation = 'addition' | 'subtraction' | 'aggregation'
export type SampleType = 'float' | 'histogram'

/**
 * Classic buckets with a lower count than the buckets below them, which is invalid: their counts were raised, by at
 * most `most`.
 */
export interface RaisedBuckets {
  readonly fromBound: number
  readonly toBound: number
  readonly most: number
}

/** The raised buckets of all histograms of a metric at all times. */
interface AllRaised extends RaisedBuckets {
  readonly metricName: string
  readonly place: Place
  readonly samples: number
  readonly firstMs: number
  readonly lastMs: number
}

/** Warnings and infos of a successful result, without repeats, in Prometheus' words with positions. */
export class Annotations {
  readonly #text: string
  /** Positions by message: a repeated message has the position of its first occurrence, as in Prometheus. */
  readonly #warnings = new Map<string, Place>()
  readonly #infos = new Map<string, Place>()
  /** By position and name. */
  readonly #raised = new Map<string, AllRaised>()

  /** @param text the query */
  constructor(text: string) {
    this.#text = text
  }

  get warnings(): readonly string[] {
    return Array.from(this.#warnings, ([message, place]) => `PromQL warning: ${message} (${this.#at(place)})`)
  }

  get infos(): readonly string[] {
    const infos = Array.from(this.#infos, ([message, place]) => `PromQL info: ${message} (${this.#at(place)})`)
    return [...infos, ...Array.from(this.#raised.values(), (all) => this.#ofRaised(all))]
  }

  get count(): number {
    return this.#warnings.size + this.#infos.size + this.#raised.size
  }

  invalidQuantile(quantile: number, place: Place): void {
    this.#warn(`quantile value should be between 0 and 1, got ${formatShort(quantile)}`, place)
  }

  invalidRatio(ratio: number, cappedTo: number, place: Place): void {
    const got = `got ${formatShort(ratio)}, capping to ${cappedTo}`
    this.#warn(`ratio value should be between -1 and 1, ${got}`, place)
  }

  /** The result of a range query is sorted by labels, so a sort function has no effect. */
  sortInRangeQuery(place: Place): void {
    this.#warn('sort is ineffective for range queries since results are always ordered by labels', place)
  }

  badBucketLabel(value: string, metricName: string, place: Place): void {
    const got = `${quote(value)}${namedMetric(metricName)}`
    this.#warn(`bucket label "le" is missing or has a malformed value of ${got}`, place)
  }

  possibleNonCounter(metricName: string, place: Place): void {
    const wanted = '_total/_sum/_count/_bucket'
    this.#inform(`metric might not be a counter, name does not end in ${wanted}: ${quote(metricName)}`, place)
  }

  /** Only some samples are stored for a part of the range. */
  coarseSamples(resolutionMs: number, place: Place): void {
    const each = formatDuration(resolutionMs)
    this.#inform(`older samples are gone: the first and the last of each ${each} stand for all`, place)
  }

  /** Reported once per metric, for all its histograms and times. */
  forcedMonotonicity(
    { fromBound, toBound, most }: RaisedBuckets,
    timeMs: number,
    metricName: string,
    place: Place,
  ): void {
    const key = `${place.from} ${metricName}`
    const before = this.#raised.get(key)
    this.#raised.set(key, {
      metricName,
      place,
      fromBound: Math.min(fromBound, before?.fromBound ?? Infinity),
      toBound: Math.max(toBound, before?.toBound ?? -Infinity),
      most: Math.max(most, before?.most ?? 0),
      samples: 1 + (before?.samples ?? 0),
      firstMs: Math.min(timeMs, before?.firstMs ?? Infinity),
      lastMs: Math.max(timeMs, before?.lastMs ?? -Infinity),
    })
  }

  /** `metricName` of a series with floats and histograms. */
  mixedSamples(metricName: string, place: Place): void {
    this.#warn(`encountered a mix of histograms and floats for metric name ${quote(metricName)}`, place)
  }

  mixedSamplesInAggregation(place: Place): void {
    this.#warn('encountered a mix of histograms and floats for aggregation', place)
  }

  mixedBucketKinds(metricName: string, place: Place): void {
    const mix = 'a mix of histograms with exponential and custom buckets schemas'
    this.#warn(`vector contains ${mix} for metric name ${quote(metricName)}`, place)
  }

  mixedClassicAndNative(metricName: string, place: Place): void {
    this.#warn(`vector contains a mix of classic and native histograms${namedMetric(metricName)}`, place)
  }

  histogramNotCounter(metricName: string, place: Place): void {
    this.#warn(`this native histogram metric is not a counter: ${quote(metricName)}`, place)
  }

  histogramNotGauge(metricName: string, place: Place): void {
    this.#warn(`this native histogram metric is not a gauge: ${quote(metricName)}`, place)
  }

  incompatibleBuckets(operator: string, place: Place): void {
    this.#warn(`incompatible bucket layout encountered for binary operator ${operator}`, place)
  }

  resetCollision(operation: HistogramOperation, place: Place): void {
    this.#warn(`conflicting counter resets during histogram ${operation}`, place)
  }

  reconciledBounds(operation: HistogramOperation, place: Place): void {
    this.#inform(`mismatched custom buckets were reconciled during ${operation}`, place)
  }

  incompatibleTypes(left: SampleType, operator: string, right: SampleType, place: Place): void {
    const types = `${left} ${operator} ${right}`
    this.#inform(`incompatible sample types encountered for binary operator ${quote(operator)}: ${types}`, place)
  }

  ignoredInAggregation(aggregation: string, place: Place): void {
    this.#inform(`ignored histogram in ${aggregation} aggregation`, place)
  }

  ignoredInMixedRange(metricName: string, place: Place): void {
    const range = 'a range containing both floats and histograms'
    this.#inform(`ignored histograms in ${range} for metric name ${quote(metricName)}`, place)
  }

  /** NaN observations made a quantile NaN (`result`) or greater than it would be (`skew`). */
  nanInQuantile(effect: 'result' | 'skew', metricName: string, place: Place): void {
    const told = effect === 'result' ? 'result is NaN' : 'result is skewed higher'
    this.#inform(`input to histogram_quantile has NaN observations, ${told}${namedMetric(metricName)}`, place)
  }

  nanInFraction(metricName: string, place: Place): void {
    const told = 'which are excluded from all fractions'
    this.#inform(`input to histogram_fraction has NaN observations, ${told}${namedMetric(metricName)}`, place)
  }

  #ofRaised({ metricName, place, fromBound, toBound, most, samples, firstMs, lastMs }: AllRaised): string {
    const page = 'https://prometheus.io/docs/prometheus/latest/querying/functions/#histogram_quantile'
    const message = `input to histogram_quantile needed to be fixed for monotonicity (see ${page})`
    const buckets = `from buckets ${formatShort(fromBound)} to ${formatShort(toBound)}`
    const times = `over ${samples} samples from ${secondOf(firstMs)} to ${secondOf(lastMs)}`
    const detail = `${buckets}, with a max diff of ${formatTwoDigits(most)}, ${times}`
    return `PromQL info: ${message}${namedMetric(metricName)}, ${detail} (${this.#at(place)})`
  }

  #warn(message: string, place: Place): void {
    if (!this.#warnings.has(message)) this.#warnings.set(message, place)
  }

  #inform(message: string, place: Place): void {
    if (!this.#infos.has(message)) this.#infos.set(message, place)
  }

  #at(place: Place): string {
    const { line, column } = positionOf(this.#text, place.from)
    return `${line}:${column}`
  }
}

/** Truncated to a second, in UTC. */
function secondOf(timeMs: number): string {
  const knownMs = Math.max(-DATE_MS_MAX, Math.min(timeMs, DATE_MS_MAX))
  return new Date(Math.trunc(knownMs / 1000) * 1000).toISOString().replace('.000Z', 'Z')
}

function namedMetric(metricName: string): string {
  return metricName === '' ? '' : ` for metric name ${quote(metricName)}`
}
