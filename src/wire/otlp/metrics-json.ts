import type { Steps } from '../../base/thread-slices.ts'
import {
  JsonAttributes,
  booleanField,
  double,
  doubleField,
  hasField,
  idField,
  listField,
  mapInSteps,
  messageField,
  messagesField,
  parseJsonObject,
  signed64,
  smallIntegerField,
  textField,
  timeMsField,
  unsigned64,
  unsigned64Field,
  type JsonObject,
} from './json.ts'
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
  type ResourceMetrics,
  type ScopeMetrics,
  type SummaryPoint,
} from './metrics.ts'
import { tooMany } from './protobuf.ts'

/** ExportMetricsServiceRequest from JSON: the twin of otlp-metrics-protobuf.ts, and equal to it for equal requests. */

/** @throws DecodeError when it is not such a request or holds more than the limits allow */
export function* decodeMetricsJson(bytes: Uint8Array, limits: MetricsRequestLimits): Steps<MetricsRequest> {
  return yield* new Decoder(limits).request(yield* parseJsonObject(bytes))
}

class Decoder {
  readonly #limits: MetricsRequestLimits
  readonly #attributes: JsonAttributes
  #points = 0
  #exemplars = 0

  constructor(limits: MetricsRequestLimits) {
    this.#limits = limits
    this.#attributes = new JsonAttributes(limits.attributesMax)
  }

  *request(body: JsonObject): Steps<MetricsRequest> {
    const resources = yield* mapInSteps(messagesField(body, 'resourceMetrics'), (item) => this.#resourceMetrics(item))
    return { resources, pointCount: this.#points, exemplarCount: this.#exemplars }
  }

  *#resourceMetrics(message: JsonObject): Steps<ResourceMetrics> {
    const attributes = this.#attributes.read(messageField(message, 'resource'))
    const scopes = yield* mapInSteps(messagesField(message, 'scopeMetrics'), (item) => this.#scopeMetrics(item))
    return { attributes, scopes }
  }

  *#scopeMetrics(message: JsonObject): Steps<ScopeMetrics> {
    const sent = messageField(message, 'scope')
    const scope = {
      name: textField(sent, 'name'),
      version: textField(sent, 'version'),
      attributes: this.#attributes.read(sent),
      schemaUrl: textField(message, 'schemaUrl'),
    }
    const metrics = yield* mapInSteps(messagesField(message, 'metrics'), (item) => this.#metric(item))
    return { scope, metrics }
  }

  *#metric(message: JsonObject): Steps<Metric> {
    const description = textField(message, 'description')
    const [name, unit] = [textField(message, 'name'), textField(message, 'unit')]
    const metric = { name, unit, data: yield* this.#data(message) }
    return description === '' ? metric : { ...metric, description }
  }

  *#data(metric: JsonObject): Steps<MetricData> {
    // Of a oneof the last one sent holds.
    const kind = Object.keys(metric).findLast((name) => DATA_KINDS.has(name) && hasField(metric, name))
    if (kind === undefined) return { kind: 'none' }
    const data = messageField(metric, kind)
    const points = messagesField(data, 'dataPoints')
    this.#points += points.length
    if (this.#points > this.#limits.pointsMax) throw tooMany('data points', this.#limits.pointsMax)
    const temporality = temporalityOf(smallIntegerField(data, 'aggregationTemporality'))
    switch (kind) {
      case 'gauge':
        return { kind, points: yield* pointsOf(points, (point) => this.#numberPoint(point)) }
      case 'sum': {
        const isMonotonic = booleanField(data, 'isMonotonic')
        const read = yield* pointsOf(points, (point) => this.#numberPoint(point))
        return { kind, points: read, temporality, isMonotonic }
      }
      case 'histogram':
        return { kind, points: yield* pointsOf(points, (point) => this.#histogramPoint(point)), temporality }
      case 'summary':
        return { kind, points: yield* pointsOf(points, (point) => this.#summaryPoint(point)) }
      default: {
        const read = yield* pointsOf(points, (point) => this.#exponentialPoint(point))
        return { kind: 'exponential_histogram', points: read, temporality }
      }
    }
  }

  #numberPoint(point: JsonObject): NumberPoint {
    return { ...this.#point(point), value: numberOf(point), ...this.#exemplarsOf(point) }
  }

  #histogramPoint(point: JsonObject): HistogramPoint {
    return {
      ...this.#point(point),
      ...this.#exemplarsOf(point),
      count: unsigned64Field(point, 'count'),
      sum: hasField(point, 'sum') ? doubleField(point, 'sum') : undefined,
      bucketCounts: listField(point, 'bucketCounts').map((item) => unsigned64(item, 'bucketCounts')),
      bounds: listField(point, 'explicitBounds').map((item) => double(item, 'explicitBounds')),
    }
  }

  #exponentialPoint(point: JsonObject): ExponentialPoint {
    return {
      ...this.#point(point),
      count: unsigned64Field(point, 'count'),
      sum: hasField(point, 'sum') ? doubleField(point, 'sum') : undefined,
      scale: smallIntegerField(point, 'scale'),
      zeroCount: unsigned64Field(point, 'zeroCount'),
      zeroThreshold: doubleField(point, 'zeroThreshold'),
      positive: this.#buckets(messageField(point, 'positive')),
      negative: this.#buckets(messageField(point, 'negative')),
      ...this.#exemplarsOf(point),
    }
  }

  #buckets(message: JsonObject): ExponentialBuckets {
    const counts = listField(message, 'bucketCounts').map((item) => {
      this.#attributes.countValue()
      return unsigned64(item, 'bucketCounts')
    })
    return { offset: smallIntegerField(message, 'offset'), counts }
  }

  /** Empty without exemplars. */
  #exemplarsOf(point: JsonObject): { readonly exemplars?: readonly OtlpExemplar[] } {
    const exemplars = messagesField(point, 'exemplars')
    if (exemplars.length === 0) return {}
    this.#exemplars += exemplars.length
    if (this.#exemplars > this.#limits.pointsMax) throw tooMany('exemplars', this.#limits.pointsMax)
    const read = exemplars.map((message) => ({
      attributes: this.#attributes.read(message, 'filteredAttributes'),
      timeMs: timeMsField(message, 'timeUnixNano'),
      value: numberOf(message),
      traceId: idField(message, 'traceId'),
      spanId: idField(message, 'spanId'),
    }))
    return { exemplars: read }
  }

  #summaryPoint(point: JsonObject): SummaryPoint {
    return {
      ...this.#point(point),
      count: unsigned64Field(point, 'count'),
      sum: doubleField(point, 'sum'),
      quantiles: messagesField(point, 'quantileValues').map((item) => {
        return { quantile: doubleField(item, 'quantile'), value: doubleField(item, 'value') }
      }),
    }
  }

  #point(point: JsonObject) {
    return {
      attributes: this.#attributes.read(point),
      startMs: timeMsField(point, 'startTimeUnixNano'),
      timeMs: timeMsField(point, 'timeUnixNano'),
      isStale: (smallIntegerField(point, 'flags') & NO_RECORDED_VALUE) !== 0,
    }
  }
}

function* pointsOf<T>(messages: readonly JsonObject[], read: (message: JsonObject) => T): Steps<T[]> {
  const points: T[] = []
  for (const message of messages) {
    points.push(read(message))
    if (points.length % POINTS_PER_STEP === 0) yield false
  }
  return points
}

const DATA_KINDS: ReadonlySet<string> = new Set(['gauge', 'sum', 'histogram', 'exponentialHistogram', 'summary'])

/** The value of a point, of its two kinds the one sent last. */
function numberOf(point: JsonObject): number | undefined {
  let value: number | undefined
  for (const [name, content] of Object.entries(point)) {
    if (content === null) continue
    if (name === 'asDouble') value = double(content, name)
    else if (name === 'asInt') value = signed64(content, name)
  }
  return value
}
