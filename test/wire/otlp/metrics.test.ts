import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DecodeError } from '../../../src/wire/decode-error.ts'
import { encodeExportAnswer, encodeStatus, type OtlpSignal } from '../../../src/wire/otlp/answer.ts'
import { decodeMetricsJson } from '../../../src/wire/otlp/metrics-json.ts'
import { decodeMetricsProtobuf } from '../../../src/wire/otlp/metrics-protobuf.ts'
import type { MetricsRequest, NumberPoint } from '../../../src/wire/otlp/metrics.ts'
import { valueText } from '../../../src/model/attribute-text.ts'
import type { AttributeValue } from '../../../src/model/attribute.ts'
import { ProtobufWriter } from '../../../src/wire/protobuf.ts'
import { arbitraryDamage, damaged } from '../../support/damage.ts'
import { arbitraryRequest, encodeRequestJson, encodeRequestProtobuf } from '../../support/otlp.ts'
import { atOnce } from '../../support/at-once.ts'

const LIMITS = { pointsMax: 1000, attributesMax: 10_000 }
const GOLDEN = resolve(import.meta.dirname, '../../../../shared/golden')
const fromJson = (value: unknown): MetricsRequest =>
  atOnce(decodeMetricsJson(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)), LIMITS))
const fromProtobuf = (bytes: Uint8Array): MetricsRequest => atOnce(decodeMetricsProtobuf(bytes, LIMITS))

/** A request of one gauge point, its fields as given. */
const onePoint = (point: unknown): unknown => ({
  resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name: 'm', gauge: { dataPoints: [point] } }] }] }],
})
function pointOf(request: MetricsRequest): NumberPoint {
  const data = request.resources[0]!.scopes[0]!.metrics[0]!.data
  if (data.kind !== 'gauge') throw new Error(`got ${data.kind}, want a gauge`)
  return data.points[0]!
}
const attribute = (value: unknown): unknown => ({ attributes: [{ key: 'k', value }] })

/** Nested messages by field number: `message(1, message(2, ...))`. */
function message(field: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const writer = new ProtobufWriter()
  writer.bytes(field, Buffer.concat(parts))
  return writer.finish()
}
const metricProtobuf = (...parts: readonly Uint8Array[]): Uint8Array => message(1, message(2, message(2, ...parts)))
const gaugePointProtobuf = (...parts: readonly Uint8Array[]): Uint8Array =>
  metricProtobuf(message(5, message(1, ...parts)))
function fixed64(field: number, high: number, low: number): Uint8Array {
  const writer = new ProtobufWriter()
  writer.tag(field, 1)
  writer.fixed64(high, low)
  return writer.finish()
}

describe('both encodings', () => {
  test('one request is one thing in either', () => {
    fc.assert(
      fc.property(arbitraryRequest, (request) => {
        expect(fromProtobuf(encodeRequestProtobuf(request))).toEqual(request)
        expect(fromJson(encodeRequestJson(request))).toEqual(request)
      }),
      { seed: 1, numRuns: 150 },
    )
  })

  test('whatever bytes come, they are a request or a DecodeError', () => {
    fc.assert(
      fc.property(arbitraryRequest, arbitraryDamage, (request, damage) => {
        for (const [encoded, decode] of [
          [encodeRequestProtobuf(request), fromProtobuf],
          [Buffer.from(encodeRequestJson(request)), (bytes: Uint8Array) => atOnce(decodeMetricsJson(bytes, LIMITS))],
        ] as const) {
          try {
            decode(damaged(encoded, damage))
          } catch (error) {
            expect(error).toBeInstanceOf(DecodeError)
          }
        }
      }),
      { seed: 2, numRuns: 200 },
    )
  })

  test('any JSON value is a request or a DecodeError', () => {
    const value = fc.constantFrom<unknown>(
      null,
      1,
      'x',
      true,
      [],
      {},
      [1],
      [{}],
      [{ key: 1 }],
      { dataPoints: [[]] },
      '1',
    )
    const near = fc.record({
      resourceMetrics: fc.array(
        fc.record({
          resource: fc.oneof(value, fc.record({ attributes: value })),
          scopeMetrics: fc.array(
            fc.record({
              metrics: fc.array(
                fc.record({
                  name: fc.oneof(fc.string(), value),
                  gauge: fc.record({ dataPoints: fc.array(fc.record({ attributes: value, asInt: value })) }),
                  summary: fc.option(value),
                }),
              ),
            }),
          ),
        }),
      ),
    })
    fc.assert(
      fc.property(fc.oneof(value, near), (body) => {
        try {
          fromJson(body)
        } catch (error) {
          expect(error).toBeInstanceOf(DecodeError)
        }
      }),
      { seed: 3, numRuns: 400 },
    )
  })

  test('more points or attributes than allowed are too many', () => {
    const points = (count: number) => ({
      resources: [
        {
          attributes: [],
          scopes: [
            {
              scope: { name: '', version: '', attributes: [], schemaUrl: '' },
              metrics: [
                {
                  name: 'm',
                  unit: '',
                  data: {
                    kind: 'gauge' as const,
                    points: Array.from({ length: count }, () => {
                      const attributes = Array.from({ length: 20 }, () => ({ key: 'k', value: undefined }))
                      return { attributes, startMs: 0, timeMs: 0, isStale: false, value: 1 }
                    }),
                  },
                },
              ],
            },
          ],
        },
      ],
      pointCount: count,
      exemplarCount: 0,
    })
    const within = points(500)
    expect(fromProtobuf(encodeRequestProtobuf(within)).pointCount).toBe(500)
    const tooMany: readonly [MetricsRequest, typeof LIMITS, RegExp][] = [
      [points(11), { pointsMax: 10, attributesMax: 1000 }, /more than 10 data points/],
      [points(10), { pointsMax: 10, attributesMax: 199 }, /more than 199 attributes/],
    ]
    for (const [request, limits, text] of tooMany) {
      expect(() => atOnce(decodeMetricsProtobuf(encodeRequestProtobuf(request), limits))).toThrow(text)
      expect(() => atOnce(decodeMetricsJson(Buffer.from(encodeRequestJson(request)), limits))).toThrow(text)
    }
  })
})

describe('times', () => {
  test.each([
    ['0', 0],
    ['999999', 0],
    ['1000000', 1],
    ['1787219999999999999', 1787219999999],
    ['1787220000000000000', 1787220000000],
    ['18446744073709551615', 18446744073709],
  ])('%s ns is %d ms, rounded down and never up', (nanoseconds, ms) => {
    expect(pointOf(fromJson(onePoint({ timeUnixNano: nanoseconds }))).timeMs).toBe(ms)
    const exact = BigInt(nanoseconds)
    const bytes = gaugePointProtobuf(fixed64(3, Number(exact >> 32n), Number(exact & 0xffffffffn)))
    expect(pointOf(fromProtobuf(bytes)).timeMs).toBe(ms)
  })
})

/** Lists in lists, 40 levels. */
const DEEP = Array.from({ length: 40 }).reduce<Uint8Array>((inner) => message(5, message(1, inner)), new Uint8Array())

describe('protobuf', () => {
  test('numeric lists may be packed or not', () => {
    const double = (value: number) => {
      const writer = new ProtobufWriter()
      writer.double(value)
      return writer.finish()
    }
    const loose = metricProtobuf(message(9, message(1, fixed64(6, 0, 4), fixed64(6, 0, 5), fixed64(7, 0x3ff00000, 0))))
    const counts = Buffer.concat([fixed64(1, 0, 4).subarray(1), fixed64(1, 0, 5).subarray(1)])
    const packed = metricProtobuf(message(9, message(1, message(6, counts), message(7, double(1)))))
    expect(fromProtobuf(loose)).toEqual(fromProtobuf(packed))
    expect(fromProtobuf(packed).resources[0]!.scopes[0]!.metrics[0]!.data).toMatchObject({
      points: [{ bucketCounts: [4, 5], bounds: [1] }],
    })
  })

  test('a stale marker sent as a value is one, whatever quieted it; another NaN is a value', () => {
    expect(pointOf(fromProtobuf(gaugePointProtobuf(fixed64(4, 0x7ff00000, 2))))).toMatchObject({ isStale: true })
    expect(pointOf(fromProtobuf(gaugePointProtobuf(fixed64(4, 0x7ff80000, 2))))).toMatchObject({ isStale: true })
    expect(pointOf(fromProtobuf(gaugePointProtobuf(fixed64(4, 0x7ff80000, 1))))).toMatchObject({
      isStale: false,
      value: NaN,
    })
  })

  test('of a oneof the last one holds, and a message sent twice is merged', () => {
    const point = message(1, fixed64(6, 0, 1))
    const twice = metricProtobuf(message(7, point), message(5, point), message(5, point))
    expect(fromProtobuf(twice).resources[0]!.scopes[0]!.metrics[0]!.data).toMatchObject({
      kind: 'gauge',
      points: [{ value: 1 }, { value: 1 }],
    })
  })

  test.each([
    ['a text that is not UTF-8', metricProtobuf(message(1, Uint8Array.of(0xff))), /UTF-8/],
    ['a cut number', gaugePointProtobuf(Uint8Array.of(0x19, 1, 2)), /the end of the message/],
    ['a list cut in an item', metricProtobuf(message(9, message(1, message(6, Uint8Array.of(1, 2, 3))))), /the end/],
    ['a known field of another type', metricProtobuf(Uint8Array.of(0x28, 1)), /wire type 0 in field 5/],
    ['wire type 7', Uint8Array.of(0x0f, 1), /wire type 7/],
    ['values nested too deep', gaugePointProtobuf(message(7, message(2, DEEP))), /values inside values/],
  ])('%s is an error', (_what, bytes, text) => {
    expect(() => fromProtobuf(bytes)).toThrow(DecodeError)
    expect(() => fromProtobuf(bytes)).toThrow(text)
  })
})

describe('JSON', () => {
  test.each([
    [{ asInt: '9007199254740993' }, 9007199254740992],
    [{ asInt: -3 }, -3],
    [{ asDouble: 'NaN' }, NaN],
    [{ asDouble: '-Infinity' }, -Infinity],
    [{ asDouble: '2.5e3' }, 2500],
    [{ asDouble: 0 }, 0],
    [{ asInt: null, asDouble: 1 }, 1],
    [{}, undefined],
  ])('the value of %j is %d', (point, want) => {
    expect(pointOf(fromJson(onePoint(point))).value).toBe(want)
  })

  test.each([
    [{ stringValue: 'é' }, 'é'],
    [{ intValue: '9223372036854775807' }, 9223372036854775807n],
    [{ intValue: 200 }, 200],
    [{ boolValue: false }, false],
    [{ bytesValue: 'AQI=' }, Uint8Array.of(1, 2)],
    [{}, undefined],
    [{ somethingNew: 1 }, undefined],
    [{ arrayValue: { values: [{ intValue: 1 }, {}] } }, [1, undefined]],
    [{ kvlistValue: { values: [{ key: 'a', value: { boolValue: true } }] } }, { entries: [{ key: 'a', value: true }] }],
  ])('attribute %# is read as its type', (value, want) => {
    expect(pointOf(fromJson(onePoint(attribute(value)))).attributes).toEqual([{ key: 'k', value: want }])
  })

  let deep: unknown = {}
  for (let i = 0; i < 100; i++) deep = { arrayValue: { values: [deep] } }
  test.each([
    ['', /Unexpected end/],
    ['[]', /got a list as the body, want an object/],
    ['null', /want an object/],
    [{ resourceMetrics: 'x' }, /got "x" as resourceMetrics, want a list/],
    [{ resourceMetrics: [1] }, /got 1 as resourceMetrics, want an object/],
    [onePoint({ timeUnixNano: '-1' }), /got "-1" as timeUnixNano, want a 64-bit integer/],
    [onePoint({ timeUnixNano: 1.5 }), /64-bit integer/],
    [onePoint({ asInt: '9223372036854775808' }), /64-bit integer/],
    [onePoint({ asInt: true }), /got true as asInt/],
    [onePoint({ asDouble: '0x10' }), /want a number/],
    [onePoint({ flags: 'many' }), /at most 32 bits/],
    [onePoint(attribute({ bytesValue: '!' })), /base64/],
    [onePoint(attribute({ stringValue: 1 })), /want a text/],
    [onePoint(attribute({ stringValue: '\ud800' })), /half a surrogate pair/],
    [onePoint(attribute(deep)), /values inside values/],
  ])('%j is an error', (body, text) => {
    expect(() => fromJson(body)).toThrow(DecodeError)
    expect(() => fromJson(body)).toThrow(text)
  })

  test.each([
    ['deep objects', `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`, 'an object'],
    ['a long text', JSON.stringify('x'.repeat(100_000)), `"${'x'.repeat(40)}..."`],
    ['a text of the whole length', JSON.stringify('x'.repeat(40)), `"${'x'.repeat(40)}"`],
  ])('an error shows the start of %s', (_, value, shown) => {
    const body = `{"resourceMetrics":${value}}`
    expect(() => fromJson(body)).toThrow(new DecodeError('otlp json', `${shown} as resourceMetrics`, 'a list'))
  })

  test('a list of deep lists is an error', () => {
    const body = `{"resourceMetrics":[${'['.repeat(50_000)}${']'.repeat(50_000)}]}`
    expect(() => fromJson(body)).toThrow(new DecodeError('otlp json', 'a list as resourceMetrics', 'an object'))
  })

  test('bytes that are not UTF-8 are an error', () => {
    expect(() => atOnce(decodeMetricsJson(Uint8Array.of(0x7b, 0xff, 0x7d), LIMITS))).toThrow(/UTF-8/)
  })
})

test.each<[AttributeValue, string]>([
  ['a', 'a'],
  [undefined, ''],
  [true, 'true'],
  [-1.5, '-1.5'],
  [9223372036854775807n, '9223372036854775807'],
  [Uint8Array.of(1, 2), 'AQI='],
  [['a', 1, undefined, NaN, Uint8Array.of(1)], '["a",1,null,"NaN","AQ=="]'],
  [
    {
      entries: [
        { key: 'b', value: 1n },
        { key: 'a', value: false },
        { key: 'b', value: { entries: [] } },
      ],
    },
    '{"a":false,"b":{}}',
  ],
])('value %# has its text', (value, text) => {
  expect(valueText(value)).toBe(text)
})

describe.skipIf(!existsSync(GOLDEN))('golden and captured bytes (skipped when they are not beside the project)', () => {
  const read = (path: string): Buffer => readFileSync(resolve(GOLDEN, path))

  test.each(['metrics-all', 'metrics-names', 'metrics-delta', 'empty'])('%s is the same in both encodings', (name) => {
    const request = fromProtobuf(read(`otlp/${name}.pb`))
    expect(fromJson(read(`otlp/${name}.json`).toString())).toEqual(request)
    if (name === 'metrics-all') expect([request.pointCount, request.exemplarCount]).toEqual([11, 2])
  })

  test('what a stock JavaScript SDK sends is read in both encodings', () => {
    const json = fromJson(read('captured/otel-js-0.223-metrics.json').toString())
    const protobuf = fromProtobuf(gunzipSync(read('captured/otel-js-0.223-metrics.pb.gz')))
    const kinds = (request: MetricsRequest) =>
      request.resources.flatMap(({ scopes }) => scopes.flatMap(({ metrics }) => metrics.map(({ data }) => data.kind)))
    expect(kinds(json)).toEqual(['sum', 'histogram', 'gauge'])
    expect(kinds(protobuf)).toEqual(kinds(json))
    expect(json.pointCount).toBe(3)
  })

  test.each(['bad-truncated.pb', 'bad-wiretype.pb'])('%s is an error', (name) => {
    expect(() => fromProtobuf(read(`otlp/${name}`))).toThrow(DecodeError)
  })

  test('cut JSON is an error', () => {
    expect(() => fromJson(read('otlp/bad-json.json').toString())).toThrow(DecodeError)
  })

  test.each([
    [
      'resp-success',
      encodeExportAnswer('protobuf', 'traces', undefined),
      encodeExportAnswer('json', 'traces', undefined),
    ],
    ['resp-partial-metrics', ...partialBoth('metrics', 3, 'delta temporality not accepted')],
    ['resp-partial-traces', ...partialBoth('traces', 2, 'trace_id must be 16 bytes')],
    ['resp-partial-logs', ...partialBoth('logs', 0, 'warning only: bodies above 1 MiB were cut')],
    ['resp-status-400', ...statusBoth(3, 'cannot decode request body')],
    ['resp-status-429', ...statusBoth(8, 'rate limited, retry after 5s')],
    ['resp-status-503', ...statusBoth(14, 'storage is not ready')],
  ] as const)('%s is answered byte by byte', (name, protobuf, json) => {
    expect(Buffer.from(protobuf)).toEqual(read(`otlp/${name}.pb`))
    expect(JSON.parse(Buffer.from(json).toString())).toEqual(JSON.parse(read(`otlp/${name}.json`).toString()))
  })
})

function statusBoth(code: number, text: string): readonly [Uint8Array, Uint8Array] {
  return [encodeStatus('protobuf', code, text), encodeStatus('json', code, text)]
}

function partialBoth(signal: OtlpSignal, rejected: number, text: string): readonly [Uint8Array, Uint8Array] {
  const partial = { rejected, message: text }
  return [encodeExportAnswer('protobuf', signal, partial), encodeExportAnswer('json', signal, partial)]
}
