import fc from 'fast-check'
import type {
  ExponentialBuckets,
  Metric,
  MetricData,
  MetricsRequest,
  NumberPoint,
  OtlpExemplar,
  SummaryPoint,
} from '../../src/wire/otlp/metrics.ts'
import type { AttributeValue, Attributes, KeyValue } from '../../src/model/attribute.ts'
import { FIXED64, ProtobufWriter, VARINT } from '../../src/wire/protobuf.ts'

/** OTLP metrics requests as senders write them: an encoder for each encoding, and requests of all shapes for property tests. */

export type Write = (writer: ProtobufWriter) => void

export function bytesOf(...writes: readonly Write[]): Uint8Array {
  const writer = new ProtobufWriter()
  for (const write of writes) write(writer)
  return writer.finish()
}

export const message =
  (field: number, ...writes: readonly Write[]): Write =>
  (writer) => {
    writer.bytes(field, bytesOf(...writes))
  }
export const text =
  (field: number, value: string): Write =>
  (writer) => {
    if (value !== '') writer.text(field, value)
  }
export const each =
  <T>(items: readonly T[], write: (item: T) => Write): Write =>
  (writer) => {
    for (const item of items) write(item)(writer)
  }
const nothing: Write = () => undefined
export const integer =
  (field: number, value: number): Write =>
  (writer) => {
    if (value === 0) return
    writer.tag(field, VARINT)
    writer.int64(value)
  }
export const bits64 =
  (field: number, value: bigint): Write =>
  (writer) => {
    if (value === 0n) return
    writer.tag(field, FIXED64)
    writer.fixed64(Number(BigInt.asUintN(32, value >> 32n)), Number(BigInt.asUintN(32, value)))
  }
const double =
  (field: number, value: number): Write =>
  (writer) => {
    writer.tag(field, FIXED64)
    writer.double(value)
  }
const nanoseconds = (ms: number): bigint => BigInt(ms) * 1_000_000n

export function value(field: number, given: AttributeValue): Write {
  if (given === undefined) return message(field)
  if (typeof given === 'string')
    return message(field, (writer) => {
      writer.text(1, given)
    })
  if (typeof given === 'boolean') {
    return message(field, (writer) => {
      writer.tag(2, VARINT)
      writer.varint(given ? 1 : 0)
    })
  }
  if (typeof given === 'bigint' || (typeof given === 'number' && Number.isInteger(given))) {
    return message(field, (writer) => {
      writer.tag(3, VARINT)
      writer.raw(varint64(BigInt(given)))
    })
  }
  if (typeof given === 'number') return message(field, double(4, given))
  if (given instanceof Uint8Array)
    return message(field, (writer) => {
      writer.bytes(7, given)
    })
  if ('entries' in given && !Array.isArray(given)) {
    return message(field, message(6, attributes(1, (given as { entries: Attributes }).entries)))
  }
  return message(
    field,
    message(
      5,
      each(given as readonly AttributeValue[], (item) => value(1, item)),
    ),
  )
}

function varint64(given: bigint): Uint8Array {
  const bytes: number[] = []
  let left = BigInt.asUintN(64, given)
  for (; left >= 0x80n; left >>= 7n) bytes.push(Number(left & 0x7fn) | 0x80)
  return Uint8Array.from([...bytes, Number(left)])
}

export function attributes(field: number, list: Attributes): Write {
  return each(list, (entry) => message(field, text(1, entry.key), value(2, entry.value)))
}

const TEMPORALITY = { unspecified: 0, delta: 1, cumulative: 2 } as const

export function encodeRequestProtobuf(request: MetricsRequest): Uint8Array {
  const metricOf = ({ name, description = '', unit, data }: Metric): Write =>
    message(2, text(1, name), text(2, description), text(3, unit), dataOf(data))
  return bytesOf(
    each(request.resources, (resource) =>
      message(
        1,
        message(1, attributes(1, resource.attributes)),
        each(resource.scopes, ({ scope, metrics }) =>
          message(
            2,
            message(1, text(1, scope.name), text(2, scope.version), attributes(3, scope.attributes)),
            each(metrics, metricOf),
            text(3, scope.schemaUrl),
          ),
        ),
      ),
    ),
  )
}

function exemplarsOf(field: number, { exemplars = [] }: Pick<NumberPoint, 'exemplars'>): Write {
  return each(exemplars, (given) =>
    message(
      field,
      bits64(2, nanoseconds(given.timeMs)),
      given.value === undefined ? nothing : double(3, given.value),
      (writer) => {
        writer.bytes(4, Buffer.from(given.spanId, 'hex'))
        writer.bytes(5, Buffer.from(given.traceId, 'hex'))
      },
      attributes(7, given.attributes),
    ),
  )
}

function zigzag(field: number, given: number): Write {
  return (writer) => {
    writer.tag(field, VARINT)
    writer.zigzag(given)
  }
}

function bucketsOf(field: number, { offset, counts }: ExponentialBuckets): Write {
  return message(field, zigzag(1, offset), (writer) => {
    const packed = new ProtobufWriter()
    for (const count of counts) packed.varint(count)
    writer.bytes(2, packed.finish())
  })
}

function dataOf(data: MetricData): Write {
  const point =
    (
      start: number,
      attributesField: number,
      common: Omit<SummaryPoint, 'count' | 'sum' | 'quantiles'>,
      flagsField: number,
    ): Write =>
    (writer) => {
      attributes(attributesField, common.attributes)(writer)
      bits64(start, nanoseconds(common.startMs))(writer)
      bits64(3, nanoseconds(common.timeMs))(writer)
      integer(flagsField, common.isStale ? 1 : 0)(writer)
    }
  const number = (given: NumberPoint): Write =>
    message(
      1,
      point(2, 7, given, 8),
      given.value === undefined ? nothing : double(4, given.value),
      exemplarsOf(5, given),
    )
  switch (data.kind) {
    case 'none':
      return nothing
    case 'gauge':
      return message(5, each(data.points, number))
    case 'sum':
      return message(
        7,
        each(data.points, number),
        integer(2, TEMPORALITY[data.temporality]),
        integer(3, data.isMonotonic ? 1 : 0),
      )
    case 'histogram':
      return message(
        9,
        integer(2, TEMPORALITY[data.temporality]),
        each(data.points, (given) =>
          message(
            1,
            point(2, 9, given, 10),
            bits64(4, BigInt(given.count)),
            given.sum === undefined ? nothing : double(5, given.sum),
            each(given.bucketCounts, (count) => (writer) => {
              writer.tag(6, FIXED64)
              writer.fixed64(Math.floor(count / 2 ** 32), count % 2 ** 32)
            }),
            each(given.bounds, (bound) => double(7, bound)),
            exemplarsOf(8, given),
          ),
        ),
      )
    case 'exponential_histogram':
      return message(
        10,
        integer(2, TEMPORALITY[data.temporality]),
        each(data.points, (given) =>
          message(
            1,
            point(2, 1, given, 10),
            bits64(4, BigInt(given.count)),
            given.sum === undefined ? nothing : double(5, given.sum),
            zigzag(6, given.scale),
            bits64(7, BigInt(given.zeroCount)),
            bucketsOf(8, given.positive),
            bucketsOf(9, given.negative),
            exemplarsOf(11, given),
            double(12, -1),
            double(14, given.zeroThreshold),
          ),
        ),
      )
    case 'summary':
      return message(
        11,
        each(data.points, (given) =>
          message(
            1,
            point(2, 7, given, 8),
            bits64(4, BigInt(given.count)),
            double(5, given.sum),
            each(given.quantiles, (pair) => message(6, double(1, pair.quantile), double(2, pair.value))),
          ),
        ),
      )
  }
}

export function encodeRequestJson(request: MetricsRequest): string {
  return JSON.stringify({
    unknown: { anything: [1] },
    resourceMetrics: request.resources.map((resource) => ({
      resource: { attributes: resource.attributes.map(entryJson) },
      scopeMetrics: resource.scopes.map(({ scope, metrics }) => ({
        scope: { name: scope.name, version: scope.version, attributes: scope.attributes.map(entryJson) },
        schemaUrl: scope.schemaUrl,
        metrics: metrics.map(({ name, description, unit, data }) => ({ name, description, unit, ...dataJson(data) })),
      })),
    })),
  })
}

export const entryJson = ({ key, value: given }: KeyValue): unknown => ({ key, value: valueJson(given) })

export function valueJson(given: AttributeValue): unknown {
  if (given === undefined) return {}
  if (typeof given === 'string') return { stringValue: given }
  if (typeof given === 'boolean') return { boolValue: given }
  if (typeof given === 'bigint') return { intValue: String(given) }
  if (typeof given === 'number')
    return Number.isInteger(given) ? { intValue: given } : { doubleValue: doubleJson(given) }
  if (given instanceof Uint8Array) return { bytesValue: Buffer.from(given).toString('base64') }
  if ('entries' in given && !Array.isArray(given)) {
    return { kvlistValue: { values: (given as { entries: Attributes }).entries.map(entryJson) } }
  }
  return { arrayValue: { values: (given as readonly AttributeValue[]).map(valueJson) } }
}

const doubleJson = (given: number): unknown => (Number.isFinite(given) ? given : String(given))

function exemplarsJson({ exemplars }: Pick<NumberPoint, 'exemplars'>): Record<string, unknown> {
  if (exemplars === undefined) return {}
  const items = exemplars.map(({ attributes: list, timeMs, value: given, traceId, spanId }) => ({
    filteredAttributes: list.map(entryJson),
    timeUnixNano: String(nanoseconds(timeMs)),
    ...(given === undefined ? {} : { asDouble: doubleJson(given) }),
    traceId: traceId.toUpperCase(),
    spanId,
  }))
  return { exemplars: items }
}

const bucketsJson = ({ offset, counts }: ExponentialBuckets): unknown => ({ offset, bucketCounts: counts.map(String) })

function dataJson(data: MetricData): Record<string, unknown> {
  const point = (given: Omit<SummaryPoint, 'count' | 'sum' | 'quantiles'>): Record<string, unknown> => ({
    attributes: given.attributes.map(entryJson),
    startTimeUnixNano: String(nanoseconds(given.startMs)),
    timeUnixNano: String(nanoseconds(given.timeMs)),
    flags: given.isStale ? 1 : 0,
  })
  const number = (given: NumberPoint): unknown => ({
    ...point(given),
    ...(given.value === undefined ? {} : { asDouble: doubleJson(given.value) }),
    ...exemplarsJson(given),
  })
  switch (data.kind) {
    case 'none':
      return {}
    case 'gauge':
      return { gauge: { dataPoints: data.points.map(number) } }
    case 'sum': {
      const { isMonotonic, temporality } = data
      return {
        sum: { dataPoints: data.points.map(number), isMonotonic, aggregationTemporality: TEMPORALITY[temporality] },
      }
    }
    case 'histogram': {
      const dataPoints = data.points.map((given) => ({
        ...point(given),
        count: String(given.count),
        ...(given.sum === undefined ? {} : { sum: doubleJson(given.sum) }),
        bucketCounts: given.bucketCounts.map(String),
        explicitBounds: given.bounds.map(doubleJson),
        ...exemplarsJson(given),
      }))
      return { histogram: { dataPoints, aggregationTemporality: TEMPORALITY[data.temporality] } }
    }
    case 'exponential_histogram': {
      const dataPoints = data.points.map((given) => ({
        ...point(given),
        count: String(given.count),
        ...(given.sum === undefined ? {} : { sum: doubleJson(given.sum) }),
        scale: given.scale,
        zeroCount: String(given.zeroCount),
        zeroThreshold: doubleJson(given.zeroThreshold),
        positive: bucketsJson(given.positive),
        negative: bucketsJson(given.negative),
        min: -1,
        ...exemplarsJson(given),
      }))
      return { exponentialHistogram: { dataPoints, aggregationTemporality: TEMPORALITY[data.temporality] } }
    }
    case 'summary': {
      const dataPoints = data.points.map((given) => ({
        ...point(given),
        count: given.count,
        sum: doubleJson(given.sum),
        quantileValues: given.quantiles.map((pair) => ({
          quantile: doubleJson(pair.quantile),
          value: doubleJson(pair.value),
        })),
      }))
      return { summary: { dataPoints } }
    }
  }
}

/** Times of arbitrary requests lie within a minute before this. */
export const ARBITRARY_NOW_MS = 1_787_220_000_000

// Few names and short texts, so that streams meet each other. -0 is left out: JSON has none.
const sampleValue = fc.oneof(
  fc.integer({ min: -1000, max: 1000 }),
  fc.double().filter((number) => !Object.is(number, -0)),
)
const scalar = fc.oneof(
  fc.string({ maxLength: 5, unit: 'grapheme' }),
  fc.boolean(),
  fc.maxSafeInteger(),
  fc.bigInt({ min: 2n ** 60n, max: 2n ** 63n - 1n }),
  fc.constantFrom(0.5, NaN, -Infinity, undefined),
  fc.uint8Array({ maxLength: 4 }).map((bytes) => Uint8Array.from(bytes)),
)
const { attributeValue } = fc.letrec<{ attributeValue: AttributeValue; entry: KeyValue }>((tie) => ({
  attributeValue: fc.oneof(
    { weight: 6, arbitrary: scalar },
    { weight: 1, arbitrary: fc.array(tie('attributeValue'), { maxLength: 3 }) },
    { weight: 1, arbitrary: fc.record({ entries: fc.array(tie('entry'), { maxLength: 3 }) }) },
  ),
  entry: fc.record({ key: fc.constantFrom('a.b', 'a_b', 'le', '__name__', ''), value: tie('attributeValue') }),
}))
export const attributeList = fc.array(
  fc.record({
    key: fc.constantFrom(
      'a.b',
      'a_b',
      'k8s.cluster.uid',
      'service.name',
      'service.instance.id',
      '_x',
      '1y',
      '__name__',
      '',
    ),
    value: attributeValue,
  }),
  { maxLength: 4 },
)
const common = {
  attributes: attributeList,
  startMs: fc.constantFrom(0, ARBITRARY_NOW_MS - 60_000, ARBITRARY_NOW_MS - 30_000),
  timeMs: fc.constantFrom(0, ARBITRARY_NOW_MS - 30_000, ARBITRARY_NOW_MS, ARBITRARY_NOW_MS + 3_600_000),
  isStale: fc.boolean(),
}
const exemplar = fc.record({
  attributes: attributeList,
  timeMs: fc.constantFrom(0, ARBITRARY_NOW_MS - 30_000, ARBITRARY_NOW_MS + 3_600_000),
  value: fc.option(sampleValue, { nil: undefined }),
  traceId: fc.constantFrom('', '5b8efff798038103d269b633813fc60c'),
  spanId: fc.constantFrom('', 'eee19b7ec3c1b174'),
})
const exemplars = fc.array(exemplar, { minLength: 1, maxLength: 2 })
/** With and without exemplars: the second is what nearly all points are. */
function withExemplars<T>(
  points: fc.Arbitrary<T>,
): fc.Arbitrary<T | (T & { readonly exemplars: readonly OtlpExemplar[] })> {
  const beside = fc.tuple(points, exemplars).map(([point, list]) => ({ ...point, exemplars: list }))
  return fc.oneof({ weight: 3, arbitrary: points }, { weight: 1, arbitrary: beside })
}
const numberPoint = fc.record({ ...common, value: fc.option(sampleValue, { nil: undefined }) })
const numberPoints = fc.array(withExemplars(numberPoint), { maxLength: 3 })
const temporality = fc.constantFrom('unspecified' as const, 'delta' as const, 'cumulative' as const)
const count = fc.oneof(fc.nat(1000), fc.maxSafeInteger().map(Math.abs))
const histogramPoint = fc.record({
  ...common,
  count,
  sum: fc.option(sampleValue, { nil: undefined }),
  bucketCounts: fc.array(count, { maxLength: 4 }),
  bounds: fc.array(fc.oneof(fc.constantFrom(0.1, 1, 5, 10), sampleValue), { maxLength: 3 }),
})
const exponentialBuckets = fc.record({
  offset: fc.integer({ min: -1000, max: 1000 }),
  counts: fc.array(fc.oneof(fc.constant(0), fc.nat(9)), { maxLength: 5 }),
})
const exponentialPoint = fc
  .record({
    ...common,
    isCounted: fc.boolean(),
    sum: fc.option(sampleValue, { nil: undefined }),
    scale: fc.oneof(fc.integer({ min: -4, max: 8 }), fc.integer({ min: -6, max: 60 })),
    zeroCount: fc.nat(3),
    zeroThreshold: fc.constantFrom(0, 0.5),
    positive: exponentialBuckets,
    negative: exponentialBuckets,
  })
  .map(({ isCounted, ...point }) => {
    const counts = [...point.positive.counts, ...point.negative.counts, point.zeroCount]
    return { ...point, count: isCounted ? counts.reduce((sum, one) => sum + one, 0) : 7 }
  })
const summaryPoint = fc.record({
  ...common,
  count,
  sum: sampleValue,
  quantiles: fc.array(fc.record({ quantile: fc.constantFrom(0, 0.5, 0.99), value: sampleValue }), { maxLength: 3 }),
})
const metricData: fc.Arbitrary<MetricData> = fc.oneof(
  fc.record({ kind: fc.constant('none' as const) }),
  fc.record({ kind: fc.constant('gauge' as const), points: numberPoints }),
  fc.record({ kind: fc.constant('sum' as const), points: numberPoints, temporality, isMonotonic: fc.boolean() }),
  fc.record({
    kind: fc.constant('histogram' as const),
    points: fc.array(withExemplars(histogramPoint), { maxLength: 3 }),
    temporality,
  }),
  fc.record({
    kind: fc.constant('exponential_histogram' as const),
    points: fc.array(withExemplars(exponentialPoint), { maxLength: 3 }),
    temporality,
  }),
  fc.record({ kind: fc.constant('summary' as const), points: fc.array(summaryPoint, { maxLength: 3 }) }),
)
const metric: fc.Arbitrary<Metric> = fc.record({
  description: fc.constantFrom('What it is.', 'Else.'),
  name: fc.constantFrom('queue.depth', 'http.requests', '', '!!', 'é'),
  unit: fc.constantFrom('', '1', 's', 'By/s', '{x}'),
  data: metricData,
})
const resource = fc.record({
  attributes: attributeList,
  scopes: fc.array(
    fc.record({
      scope: fc.record({
        name: fc.constantFrom('', 'meter'),
        version: fc.constantFrom('', '1'),
        attributes: attributeList,
        schemaUrl: fc.constantFrom('', 'https://schema.example/1'),
      }),
      metrics: fc.array(metric, { maxLength: 3 }),
    }),
    { maxLength: 2 },
  ),
})

/** Requests with every kind of metric, good and bad points, values of every type. */
export const arbitraryRequest: fc.Arbitrary<MetricsRequest> = fc
  .array(resource, { maxLength: 2 })
  .map((resources) => withCounts(resources))

/** The request that holds these resources. */
export function withCounts(resources: MetricsRequest['resources']): MetricsRequest {
  const metrics = resources.flatMap(({ scopes }) => scopes.flatMap((scope) => scope.metrics))
  const points = metrics.flatMap(({ data }) => (data.kind === 'none' ? [] : [...data.points]))
  const exemplarCount = points.reduce((sum, point) => {
    return sum + ('exemplars' in point ? point.exemplars.length : 0)
  }, 0)
  return { resources, pointCount: points.length, exemplarCount }
}
