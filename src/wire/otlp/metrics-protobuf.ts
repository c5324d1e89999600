import { readEnvelope } from './envelope.ts'
import {
  NO_RECORDED_VALUE,
  POINTS_PER_STEP,
  temporalityOf,
  type ExponentialBuckets,
  type ExponentialPoint,
  type HistogramPoint,
  type Metric,
  type MetricData,
  type MetricsRequest,
  type MetricsRequestLimits,
  type NumberPoint,
  type OtlpExemplar,
  type SummaryPoint,
} from './metrics.ts'
import { OtlpReader, fieldBits, tooMany } from './protobuf.ts'
import type { Steps } from '../../base/thread-slices.ts'
import type { KeyValue } from '../../model/attribute.ts'
import { FIXED64, LENGTH_DELIMITED, VARINT, tagOf } from '../protobuf.ts'

/**
 * Decodes ExportMetricsServiceRequest from protobuf. Follows the wire format: fields in any order, numeric lists packed
 * or not, repeated singular messages merge, the last field of a oneof wins.
 */

/** @throws DecodeError when it is not such a request or holds more than the limits allow */
export function decodeMetricsProtobuf(bytes: Uint8Array, limits: MetricsRequestLimits): Steps<MetricsRequest> {
  return new Decoder(new OtlpReader(bytes, limits.attributesMax), limits).request(bytes.length)
}

const bytesField = (field: number): number => tagOf(field, LENGTH_DELIMITED)

// Names contain the field number when a message has several; the numbers are those of metrics.proto.
const B1 = bytesField(1)
const B2 = bytesField(2)
const B3 = bytesField(3)
const B5 = bytesField(5)
const B6 = bytesField(6)
const B7 = bytesField(7)
const B8 = bytesField(8)
const B9 = bytesField(9)
const B10 = bytesField(10)
const B11 = bytesField(11)
const B4 = bytesField(4)
const F1 = tagOf(1, FIXED64)
const F2 = tagOf(2, FIXED64)
const F3 = tagOf(3, FIXED64)
const F4 = tagOf(4, FIXED64)
const F5 = tagOf(5, FIXED64)
const F6 = tagOf(6, FIXED64)
const F7 = tagOf(7, FIXED64)
const F12 = tagOf(12, FIXED64)
const F13 = tagOf(13, FIXED64)
const F14 = tagOf(14, FIXED64)
const V1 = tagOf(1, VARINT)
const V2 = tagOf(2, VARINT)
const V3 = tagOf(3, VARINT)
const V6 = tagOf(6, VARINT)
const V8 = tagOf(8, VARINT)
const V10 = tagOf(10, VARINT)

const METRIC_FIELDS = fieldBits(1, 2, 3, 5, 7, 9, 10, 11)
const DATA_FIELDS = fieldBits(1, 2, 3)
const NUMBER_POINT_FIELDS = fieldBits(2, 3, 4, 5, 6, 7, 8)
const HISTOGRAM_POINT_FIELDS = fieldBits(2, 3, 4, 5, 6, 7, 8, 9, 10)
const EXPONENTIAL_POINT_FIELDS = fieldBits(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14)
const BUCKETS_FIELDS = fieldBits(1, 2)
const EXEMPLAR_FIELDS = fieldBits(2, 3, 4, 5, 6, 7)
const SUMMARY_POINT_FIELDS = fieldBits(2, 3, 4, 5, 6, 7, 8)
const QUANTILE_FIELDS = fieldBits(1, 2)

/**
 * The data of a metric while its fields are read; temporality and monotony may come before, after or between points.
 */
interface DataParts<T> {
  readonly points: T[]
  temporality: number
  isMonotonic: boolean
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

class Decoder {
  readonly #reader: OtlpReader
  readonly #limits: MetricsRequestLimits
  #points = 0
  #exemplars = 0

  constructor(reader: OtlpReader, limits: MetricsRequestLimits) {
    this.#reader = reader
    this.#limits = limits
  }

  *request(end: number): Steps<MetricsRequest> {
    const envelope = yield* readEnvelope(this.#reader, end, {
      item: (metricEnd) => this.#metric(metricEnd),
      scopeOf: ({ name, version, attributes, schemaUrl }, metrics) => ({
        scope: { name, version, attributes, schemaUrl },
        metrics,
      }),
    })
    const resources = envelope.map(({ resource: { attributes }, scopes }) => ({ attributes, scopes }))
    return { resources, pointCount: this.#points, exemplarCount: this.#exemplars }
  }

  *#metric(end: number): Steps<Metric> {
    yield false
    const reader = this.#reader
    let name = ''
    let description = ''
    let unit = ''
    let data: MetricData = { kind: 'none' }
    while (reader.position < end) {
      const tag = reader.tag(end)
      if (tag === B1) name = reader.text(end)
      else if (tag === B2) description = reader.text(end)
      else if (tag === B3) unit = reader.text(end)
      else if (tag === B5) data = merged(data, yield* this.#gauge(reader.lengthDelimitedEnd(end)))
      else if (tag === B7) data = merged(data, yield* this.#sum(reader.lengthDelimitedEnd(end)))
      else if (tag === B9) data = merged(data, yield* this.#histogram(reader.lengthDelimitedEnd(end)))
      else if (tag === B10) data = merged(data, yield* this.#exponentialHistogram(reader.lengthDelimitedEnd(end)))
      else if (tag === B11) data = merged(data, yield* this.#summary(reader.lengthDelimitedEnd(end)))
      else reader.skipUnknown(tag, end, METRIC_FIELDS)
    }
    return description === '' ? { name, unit, data } : { name, description, unit, data }
  }

  *#gauge(end: number): Steps<MetricData> {
    const { points } = yield* this.#data(end, (pointEnd) => this.#numberPoint(pointEnd))
    return { kind: 'gauge', points }
  }

  *#sum(end: number): Steps<MetricData> {
    const { points, temporality, isMonotonic } = yield* this.#data(end, (pointEnd) => this.#numberPoint(pointEnd))
    return { kind: 'sum', points, temporality: temporalityOf(temporality), isMonotonic }
  }

  *#histogram(end: number): Steps<MetricData> {
    const { points, temporality } = yield* this.#data(end, (pointEnd) => this.#histogramPoint(pointEnd))
    return { kind: 'histogram', points, temporality: temporalityOf(temporality) }
  }

  *#exponentialHistogram(end: number): Steps<MetricData> {
    const { points, temporality } = yield* this.#data(end, (pointEnd) => this.#exponentialPoint(pointEnd))
    return { kind: 'exponential_histogram', points, temporality: temporalityOf(temporality) }
  }

  *#summary(end: number): Steps<MetricData> {
    const { points } = yield* this.#data(end, (pointEnd) => this.#summaryPoint(pointEnd))
    return { kind: 'summary', points }
  }

  /** Reads points and the other fields of a metric's data: the five kinds of data have the same fields, or fewer. */
  *#data<T>(end: number, point: (end: number) => T): Steps<DataParts<T>> {
    const reader = this.#reader
    const parts: DataParts<T> = { points: [], temporality: 0, isMonotonic: false }
    while (reader.position < end) {
      const tag = reader.tag(end)
      if (tag === B1) {
        if (++this.#points > this.#limits.pointsMax) throw tooMany('data points', this.#limits.pointsMax)
        parts.points.push(point(reader.lengthDelimitedEnd(end)))
        if (this.#points % POINTS_PER_STEP === 0) yield false
      } else if (tag === V2) parts.temporality = reader.int64(end)
      else if (tag === V3) parts.isMonotonic = reader.int64(end) !== 0
      else reader.skipUnknown(tag, end, DATA_FIELDS)
    }
    yield false
    return parts
  }

  /** HOT: once per point. */
  #numberPoint(end: number): NumberPoint {
    const reader = this.#reader
    const attributes: KeyValue[] = []
    const point: Mutable<NumberPoint> = { attributes, startMs: 0, timeMs: 0, isStale: false, value: undefined }
    let flags = 0
    while (reader.position < end) {
      const tag = reader.tag(end)
      if (tag === B7) attributes.push(reader.keyValue(end))
      else if (tag === F3) point.timeMs = reader.timeMs(end)
      else if (tag === F2) point.startMs = reader.timeMs(end)
      else if (tag === F4) {
        point.value = reader.doubleOrStale(end)
        point.isStale = point.value === undefined
      } else if (tag === F6) {
        point.value = reader.signed64(end)
        point.isStale = false
      } else if (tag === V8) flags = reader.varint32(end)
      else if (tag === B5) point.exemplars = [...(point.exemplars ?? []), this.#exemplar(end)]
      else reader.skipUnknown(tag, end, NUMBER_POINT_FIELDS)
    }
    if ((flags & NO_RECORDED_VALUE) !== 0) point.isStale = true
    return point
  }

  /** HOT: once per point. */
  #histogramPoint(end: number): HistogramPoint {
    const reader = this.#reader
    const attributes: KeyValue[] = []
    const bucketCounts: number[] = []
    const bounds: number[] = []
    let startMs = 0
    let timeMs = 0
    let count = 0
    let sum: number | undefined
    let isSumStale = false
    let flags = 0
    const exemplars: OtlpExemplar[] = []
    while (reader.position < end) {
      const tag = reader.tag(end)
      if (tag === B9) attributes.push(reader.keyValue(end))
      else if (tag === F2) startMs = reader.timeMs(end)
      else if (tag === F3) timeMs = reader.timeMs(end)
      else if (tag === F4) count = reader.unsigned64(end)
      else if (tag === F5) {
        sum = reader.doubleOrStale(end)
        isSumStale = sum === undefined
      } else if (tag === B6) {
        const listEnd = reader.lengthDelimitedEnd(end)
        while (reader.position < listEnd) bucketCounts.push(reader.unsigned64(listEnd))
      } else if (tag === F6) bucketCounts.push(reader.unsigned64(end))
      else if (tag === B7) {
        const listEnd = reader.lengthDelimitedEnd(end)
        while (reader.position < listEnd) bounds.push(reader.double(listEnd))
      } else if (tag === F7) bounds.push(reader.double(end))
      else if (tag === V10) flags = reader.varint32(end)
      else if (tag === B8) exemplars.push(this.#exemplar(end))
      else reader.skipUnknown(tag, end, HISTOGRAM_POINT_FIELDS)
    }
    const isStale = isSumStale || (flags & NO_RECORDED_VALUE) !== 0
    const point = { attributes, startMs, timeMs, isStale, count, sum, bucketCounts, bounds }
    return exemplars.length === 0 ? point : { ...point, exemplars }
  }

  #exponentialPoint(end: number): ExponentialPoint {
    const reader = this.#reader
    const attributes: KeyValue[] = []
    const exemplars: OtlpExemplar[] = []
    const positive = { offset: 0, counts: [] }
    const negative = { offset: 0, counts: [] }
    const point: Mutable<ExponentialPoint> = {
      ...{ attributes, startMs: 0, timeMs: 0, isStale: false, count: 0, sum: undefined },
      ...{ scale: 0, zeroCount: 0, zeroThreshold: 0, positive, negative },
    }
    const marks = { isSumStale: false, flags: 0 }
    this.#reader.fields(end, EXPONENTIAL_POINT_FIELDS, (tag) => {
      if (tag === B1) attributes.push(reader.keyValue(end))
      else if (tag === F2) point.startMs = reader.timeMs(end)
      else if (tag === F3) point.timeMs = reader.timeMs(end)
      else if (tag === F4) point.count = reader.unsigned64(end)
      else if (tag === F5) {
        point.sum = reader.doubleOrStale(end)
        marks.isSumStale = point.sum === undefined
      } else if (tag === V6) point.scale = reader.sint32(end)
      else if (tag === F7) point.zeroCount = reader.unsigned64(end)
      else if (tag === B8) this.#buckets(reader.lengthDelimitedEnd(end), positive)
      else if (tag === B9) this.#buckets(reader.lengthDelimitedEnd(end), negative)
      else if (tag === V10) marks.flags = reader.varint32(end)
      else if (tag === B11) exemplars.push(this.#exemplar(end))
      else if (tag === F14) point.zeroThreshold = reader.double(end)
      // The least and the greatest value: a native histogram has no place for them.
      else if (tag === F12 || tag === F13) reader.skip(tag, end)
      else return false
      return true
    })
    point.isStale = marks.isSumStale || (marks.flags & NO_RECORDED_VALUE) !== 0
    return exemplars.length === 0 ? point : { ...point, exemplars }
  }

  #buckets(end: number, into: Mutable<ExponentialBuckets> & { readonly counts: number[] }): void {
    const reader = this.#reader
    const push = (listEnd: number): void => {
      reader.countValue()
      into.counts.push(reader.uint64(listEnd))
    }
    this.#reader.fields(end, BUCKETS_FIELDS, (tag) => {
      if (tag === V1) into.offset = reader.sint32(end)
      else if (tag === V2) push(end)
      else if (tag === B2) {
        const listEnd = reader.lengthDelimitedEnd(end)
        while (reader.position < listEnd) push(listEnd)
      } else return false
      return true
    })
  }

  #summaryPoint(end: number): SummaryPoint {
    const reader = this.#reader
    const attributes: KeyValue[] = []
    const quantiles: { quantile: number; value: number }[] = []
    const point = { attributes, startMs: 0, timeMs: 0, isStale: false, count: 0, sum: 0, quantiles }
    this.#reader.fields(end, SUMMARY_POINT_FIELDS, (tag) => {
      if (tag === B7) attributes.push(reader.keyValue(end))
      else if (tag === F2) point.startMs = reader.timeMs(end)
      else if (tag === F3) point.timeMs = reader.timeMs(end)
      else if (tag === F4) point.count = reader.unsigned64(end)
      else if (tag === F5) point.sum = reader.double(end)
      else if (tag === B6) quantiles.push(this.#quantile(reader.lengthDelimitedEnd(end)))
      else if (tag === V8) point.isStale = (reader.varint32(end) & NO_RECORDED_VALUE) !== 0
      else return false
      return true
    })
    return point
  }

  #quantile(end: number): { quantile: number; value: number } {
    const reader = this.#reader
    const pair = { quantile: 0, value: 0 }
    this.#reader.fields(end, QUANTILE_FIELDS, (tag) => {
      if (tag === F1) pair.quantile = reader.double(end)
      else if (tag === F2) pair.value = reader.double(end)
      else return false
      return true
    })
    return pair
  }

  #exemplar(parentEnd: number): OtlpExemplar {
    const reader = this.#reader
    if (++this.#exemplars > this.#limits.pointsMax) throw tooMany('exemplars', this.#limits.pointsMax)
    const end = reader.lengthDelimitedEnd(parentEnd)
    const attributes: KeyValue[] = []
    const exemplar: Mutable<OtlpExemplar> = { attributes, timeMs: 0, value: undefined, traceId: '', spanId: '' }
    this.#reader.fields(end, EXEMPLAR_FIELDS, (tag) => {
      if (tag === F2) exemplar.timeMs = reader.timeMs(end)
      else if (tag === F3) exemplar.value = reader.double(end)
      else if (tag === F6) exemplar.value = reader.signed64(end)
      else if (tag === B4) exemplar.spanId = reader.hex(end)
      else if (tag === B5) exemplar.traceId = reader.hex(end)
      else if (tag === B7) attributes.push(reader.keyValue(end))
      else return false
      return true
    })
    return exemplar
  }
}

/** A oneof's field sent again: the same one is merged, another one replaces it. */
function merged(before: MetricData, next: MetricData): MetricData {
  if (before.kind !== next.kind || before.kind === 'none' || next.kind === 'none') return next
  // Of one kind, so their points are of one type, which the compiler cannot see. The list grows in place: there may be
  // as many such fields as points.
  const points = before.points as unknown[]
  for (const point of next.points) points.push(point)
  return { ...next, points } as MetricData
}
