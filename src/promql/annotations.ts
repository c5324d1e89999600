import { positionOf } from '../model/diagnostic.ts'
import { formatDuration } from '../model/duration.ts'
import { quote } from './literals.ts'
import { formatShort } from './number-format.ts'

/** A place in the query text. */
export interface Place {
  readonly from: number
  readonly to: number
}

/** Remarks about a good result, each once, in Prometheus' words with its position. */
export class Annotations {
  readonly #text: string
  readonly #warnings = new Set<string>()
  readonly #infos = new Set<string>()

  /** @param text the query */
  constructor(text: string) {
    this.#text = text
  }

  get warnings(): readonly string[] {
    return [...this.#warnings]
  }

  get infos(): readonly string[] {
    return [...this.#infos]
  }

  get count(): number {
    return this.#warnings.size + this.#infos.size
  }

  invalidQuantile(quantile: number, place: Place): void {
    this.#warn(`quantile value should be between 0 and 1, got ${formatShort(quantile)}`, place)
  }

  invalidRatio(ratio: number, cappedTo: number, place: Place): void {
    const got = `got ${formatShort(ratio)}, capping to ${cappedTo}`
    this.#warn(`ratio value should be between -1 and 1, ${got}`, place)
  }

  /** The answer of a range query is sorted by labels, whatever is in it. */
  sortInRangeQuery(place: Place): void {
    this.#warn('sort is ineffective for range queries since results are always ordered by labels', place)
  }

  badBucketLabel(value: string, metricName: string, place: Place): void {
    const named = metricName === '' ? '' : ` for metric name ${quote(metricName)}`
    this.#warn(`bucket label "le" is missing or has a malformed value of ${quote(value)}${named}`, place)
  }

  possibleNonCounter(metricName: string, place: Place): void {
    const wanted = '_total/_sum/_count/_bucket'
    this.#inform(`metric might not be a counter, name does not end in ${wanted}: ${quote(metricName)}`, place)
  }

  /** Of a part of the range only some samples are kept. */
  coarseSamples(resolutionMs: number, place: Place): void {
    const each = formatDuration(resolutionMs)
    this.#inform(`older samples are gone: the first and the last of each ${each} stand for all`, place)
  }

  forcedMonotonicity(metricName: string, place: Place): void {
    const page = 'https://prometheus.io/docs/prometheus/latest/querying/functions/#histogram_quantile'
    const named = metricName === '' ? '' : ` for metric name ${quote(metricName)}`
    this.#inform(`input to histogram_quantile needed to be fixed for monotonicity (see ${page})${named}`, place)
  }

  #warn(message: string, place: Place): void {
    this.#warnings.add(`PromQL warning: ${message} (${this.#at(place)})`)
  }

  #inform(message: string, place: Place): void {
    this.#infos.add(`PromQL info: ${message} (${this.#at(place)})`)
  }

  #at(place: Place): string {
    const { line, column } = positionOf(this.#text, place.from)
    return `${line}:${column}`
  }
}
