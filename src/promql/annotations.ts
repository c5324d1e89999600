import { positionOf } from '../model/diagnostic.ts'
import { formatDuration } from '../model/duration.ts'
import type { MissingListener } from '../model/queryable.ts'
import { quoteGo } from '../base/go-quote.ts'
import { formatGoFloat } from '../base/go-float.ts'

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

const WARNINGS = {
  invalidQuantile: (quantile: number) =>
    `quantile value should be between 0 and 1, got ${formatGoFloat(quantile, 'g')}`,
  invalidRatio: (ratio: number, cappedTo: number) =>
    `ratio value should be between -1 and 1, got ${formatGoFloat(ratio, 'g')}, capping to ${cappedTo}`,
  /** The result of a range query is sorted by labels, so a sort function has no effect. */
  sortInRangeQuery: () => 'sort is ineffective for range queries since results are always ordered by labels',
  badBucketLabel: (value: string, metricName: string) =>
    `bucket label "le" is missing or has a malformed value of ${quoteGo(value)}${namedMetric(metricName)}`,
  /** A series with floats and histograms. */
  mixedSamples: (metricName: string) =>
    `encountered a mix of histograms and floats for metric name ${quoteGo(metricName)}`,
  mixedSamplesInAggregation: () => 'encountered a mix of histograms and floats for aggregation',
  mixedBucketKinds: (metricName: string) =>
    `vector contains a mix of histograms with exponential and custom buckets schemas for metric name ${quoteGo(metricName)}`,
  mixedClassicAndNative: (metricName: string) =>
    `vector contains a mix of classic and native histograms${namedMetric(metricName)}`,
  histogramNotCounter: (metricName: string) => `this native histogram metric is not a counter: ${quoteGo(metricName)}`,
  histogramNotGauge: (metricName: string) => `this native histogram metric is not a gauge: ${quoteGo(metricName)}`,
  incompatibleBuckets: (operator: string) => `incompatible bucket layout encountered for binary operator ${operator}`,
  /** The store has left out what it cannot read. */
  damagedSamples: (fromMs: number, toMs: number) =>
    `samples of ${timeText(fromMs)} to ${timeText(toMs)} are damaged and left out`,
  resetCollision: (operation: HistogramOperation) => `conflicting counter resets during histogram ${operation}`,
}

const INFOS = {
  possibleNonCounter: (metricName: string) =>
    `metric might not be a counter, name does not end in _total/_sum/_count/_bucket: ${quoteGo(metricName)}`,
  /** Only some samples are stored for a part of the range. */
  coarseSamples: (resolutionMs: number) =>
    `older samples have expired: the first and the last of each ${formatDuration(resolutionMs)} represent them`,
  reconciledBounds: (operation: HistogramOperation) => `mismatched custom buckets were reconciled during ${operation}`,
  incompatibleTypes: (left: SampleType, operator: string, right: SampleType) =>
    `incompatible sample types encountered for binary operator ${quoteGo(operator)}: ${left} ${operator} ${right}`,
  ignoredInAggregation: (aggregation: string) => `ignored histogram in ${aggregation} aggregation`,
  ignoredInMixedRange: (metricName: string) =>
    `ignored histograms in a range containing both floats and histograms for metric name ${quoteGo(metricName)}`,
  /** NaN observations made a quantile NaN (`result`) or greater than it would be (`skew`). */
  nanInQuantile: (effect: 'result' | 'skew', metricName: string) => {
    const outcome = effect === 'result' ? 'result is NaN' : 'result is skewed higher'
    return `input to histogram_quantile has NaN observations, ${outcome}${namedMetric(metricName)}`
  },
  nanInFraction: (metricName: string) =>
    `input to histogram_fraction has NaN observations, which are excluded from all fractions${namedMetric(metricName)}`,
}

function timeText(timeMs: number): string {
  return new Date(timeMs).toISOString()
}

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

  /** For the store, which calls it while samples of a selector are read. */
  missingIn(place: Place): MissingListener {
    return ({ fromMs, toMs }) => {
      this.warn('damagedSamples', place, fromMs, toMs)
    }
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

  warn<K extends keyof typeof WARNINGS>(kind: K, place: Place, ...details: Parameters<(typeof WARNINGS)[K]>): void {
    addOnce(this.#warnings, messageOf(WARNINGS[kind], details), place)
  }

  inform<K extends keyof typeof INFOS>(kind: K, place: Place, ...details: Parameters<(typeof INFOS)[K]>): void {
    addOnce(this.#infos, messageOf(INFOS[kind], details), place)
  }

  /** Warns of each number that is no quantile. */
  checkQuantiles(quantiles: Float64Array, place: Place): void {
    for (const quantile of quantiles) if (!isQuantile(quantile)) this.warn('invalidQuantile', place, quantile)
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

  #ofRaised({ metricName, place, fromBound, toBound, most, samples, firstMs, lastMs }: AllRaised): string {
    const page = 'https://prometheus.io/docs/prometheus/latest/querying/functions/#histogram_quantile'
    const message = `input to histogram_quantile needed to be fixed for monotonicity (see ${page})`
    const buckets = `from buckets ${formatGoFloat(fromBound, 'g')} to ${formatGoFloat(toBound, 'g')}`
    const times = `over ${samples} samples from ${secondOf(firstMs)} to ${secondOf(lastMs)}`
    const detail = `${buckets}, with a max diff of ${formatGoFloat(most, 'g', 2)}, ${times}`
    return `PromQL info: ${message}${namedMetric(metricName)}, ${detail} (${this.#at(place)})`
  }

  #at(place: Place): string {
    const { line, column } = positionOf(this.#text, place.from)
    return `${line}:${column}`
  }
}

export function isQuantile(phi: number): boolean {
  return phi >= 0 && phi <= 1
}

function messageOf(format: (...details: never[]) => string, details: readonly unknown[]): string {
  return format(...(details as never[]))
}

function addOnce(messages: Map<string, Place>, message: string, place: Place): void {
  if (!messages.has(message)) messages.set(message, place)
}

/** Truncated to a second, in UTC. */
function secondOf(timeMs: number): string {
  const knownMs = Math.max(-DATE_MS_MAX, Math.min(timeMs, DATE_MS_MAX))
  return new Date(Math.trunc(knownMs / 1000) * 1000).toISOString().replace('.000Z', 'Z')
}

function namedMetric(metricName: string): string {
  return metricName === '' ? '' : ` for metric name ${quoteGo(metricName)}`
}
