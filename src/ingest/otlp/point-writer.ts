import { APPENDED, APPENDED_BEFORE, type Appender } from '../../model/appender.ts'
import { clusterOf } from '../../model/cluster-identity.ts'
import type { Histogram } from '../../model/histogram.ts'
import { Labels } from '../../model/labels.ts'
import type { RefusalReason } from '../../model/refusal.ts'
import type { SeriesRef } from '../../model/series.ts'
import type {
  ExponentialPoint,
  HistogramPoint,
  NumberPoint,
  OtlpExemplar,
  Scope,
  SummaryPoint,
  Temporality,
} from '../../wire/otlp/metrics.ts'
import { APPEND_REFUSALS, type RefusedAppend } from '../admission.ts'
import type { Intake } from '../intake.ts'
import { RefusalTally } from '../refusals.ts'
import type { SeenMetadata } from '../seen-metadata.ts'
import type { DeltaPoint, DeltaSums } from './delta.ts'
import { attributesKey, pointLabels, type LabelOptions, type ResourceLabels } from './labels.ts'
import type { OtlpOptions } from './options.ts'
import type { OtlpContext } from './outcome.ts'
import { exemplarOfPoint, NUMBER_SHAPE, type StreamShape } from './points.ts'
import { type StreamIds, textOfLabels, type Stream, type StreamTable } from './streams.ts'

/**
 * Writes the points of one request: each to the series of its stream, or to a refusal. A point is accepted as a whole or
 * counted as refused; for a histogram whose series are refused in part, stored samples stay. Which series and values a point
 * of some kind has is decided by `request-writer.ts`.
 */

/** What outlives a request. */
export interface OtlpMemory {
  readonly streams: StreamTable
  readonly deltas: DeltaSums
  readonly ids: StreamIds
  readonly metadata: SeenMetadata
}

/** What the writers of one request share. */
export interface RequestParts {
  readonly intake: Intake
  readonly otlp: OtlpOptions
  readonly memory: OtlpMemory
  readonly context: OtlpContext
}

/**
 * Maximum distance of `target_info` samples between a resource's first and last point: half of the default lookback.
 */
const TARGET_INFO_EVERY_MS = 150_000
/** Times of `target_info` that one resource of one request is worth; a day's worth of points has fewer. */
const TARGET_INFO_MAX = 600

/** The place of a point in its request. */
export interface Place {
  /** Identifies resource, scope and metric. */
  readonly key: string
  readonly name: string
  readonly resource: ResourceState
  readonly scope: Scope
}

/** A resource while its points are written. Its labels are put together when the first of its streams is new. */
export interface ResourceState {
  readonly key: string
  readonly labels: () => ResourceLabels
  /** The number of the cluster, for points refused before their series are known. */
  readonly cluster: () => number
  oldestMs: number
  newestMs: number
}

export type AnyPoint = NumberPoint | HistogramPoint | ExponentialPoint | SummaryPoint

export class PointWriter {
  readonly #intake: Intake
  readonly #appender: Appender
  readonly #otlp: OtlpOptions
  readonly #memory: OtlpMemory
  readonly #nowMs: number
  /** Points after it are too far ahead. */
  readonly #latestMs: number
  readonly #cluster: string | undefined
  /** How names and values of labels are written. */
  readonly labelOptions: LabelOptions
  readonly #tally = new RefusalTally()
  #taken = 0
  #duplicates = 0
  #exemplars = 0
  /** The sender of the last point since the last pause, usually of the whole request, and its state. */
  #sender = 0
  #senderCluster = 0
  #isStandby = false
  #isDeliveryRecorded = true

  constructor({ intake, otlp, memory, context }: RequestParts) {
    this.#intake = intake
    this.#appender = intake.appender
    this.#otlp = otlp
    this.#memory = memory
    this.#nowMs = context.nowMs
    this.#latestMs = context.nowMs + intake.options.aheadMsMax
    this.#cluster = context.cluster
    this.labelOptions = { ...otlp, ...intake.options }
  }

  /** Starts the request, and goes on after a pause: what is known of senders holds until the next request begins. */
  begin(): void {
    this.#intake.begin(this.#nowMs)
    this.#switchSender(0)
  }

  get written() {
    return {
      itemsTaken: this.#taken,
      itemsDuplicate: this.#duplicates,
      refusals: this.#tally.refusals(),
      exemplarsTaken: this.#exemplars,
    }
  }

  /**
   * HOT: once per point. `values` are in the order of the shape's series, or a native histogram of its one. Returns the
   * series when the point was accepted.
   */
  write(
    place: Place,
    point: AnyPoint,
    shape: StreamShape,
    values: readonly number[] | Histogram,
    temporality: Temporality,
  ): readonly SeriesRef[] | undefined {
    const { timeMs, isStale } = point
    if (timeMs === 0 || timeMs > this.#latestMs) {
      this.#refuseTime(place, point)
      return undefined
    }
    const key = place.key + attributesKey(point.attributes)
    const stream = this.#streamOf(key, place, point, shape)
    if (stream.kind === 'refused') {
      const { reason, example, cluster } = stream
      const whose = cluster === undefined ? place.resource.cluster() : this.#intake.activity.numberOf(cluster)
      if (reason === 'privacy_dropped') this.#duplicates++
      this.refuse(reason, 1, whose, () => example)
      return undefined
    }
    if (stream.sender !== this.#sender) this.#switchSender(stream.sender)
    const takenBefore = this.#taken
    if (this.#isStandby) this.#drop()
    else if (isStale) this.#settle(this.#appendStale(stream, timeMs), place, point)
    else if (!isList(values)) this.#settle(this.#appendHistogram(stream, timeMs, values), place, point)
    else if (temporality === 'delta') this.#delta(key, stream, place, point, values)
    else this.#settle(this.#append(stream, timeMs, values), place, point)
    return this.#taken > takenBefore ? stream.refs : undefined
  }

  exemplar(ref: SeriesRef, sent: OtlpExemplar): void {
    const exemplar = exemplarOfPoint(sent)
    if (exemplar === undefined || exemplar.timeMs > this.#latestMs) return
    if (this.#appender.appendExemplar(ref, exemplar)) this.#exemplars++
  }

  #appendHistogram({ refs }: Stream, timeMs: number, histogram: Histogram): RefusedAppend | undefined {
    const outcome = this.#appender.appendHistogram(refs[0]!, timeMs, histogram)
    return outcome === APPENDED || outcome === APPENDED_BEFORE ? undefined : outcome
  }

  #streamOf(key: string, place: Place, point: AnyPoint, shape: StreamShape): ReturnType<StreamTable['find']> {
    const { streams } = this.#memory
    if (point.isStale && shape.edges.length === 0) {
      // A stream that ends is often sent without its buckets: all the series it had end.
      const known = streams.get(key)
      if (known !== undefined) return known
    }
    return streams.find(key, shape, this.#cluster, () => this.#labelsOf(place, point))
  }

  #delta(key: string, stream: Stream, place: Place, point: AnyPoint, values: readonly number[]): void {
    const { deltas } = this.#memory
    const { startMs, timeMs } = point
    if (startMs > timeMs) {
      this.refusePoint('bad_point', place, point, `got a start ${startMs - timeMs} ms after the end`)
      return
    }
    // Totals belong to exactly these series: a point with other bounds, or without a sum, starts over.
    const shape = `${values.length} ${stream.shape.edges.join(' ')}`
    const delta: DeltaPoint = { startMs, timeMs, values, shape }
    const step = deltas.step(key, delta, this.#nowMs)
    switch (step.kind) {
      case 'sum': {
        const refused = this.#append(stream, timeMs, step.totals)
        if (refused === undefined) deltas.keep(key, delta, step.totals, this.#nowMs)
        this.#settle(refused, place, point)
        return
      }
      case 'repeated':
        this.#settle(undefined, place, point)
        return
      case 'overlap': {
        const text = `got a delta point from ${startMs}, want one from ${step.endMs} or later, where the last one ended`
        this.refusePoint('delta_overlap', place, point, text)
        return
      }
      case 'full': {
        const most = this.#otlp.deltaStreamsMax
        this.refusePoint('delta_limit', place, point, `got one more delta stream than otlp.delta-streams-max, ${most}`)
      }
    }
  }

  /** HOT. The first refusal of the stream's series, if any. A point without a sum has one value less. */
  #append({ refs }: Stream, timeMs: number, values: readonly number[]): RefusedAppend | undefined {
    let refused: RefusedAppend | undefined
    for (let i = 0; i < values.length; i++) {
      const value = values[i]!
      // A NaN is an ordinary NaN here: stale markers were detected during decoding.
      const outcome = this.#appender.append(refs[i]!, timeMs, Number.isNaN(value) ? NaN : value)
      if (outcome !== APPENDED && outcome !== APPENDED_BEFORE) refused ??= outcome
    }
    return refused
  }

  #appendStale({ refs }: Stream, timeMs: number): RefusedAppend | undefined {
    let refused: RefusedAppend | undefined
    for (const ref of refs) {
      const outcome = this.#appender.appendStale(ref, timeMs)
      if (outcome !== APPENDED && outcome !== APPENDED_BEFORE) refused ??= outcome
    }
    return refused
  }

  /** Counts a point by the outcome of its samples. */
  #settle(refused: RefusedAppend | undefined, place: Place, point: AnyPoint): void {
    if (refused !== undefined) {
      const { reason, text } = APPEND_REFUSALS[refused]
      this.refusePoint(reason, place, point, text)
      return
    }
    this.#taken++
    this.#intake.activity.count(this.#senderCluster, 1, 0, 0, this.#nowMs)
    if (!this.#isDeliveryRecorded) {
      this.#intake.replicas.taken(this.#sender)
      this.#isDeliveryRecorded = true
    }
    const { resource } = place
    if (point.timeMs < resource.oldestMs) resource.oldestMs = point.timeMs
    if (point.timeMs > resource.newestMs) resource.newestMs = point.timeMs
  }

  /**
   * Not a sent data point, so it is neither counted nor refused. Times derive only from the points, so that a repeated
   * request writes the same samples.
   */
  targetInfo({ key, labels, oldestMs, newestMs }: ResourceState): void {
    const streamKey = `${key} target_info`
    const { streams } = this.#memory
    const known = streams.get(streamKey)
    const pairs = known === undefined ? labels().targetInfo : EMPTY
    if (pairs === undefined) return
    const stream = streams.find(streamKey, NUMBER_SHAPE, this.#cluster, () => pairs)
    if (stream.kind === 'refused') return
    if (stream.sender > 0 && this.#intake.replicas.isDuplicate(stream.sender)) return
    const firstMs = Math.max(oldestMs, newestMs - TARGET_INFO_EVERY_MS * TARGET_INFO_MAX)
    for (let timeMs = firstMs; timeMs < newestMs; timeMs += TARGET_INFO_EVERY_MS) this.#append(stream, timeMs, [1])
    this.#append(stream, newestMs, [1])
  }

  #labelsOf({ name, resource, scope }: Place, point: AnyPoint): ReadonlyMap<string, string> {
    return pointLabels(name, point.attributes, resource.labels(), scope, this.labelOptions)
  }

  #refuseTime(place: Place, point: AnyPoint): void {
    const { timeMs } = point
    if (timeMs === 0) this.refusePoint('bad_timestamp', place, point, 'got a point without a time')
    else {
      const aheadMs = timeMs - this.#nowMs
      const text = `got ${aheadMs} ms ahead of the clock, want at most ${this.#intake.options.aheadMsMax}`
      this.refusePoint('too_far_ahead', place, point, text)
    }
  }

  refusePoint(reason: RefusalReason, place: Place, point: AnyPoint, text: string): void {
    const example = (): string => `${text}: ${textOfLabels(this.#labelsOf(place, point))} at ${point.timeMs}`
    this.refuse(reason, 1, place.resource.cluster(), example)
  }

  /** @param cluster its number */
  refuse(reason: RefusalReason, count: number, cluster: number, example: () => string): void {
    if (count === 0) return
    this.#intake.activity.count(cluster, 0, count, 0, this.#nowMs)
    if (this.#tally.count(reason, count)) this.#tally.explain(reason, example())
  }

  #switchSender(sender: number): void {
    const { replicas } = this.#intake
    this.#sender = sender
    this.#senderCluster = this.#intake.clusterNumberOf(sender)
    this.#isStandby = sender > 0 && replicas.isDuplicate(sender)
    this.#isDeliveryRecorded = sender <= 0
  }

  #drop(): void {
    const { replicas, activity } = this.#intake
    this.#duplicates++
    replicas.dropped(this.#sender, 1)
    activity.count(this.#senderCluster, 0, 0, 1, this.#nowMs)
    if (this.#tally.count('ha_duplicate', 1)) this.#tally.explain('ha_duplicate', replicas.explain(this.#sender))
  }

  /** The number of the cluster that a resource names, or that the sender is bound to. */
  clusterOf({ labels }: ResourceState): number {
    const claimed = (): string => clusterOf(Labels.fromPairs(labels().promoted), this.#intake.options.identityLabels)
    return this.#intake.activity.numberOf(this.#cluster ?? claimed())
  }
}

const EMPTY: ReadonlyMap<string, string> = new Map()

/** `Array.isArray` does not narrow readonly arrays away. */
function isList(values: readonly number[] | Histogram): values is readonly number[] {
  return Array.isArray(values)
}
