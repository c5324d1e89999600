import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { INGEST_DEFAULTS, type IngestOptions } from '../../../src/ingest/options.ts'
import { Intake } from '../../../src/ingest/intake.ts'
import { createOtlpMetricsIngest, type OtlpMetricsOutcome } from '../../../src/ingest/otlp/metrics.ts'
import { OTLP_DEFAULTS, OTLP_STRATEGIES, type OtlpOptions } from '../../../src/ingest/otlp/options.ts'
import { otlpAnswer } from '../../../src/ingest/otlp/outcome.ts'
import type { Histogram } from '../../../src/model/histogram.ts'
import { Labels } from '../../../src/model/labels.ts'
import { readHistogram } from '../../../src/wire/histogram-field.ts'
import { ProtobufReader } from '../../../src/wire/protobuf.ts'
import type {
  ExponentialPoint,
  HistogramPoint,
  Metric,
  NumberPoint,
  Temporality,
} from '../../../src/wire/otlp/metrics.ts'
import type { AttributeValue, Attributes } from '../../../src/model/attribute.ts'
import { bucketsOf, histogramBytes, type SentHistogram } from '../../support/histograms.ts'
import { MemoryAppender, type MemoryAppenderOptions } from '../../support/memory-appender.ts'
import {
  ARBITRARY_NOW_MS,
  arbitraryRequest,
  encodeRequestJson,
  encodeRequestProtobuf,
  withCounts,
} from '../../support/otlp.ts'
import { atOnce } from '../../support/at-once.ts'

const T0_MS = 1_787_220_000_000
const GOLDEN = resolve(import.meta.dirname, '../../../../shared/golden')

interface Rig {
  readonly appender: MemoryAppender
  readonly write: (body: Uint8Array | string, cluster?: string, nowMs?: number) => OtlpMetricsOutcome
  /** Writes metrics of one resource. */
  readonly send: (
    metrics: readonly Metric[],
    resource?: Record<string, AttributeValue>,
    cluster?: string,
  ) => OtlpMetricsOutcome
  /** The samples of each series, by its text. */
  readonly stored: () => Record<string, readonly (readonly [number, number | 'stale'])[]>
}

function rig(
  otlp: Partial<OtlpOptions> = {},
  options: Partial<IngestOptions> = {},
  appending: MemoryAppenderOptions = {},
): Rig {
  const appender = new MemoryAppender(appending)
  const intake = new Intake(appender, { ...INGEST_DEFAULTS, ...options })
  const ingest = createOtlpMetricsIngest({ intake, otlp: { ...OTLP_DEFAULTS, ...otlp } })
  const write: Rig['write'] = (body, cluster, nowMs = T0_MS) =>
    atOnce(
      ingest.write(
        typeof body === 'string' ? Buffer.from(body) : body,
        typeof body === 'string' ? 'json' : 'protobuf',
        {
          nowMs,
          ...(cluster === undefined ? {} : { cluster }),
        },
      ),
    )
  return {
    appender,
    write,
    send: (metrics, resource = {}, cluster) => {
      const scope = { name: 'meter', version: '1', attributes: list({ team: 'virt' }), schemaUrl: 's' }
      const resources = [{ attributes: list(resource), scopes: [{ scope, metrics }] }]
      return write(encodeRequestProtobuf(withCounts(resources)), cluster)
    },
    stored: () =>
      Object.fromEntries(
        appender.dump().map(({ labels, samples }) => {
          const { __name__: name = '', ...rest } = labels
          const text = Object.entries(rest).map(([label, value]) => `${label}=${value}`)
          return [
            `${name}{${text.join(',')}}`,
            samples.map(({ timeMs, value, isStale }) => [timeMs - T0_MS, isStale ? 'stale' : value] as const),
          ]
        }),
      ),
  }
}

function list(record: Record<string, AttributeValue>): Attributes {
  return Object.entries(record).map(([key, value]) => ({ key, value }))
}
function point(value: number | undefined, more: Partial<NumberPoint> = {}): NumberPoint {
  return { attributes: [], startMs: 0, timeMs: T0_MS, isStale: false, value, ...more }
}
function gauge(name: string, ...points: readonly NumberPoint[]): Metric {
  return { name, unit: '', data: { kind: 'gauge', points } }
}
function sum(temporality: Temporality, ...points: readonly NumberPoint[]): Metric {
  return { name: 'jobs', unit: '', data: { kind: 'sum', points, temporality, isMonotonic: true } }
}
function histogram(more: Partial<HistogramPoint>, temporality: Temporality = 'cumulative'): Metric {
  const common = { attributes: [], startMs: 0, timeMs: T0_MS, isStale: false }
  const one: HistogramPoint = { ...common, count: 3, sum: 4, bucketCounts: [1, 2], bounds: [0.5], ...more }
  return { name: 'h', unit: '', data: { kind: 'histogram', points: [one], temporality } }
}
function exponential(more: Partial<ExponentialPoint> = {}, temporality: Temporality = 'cumulative'): Metric {
  const common = { attributes: [], startMs: 0, timeMs: T0_MS, isStale: false }
  const buckets = { positive: { offset: 0, counts: [1, 0, 2] }, negative: { offset: -3, counts: [3] } }
  const one = { ...common, ...buckets, count: 7, sum: 4, scale: 3, zeroCount: 1, zeroThreshold: 0, ...more }
  return { name: 'e', unit: 's', data: { kind: 'exponential_histogram', points: [one], temporality } }
}
const reasons = (outcome: OtlpMetricsOutcome) => outcome.refusals.map(({ reason, count }) => [reason, count])

describe('labels', () => {
  test('come from the point, then promoted ones of the resource, then job and instance', () => {
    const { send, stored } = rig()
    const resource = {
      'service.name': 'hco',
      'service.namespace': 'cnv',
      'service.instance.id': 'pod-1',
      'k8s.cluster.uid': 'u1',
      'service.version': '1.17.0',
      'host.name': 'n1',
    }
    const attributes = list({
      'a.b': 'x',
      a_b: 1,
      'service.version': 'own',
      job: 'mine',
      __name__: 'no',
      empty: undefined,
    })
    send([gauge('m', point(1, { attributes }))], resource)
    expect(stored()).toEqual({
      'm{a_b=x;1,cluster=u1,instance=pod-1,job=cnv/hco,k8s_cluster_uid=u1,service_version=own}': [[0, 1]],
      'target_info{cluster=u1,host_name=n1,instance=pod-1,job=cnv/hco,k8s_cluster_uid=u1,service_version=1.17.0}': [
        [0, 1],
      ],
    })
  })

  test('of the scope are there when asked for', () => {
    const { send, stored } = rig({ promoteScope: true })
    send([gauge('m', point(1))])
    expect(Object.keys(stored())).toEqual([
      'm{otel_scope_name=meter,otel_scope_schema_url=s,otel_scope_team=virt,otel_scope_version=1}',
    ])
  })

  test.each(OTLP_STRATEGIES)('under %s the cluster is found, promoted or not', (strategy) => {
    const { appender, send } = rig({ strategy, promoteAttributes: [] })
    const outcome = send([gauge('m', point(1))], { 'k8s.cluster.name': 'lab' })
    expect(appender.dump()[0]!.labels).toMatchObject({ cluster: 'lab', k8s_cluster_name: 'lab' })
    expect(outcome.newUnidentifiedSeries).toBe(0)
  })

  test('a resource without identity, or with nothing else to say, has no target_info', () => {
    const { send, stored } = rig()
    send([gauge('m', point(1))], { 'host.name': 'n1' })
    send([gauge('n', point(1))], { 'service.name': 'x' })
    expect(Object.keys(stored())).toEqual(['m{}', 'n{job=x}'])
  })

  test('target_info stands from the first to the last point, every two and a half minutes', () => {
    const { send, stored } = rig()
    const times = [-600_000, -200_000]
    send([gauge('m', ...times.map((offset) => point(1, { timeMs: T0_MS + offset })))], { 'service.name': 'x', a: 'b' })
    expect(stored()['target_info{a=b,job=x}']!.map(([time]) => time)).toEqual([-600_000, -450_000, -300_000, -200_000])
  })
})

describe('a bound sender', () => {
  test('speaks for its cluster, whatever it says of itself, and for no other', () => {
    const { send, stored } = rig()
    expect(send([gauge('m', point(1))], {}, 'east').refusals).toEqual([])
    expect(reasons(send([gauge('m', point(1))], { 'k8s.cluster.uid': 'west' }, 'east'))).toEqual([
      ['cluster_mismatch', 1],
    ])
    expect(Object.keys(stored())).toEqual(['m{cluster=east}'])
  })

  test('that is bound by name may say its UUID too, as collectors do', () => {
    const { send, appender } = rig()
    const both = { 'k8s.cluster.uid': '6f3c1d52-9f0e-4c1b-8a53-0d6c5a1e7b10', 'k8s.cluster.name': 'prague' }
    expect(send([gauge('m', point(1))], both, 'prague').itemsTaken).toBe(1)
    expect(send([gauge('m', point(1))], { ...both, 'k8s.cluster.name': 'berlin' }, 'prague').itemsTaken).toBe(0)
    expect(appender.dump().map(({ labels }) => [labels['cluster'], labels['k8s_cluster_name']])).toEqual([
      ['prague', 'prague'],
    ])
  })

  test('does not use what another sender taught', () => {
    const { send, stored } = rig()
    for (const cluster of ['east', 'west', undefined]) send([gauge('m', point(1))], {}, cluster)
    expect(Object.keys(stored())).toEqual(['m{cluster=east}', 'm{cluster=west}', 'm{}'])
  })
})

describe('points', () => {
  test('of a histogram are buckets that hold what is below them, count and sum', () => {
    const { send, stored } = rig()
    send([histogram({ bounds: [0.5, 1e21], bucketCounts: [1, 2, 4], count: 7, sum: -1 })])
    expect(stored()).toEqual({
      'h_bucket{le=0.5}': [[0, 1]],
      'h_bucket{le=1000000000000000000000}': [[0, 3]],
      'h_bucket{le=+Inf}': [[0, 7]],
      'h_count{}': [[0, 7]],
      'h_sum{}': [[0, -1]],
    })
  })

  test('of a histogram without buckets or sum are count alone', () => {
    const { send, stored } = rig()
    send([histogram({ bounds: [], bucketCounts: [], count: 7, sum: undefined })])
    expect(stored()).toEqual({ 'h_bucket{le=+Inf}': [[0, 7]], 'h_count{}': [[0, 7]] })
  })

  test('may change their bounds', () => {
    const { send, stored } = rig()
    send([histogram({ sum: undefined })])
    send([histogram({ timeMs: T0_MS + 1, bounds: [0.7] })])
    send([histogram({ timeMs: T0_MS + 2, sum: undefined, bounds: [0.7] })])
    expect(stored()).toEqual({
      'h_bucket{le=0.5}': [[0, 1]],
      'h_bucket{le=+Inf}': [
        [0, 3],
        [1, 3],
        [2, 3],
      ],
      'h_count{}': [
        [0, 3],
        [1, 3],
        [2, 3],
      ],
      'h_bucket{le=0.7}': [
        [1, 1],
        [2, 1],
      ],
      'h_sum{}': [[1, 4]],
    })
  })

  test('without a value any more end every series of their stream, buckets sent or not', () => {
    const { send, stored } = rig()
    send([histogram({}), gauge('m', point(1))])
    const gone = { isStale: true, timeMs: T0_MS + 1 }
    const outcome = send([
      histogram({ ...gone, count: 0, sum: undefined, bucketCounts: [], bounds: [] }),
      gauge('m', point(undefined, gone)),
    ])
    expect(outcome.itemsTaken).toBe(2)
    expect(Object.values(stored()).every((samples) => samples.at(-1)![1] === 'stale')).toBe(true)
  })

  test('that are bad are refused one by one, with what was wrong', () => {
    const { send, stored } = rig({ bucketsMax: 3 })
    const outcome = send([
      gauge('good', point(1)),
      gauge('m', point(undefined), point(1, { timeMs: 0 }), point(1, { timeMs: T0_MS + 3_600_000 })),
      gauge('!!', point(1)),
      sum('unspecified', point(1)),
      histogram({ bucketCounts: [1] }),
      histogram({ bounds: [1, 1], bucketCounts: [1, 1, 1] }),
      histogram({ bounds: [Infinity] }),
      histogram({ bounds: [1, 2, 3], bucketCounts: [1, 1, 1, 1] }),
      exponential(),
      exponential({ scale: -5 }),
      exponential({ count: 5 }),
      { name: 'nothing', unit: '', data: { kind: 'none' } },
    ])
    expect([outcome.itemsIn, outcome.itemsTaken, outcome.status]).toEqual([13, 2, 200])
    expect(reasons(outcome)).toEqual([
      ['no_metric_name', 1],
      ['too_far_ahead', 1],
      ['bad_timestamp', 1],
      ['bad_point', 7],
      ['temporality_unsupported', 1],
    ])
    expect(outcome.message).toMatch(/^refused 11 of 13 data points: no_metric_name \(1\): got metric name "!!"/)
    expect(Buffer.byteLength(outcome.message)).toBeLessThanOrEqual(1024)
    expect(Object.keys(stored())).toEqual(['good{}', 'e_seconds{}'])
    const answer = JSON.parse(Buffer.from(otlpAnswer(outcome, 'json')).toString()) as unknown
    expect(answer).toEqual({ partialSuccess: { rejectedDataPoints: '11', errorMessage: outcome.message } })
  })

  test('are refused when the store refuses, and a repeated request is taken again', () => {
    const { send } = rig({}, {}, { outOfOrderMs: 1000 })
    expect(send([gauge('m', point(1))]).refusals).toEqual([])
    expect(send([gauge('m', point(1))]).itemsTaken).toBe(1)
    expect(reasons(send([gauge('m', point(2))]))).toEqual([['duplicate_sample', 1]])
    expect(reasons(send([gauge('m', point(2, { timeMs: T0_MS - 5000 }))]))).toEqual([['out_of_order', 1]])
  })

  test('of one series too many are refused, and of a label too many', () => {
    expect(reasons(rig({}, {}, { seriesMax: 1 }).send([gauge('a', point(1)), gauge('b', point(1))]))).toEqual([
      ['series_limit', 1],
    ])
    const attributes = list({ a: 'x', b: 'y' })
    expect(reasons(rig({}, { labelsPerSeriesMax: 2 }).send([gauge('a', point(1, { attributes }))]))).toEqual([
      ['too_many_labels', 1],
    ])
  })

  test('are the same series after their stream was forgotten', () => {
    const { appender, send } = rig({ streamsMax: 2 })
    const names = ['a', 'b', 'c', 'd']
    for (let i = 0; i < 3; i++) send(names.map((name) => gauge(name, point(i, { timeMs: T0_MS + i }))))
    expect([appender.seriesCount, appender.sampleCount]).toEqual([4, 12])
  })
})

describe('delta points', () => {
  const window = (from: number, to: number, value: number): NumberPoint =>
    point(value, { startMs: T0_MS + from, timeMs: T0_MS + to })
  const totals = (stored: Rig['stored']) => stored()['jobs_total{}']

  test.each<[string, readonly (readonly [number, number, number])[], readonly (readonly [number, number])[], number]>([
    [
      'add up',
      [
        [0, 10, 4],
        [10, 20, 6],
      ],
      [
        [10, 4],
        [20, 10],
      ],
      0,
    ],
    [
      'add up over a gap',
      [
        [0, 10, 4],
        [15, 20, 6],
      ],
      [
        [10, 4],
        [20, 10],
      ],
      0,
    ],
    [
      'are refused where they overlap',
      [
        [0, 10, 4],
        [5, 20, 6],
        [10, 30, 1],
      ],
      [
        [10, 4],
        [30, 5],
      ],
      1,
    ],
    [
      'are refused when they come late',
      [
        [10, 20, 4],
        [0, 10, 6],
      ],
      [[20, 4]],
      1,
    ],
    [
      'count once when repeated',
      [
        [0, 10, 4],
        [10, 20, 6],
        [0, 10, 4],
        [10, 20, 6],
      ],
      [
        [10, 4],
        [20, 10],
      ],
      0,
    ],
    ['are refused when they end before they begin', [[10, 0, 4]], [], 1],
  ])('%s', (_what, windows, want, refused) => {
    const { send, stored } = rig()
    let count = 0
    for (const [from, to, value] of windows) {
      const outcome = send([sum('delta', window(from, to, value))])
      count += outcome.itemsIn - outcome.itemsTaken
    }
    expect([totals(stored) ?? [], count]).toEqual([want, refused])
  })

  test('without a start follow the one before', () => {
    const { send, stored } = rig()
    for (const offset of [0, 10, 10, 5]) send([sum('delta', point(2, { timeMs: T0_MS + offset }))])
    expect(totals(stored)).toEqual([
      [0, 2],
      [10, 4],
    ])
  })

  test('that the store refuses are not added', () => {
    const { send, stored } = rig()
    send([sum('delta', window(0, 10, 4))])
    send([sum('delta', window(10, 3_600_000, 100))])
    send([sum('delta', window(10, 20, 1))])
    expect(totals(stored)).toEqual([
      [10, 4],
      [20, 5],
    ])
  })

  test('of a histogram add up bucket by bucket, and start over with other bounds', () => {
    const { send, stored } = rig()
    const at = (offset: number) => ({ startMs: T0_MS + offset - 10, timeMs: T0_MS + offset })
    send([histogram(at(0), 'delta')])
    send([histogram(at(10), 'delta')])
    send([histogram({ ...at(20), bounds: [9] }, 'delta')])
    expect(stored()).toMatchObject({
      'h_bucket{le=0.5}': [
        [0, 1],
        [10, 2],
      ],
      'h_bucket{le=+Inf}': [
        [0, 3],
        [10, 6],
        [20, 3],
      ],
      'h_sum{}': [
        [0, 4],
        [10, 8],
        [20, 4],
      ],
    })
  })

  test('of one stream too many are refused until another was idle for long', () => {
    const ingest = rig({ deltaStreamsMax: 1, deltaIdleMs: 60_000 })
    const of = (key: string, offset: number): Uint8Array => {
      const metrics = [sum('delta', point(1, { attributes: list({ key }), timeMs: T0_MS + offset }))]
      const scope = { name: '', version: '', attributes: [], schemaUrl: '' }
      return encodeRequestProtobuf(withCounts([{ attributes: [], scopes: [{ scope, metrics }] }]))
    }
    expect(reasons(ingest.write(of('a', 0)))).toEqual([])
    expect(reasons(ingest.write(of('b', 0)))).toEqual([['delta_limit', 1]])
    expect(reasons(ingest.write(of('b', 0), undefined, T0_MS + 120_000))).toEqual([])
    expect(reasons(ingest.write(of('a', 1), undefined, T0_MS + 121_000))).toEqual([['delta_limit', 1]])
  })
})

describe('whatever is sent', () => {
  test('protobuf and JSON store the same, every point is counted once, and a second time nothing is added', () => {
    fc.assert(
      fc.property(arbitraryRequest, fc.option(fc.constantFrom('east'), { nil: undefined }), (request, cluster) => {
        const [a, b] = [rig(), rig()]
        const fromProtobuf = a.write(encodeRequestProtobuf(request), cluster, ARBITRARY_NOW_MS)
        expect(b.write(encodeRequestJson(request), cluster, ARBITRARY_NOW_MS)).toEqual(fromProtobuf)
        expect(b.appender.dump()).toEqual(a.appender.dump())
        const refused = fromProtobuf.refusals.reduce((total, { count }) => total + count, 0)
        expect(fromProtobuf.itemsTaken + refused).toBe(request.pointCount)
        const before = a.appender.sampleCount
        a.write(encodeRequestProtobuf(request), cluster, ARBITRARY_NOW_MS)
        expect(a.appender.sampleCount).toBe(before)
      }),
      { seed: 1, numRuns: 150 },
    )
  })

  test('a broken body appends nothing', () => {
    fc.assert(
      fc.property(arbitraryRequest, fc.nat(), fc.nat(255), (request, at, byte) => {
        const { appender, write } = rig()
        const body = Uint8Array.from(encodeRequestProtobuf(request))
        if (body.length > 0) body[at % body.length] = byte
        const outcome = write(body)
        if (outcome.status === 400)
          expect([outcome.refusals[0]!.reason, appender.seriesCount]).toEqual(['bad_encoding', 0])
      }),
      { seed: 2, numRuns: 200 },
    )
  })
})

describe('exponential histograms', () => {
  const kept = (more: Partial<ExponentialPoint> = {}, otlp: Partial<OtlpOptions> = {}) => {
    const { appender, send } = rig(otlp)
    const outcome = send([exponential(more)])
    return { outcome, samples: appender.dump().flatMap(({ samples }) => samples) }
  }

  test('become native ones of one series, their buckets counted from the upper bound', () => {
    expect(kept().samples).toEqual([
      {
        timeMs: T0_MS,
        value: NaN,
        isStale: false,
        histogram: {
          schema: 3,
          counterReset: 'unknown',
          count: 7,
          sum: 4,
          zeroThreshold: 1e-128,
          zeroCount: 1,
          positive: bucketsOf({ 1: 1, 3: 2 }),
          negative: bucketsOf({ [-2]: 3 }),
          customBounds: new Float64Array(0),
        },
      },
    ])
    expect(kept({ zeroThreshold: 0.5 }).samples[0]).toMatchObject({ histogram: { zeroThreshold: 0.5 } })
  })

  test.each([
    [9, bucketsOf({ 1: 1, 2: 2 }), bucketsOf({ [-1]: 3 })],
    [60, bucketsOf({ 1: 3 }), bucketsOf({ 0: 3 })],
    [2 ** 31 - 1, bucketsOf({ 1: 3 }), bucketsOf({ 0: 3 })],
  ])('of scale %i are merged down', (scale, positive, negative) => {
    expect(kept({ scale }).samples[0]).toMatchObject({ histogram: { schema: 8, count: 7, positive, negative } })
  })

  test('without a sum have none that is known, and may count what is in no bucket', () => {
    const { samples } = kept({ sum: undefined, count: 9 })
    expect(samples[0]).toMatchObject({ histogram: { sum: NaN, count: 9 } })
  })

  test('end their series, whatever else they say', () => {
    expect(kept({ isStale: true, scale: -9 }).samples).toEqual([{ timeMs: T0_MS, value: NaN, isStale: true }])
  })

  test.each<[string, Partial<ExponentialPoint>]>([
    ['got scale -5, want -4 or more', { scale: -5 }],
    ['got 7 in buckets, want the count, 6', { count: 6 }],
    ['got 7 in buckets, want at most the count, 6', { count: 6, sum: undefined }],
    ['got 3 buckets, want at most otlp.buckets-max, 2', {}],
    ['got a zero threshold of -1', { zeroThreshold: -1 }],
    ['got buckets beyond 32 bits', { positive: { offset: 2 ** 31 - 1, counts: [1] } }],
  ])('%s', (text, more) => {
    const { outcome, samples } = kept(more, text.includes('buckets-max') ? { bucketsMax: 2 } : {})
    expect([reasons(outcome), samples]).toEqual([[['bad_point', 1]], []])
    expect(outcome.message).toContain(text)
  })

  test('of delta temporality are refused: what they add to is not known', () => {
    const { appender, send } = rig()
    expect(reasons(send([exponential({}, 'delta')]))).toEqual([['temporality_unsupported', 1]])
    expect(appender.seriesCount).toBe(0)
  })
})

describe('exemplars', () => {
  const exemplar = (value: number, more: Record<string, AttributeValue> = {}) => {
    return { attributes: list(more), timeMs: T0_MS - 1, value, traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8) }
  }
  const ids = { trace_id: 'ab'.repeat(16), span_id: 'cd'.repeat(8) }

  test('stand beside the counter, the bucket that holds them, or the native histogram', () => {
    const { appender, send } = rig()
    const outcome = send([
      sum('cumulative', point(1, { exemplars: [exemplar(1, { user: 'u1', n: 7 })] })),
      histogram({ exemplars: [exemplar(0.5), exemplar(0.6), exemplar(NaN)] }),
      exponential({ exemplars: [exemplar(3)] }),
      gauge('g', point(1, { exemplars: [exemplar(1)] })),
    ])
    expect(outcome.exemplarsIgnored).toBe(1)
    const names = appender.dump().map(({ labels }) => `${labels['__name__']}${labels['le'] ?? ''}`)
    expect(appender.exemplars.map(({ ref, exemplar: { value } }) => [names[ref - 1], value])).toEqual([
      ['jobs_total', 1],
      ['h_bucket0.5', 0.5],
      ['h_bucket+Inf', 0.6],
      ['h_bucket+Inf', NaN],
      ['e_seconds', 3],
    ])
    expect(appender.exemplars[0]!.exemplar.labels.toObject()).toEqual({ ...ids, user: 'u1', n: '7' })
  })

  test('keep their ids alone when attributes make them too long, and go with a refused point', () => {
    const { appender, send } = rig()
    const outcome = send([
      sum('cumulative', point(1, { exemplars: [exemplar(1, { user: 'x'.repeat(100) })] })),
      sum('cumulative', point(undefined, { exemplars: [exemplar(1)] })),
      sum('cumulative', point(2, { timeMs: T0_MS + 1, exemplars: [{ ...exemplar(1), timeMs: 0 }] })),
    ])
    expect(outcome).toMatchObject({ itemsTaken: 2, exemplarsIgnored: 2 })
    expect(appender.exemplars.map(({ exemplar: { labels } }) => labels.toObject())).toEqual([ids])
  })
})

test('metrics are what they are said to be, under the names of their series', () => {
  const { appender, send } = rig()
  const said = (metric: Metric, description: string, unit = ''): Metric => ({ ...metric, description, unit })
  send([
    said(sum('cumulative', point(1)), 'Jobs.', 'By/s'),
    said(gauge('g', point(1)), 'A gauge.'),
    said(histogram({}), 'Classic.', 'ms'),
    said(exponential(), 'Native.'),
    said(sum('unspecified', point(1)), 'Not kept.'),
  ])
  expect([...appender.metadata]).toEqual([
    ['jobs_bytes_per_second_total', { type: 'counter', help: 'Jobs.', unit: 'bytes_per_second' }],
    ['g', { type: 'gauge', help: 'A gauge.', unit: '' }],
    ['h_milliseconds', { type: 'histogram', help: 'Classic.', unit: 'milliseconds' }],
    ['e', { type: 'histogram', help: 'Native.', unit: '' }],
  ])
})

interface ExpectedSeries {
  readonly labels: Record<string, string>
  readonly v?: number | { readonly stale: true }
  /** As remote write would say it. */
  readonly histogram?: SentHistogram & { readonly count: number; readonly zeroCount: number }
}

function expectedHistogram({ count, zeroCount, ...sent }: NonNullable<ExpectedSeries['histogram']>): Histogram {
  const bytes = histogramBytes({ ...sent, countInteger: count, zeroCountInteger: zeroCount })
  const decoded = readHistogram(new ProtobufReader(bytes), bytes.length, 100)
  if (decoded.kind !== 'histogram') throw new Error(`expected a histogram, got ${decoded.kind}`)
  return decoded.histogram
}

describe.skipIf(!existsSync(GOLDEN))(
  'golden and captured bodies (skipped when they are not beside the project)',
  () => {
    const read = (path: string): Buffer => readFileSync(resolve(GOLDEN, path))
    const parsed = (path: string): unknown => JSON.parse(read(path).toString())

    test.each(['pb', 'json'])('metrics-all.%s becomes the series it should', (encoding) => {
      const want = parsed('otlp/metrics-all.expected.json') as {
        series: ExpectedSeries[]
        exemplars: { series: string; labels: Record<string, string>; v: number; t: number }[]
        withPromotion: { adds: Record<string, string> }
      }
      const body = read(`otlp/metrics-all.${encoding}`)
      for (const isPromoted of [false, true]) {
        const { appender, write } = rig(
          { promoteAttributes: isPromoted ? ['k8s.cluster.uid', 'k8s.cluster.name', 'service.version'] : [] },
          { identityLabels: [] },
        )
        const outcome = write(encoding === 'pb' ? body : body.toString())
        expect(outcome).toMatchObject({ status: 200, itemsIn: 11, itemsTaken: 11, refusals: [], exemplarsIgnored: 0 })
        const adds = isPromoted ? want.withPromotion.adds : {}
        expect(new Set(appender.dump())).toEqual(
          new Set(
            want.series.map(({ labels, v, histogram: sent }) => ({
              labels: { ...labels, ...adds },
              samples: [
                sent === undefined
                  ? { timeMs: T0_MS, value: typeof v === 'number' ? v : NaN, isStale: typeof v !== 'number' }
                  : { timeMs: T0_MS, value: NaN, isStale: false, histogram: expectedHistogram(sent) },
              ],
            })),
          ),
        )
        const names = appender.dump().map(({ labels }) => `${labels['__name__']}${labels['le'] ?? ''}`)
        expect(appender.exemplars.map(({ ref, exemplar: one }) => [names[ref - 1], one])).toEqual(
          want.exemplars.map(({ series, labels, v, t }) => [
            series.replace(/\{le="(.*)"\}/, '$1'),
            { labels: Labels.of(labels), value: v, timeMs: t },
          ]),
        )
      }
    })

    test.each(OTLP_STRATEGIES)('metrics-names has the names of %s', (strategy) => {
      const { appender, write } = rig({ strategy })
      expect(write(read('otlp/metrics-names.pb')).refusals).toEqual([])
      type Names = { readonly [K in (typeof OTLP_STRATEGIES)[number]]: readonly string[] }
      const { names } = parsed('otlp/metrics-names.expected.json') as { names: Names[] }
      const got = new Set(appender.dump().map(({ labels }) => labels['__name__']))
      expect(got).toEqual(
        new Set([...names.flatMap((row) => row[strategy]), ...(got.has('target_info') ? ['target_info'] : [])]),
      )
      if (strategy.startsWith('Underscore')) {
        const awkward = appender.dump().find(({ labels }) => 'a_b' in labels)
        expect(Object.keys(awkward!.labels)).toEqual(expect.arrayContaining(['key_priv', 'key_1st']))
        expect(awkward!.labels['a_b']).toBe('x;y')
      }
    })

    test.each(['pb', 'json'])('metrics-delta.%s adds up', (encoding) => {
      const { appender, write } = rig()
      const body = read(`otlp/metrics-delta.${encoding}`)
      expect(write(encoding === 'pb' ? body : body.toString(), undefined, T0_MS + 60_000).refusals).toEqual([])
      const jobs = appender.dump().find(({ labels }) => labels['__name__'] === 'jobs_done_total')
      expect(jobs!.samples.map(({ value }) => value)).toEqual([4, 10])
    })

    test('a stock JavaScript SDK is taken whole, in both encodings', () => {
      const nowMs = 1795251396938
      for (const body of [
        read('captured/otel-js-0.223-metrics.json').toString(),
        gunzipSync(read('captured/otel-js-0.223-metrics.pb.gz')),
      ]) {
        const { appender, write } = rig()
        expect(write(body, undefined, nowMs)).toMatchObject({ itemsIn: 3, itemsTaken: 3, newUnidentifiedSeries: 0 })
        const names = new Set(appender.dump().map(({ labels }) => labels['__name__']))
        expect([...names]).toEqual([
          'http_requests_total',
          'req_duration_seconds_bucket',
          'req_duration_seconds_count',
          'req_duration_seconds_sum',
          'temp_celsius',
          'target_info',
        ])
      }
    })

    test.each(['empty.pb', 'empty.json'])('%s is a success', (name) => {
      const body = read(`otlp/${name}`)
      expect(rig().write(name.endsWith('pb') ? body : body.toString())).toMatchObject({
        status: 200,
        message: '',
        itemsIn: 0,
      })
    })

    test.each(['bad-truncated.pb', 'bad-wiretype.pb', 'bad-json.json'])('%s is a 400', (name) => {
      const body = read(`otlp/${name}`)
      expect(rig().write(name.endsWith('pb') ? body : body.toString()).status).toBe(400)
    })
  },
)
