import { describe, expect, test } from 'vitest'
import { Intake } from '../../src/ingest/intake.ts'
import { INGEST_DEFAULTS, type IngestOptions } from '../../src/ingest/options.ts'
import { createOtlpMetricsIngest } from '../../src/ingest/otlp/metrics.ts'
import { OTLP_DEFAULTS } from '../../src/ingest/otlp/options.ts'
import { otlpAnswer } from '../../src/ingest/otlp/outcome.ts'
import { createRemoteWriteIngest } from '../../src/ingest/remote-write.ts'
import { encodeRequestProtobuf, withCounts } from '../support/otlp.ts'
import type { Metric } from '../../src/wire/otlp/metrics.ts'
import { MemoryAppender } from '../support/memory-appender.ts'
import { writeBody } from '../support/remote-write.ts'
import { atOnce } from '../support/at-once.ts'

// Remote write and OTLP through the same doors: what one format uses up is not there for the other.

const T0_MS = 1_787_220_000_000
type Texts = Readonly<Record<string, string>>
const keyValues = (texts: Texts) => Object.entries(texts).map(([key, value]) => ({ key, value }))

function rig(options: Partial<IngestOptions> = {}) {
  const appender = new MemoryAppender()
  const intake = new Intake(appender, { ...INGEST_DEFAULTS, ...options })
  const remote = createRemoteWriteIngest({ intake })
  const otlp = createOtlpMetricsIngest({ intake, otlp: OTLP_DEFAULTS })
  return {
    appender,
    intake,
    /** One sample by remote write. */
    write: (labels: Texts, atMs = 0, value = 1) =>
      remote.write(writeBody([{ labels, samples: [{ timeMs: T0_MS + atMs, value }] }]), { nowMs: T0_MS + atMs }),
    /** Metrics of one resource by OTLP. */
    send: (
      resource: Texts,
      metrics: readonly Metric[],
      { atMs = 0, cluster }: { atMs?: number; cluster?: string } = {},
    ) => {
      const scope = { name: '', version: '', attributes: [], schemaUrl: '' }
      const body = encodeRequestProtobuf(
        withCounts([{ attributes: keyValues(resource), scopes: [{ scope, metrics }] }]),
      )
      return atOnce(
        otlp.write(body, 'protobuf', { nowMs: T0_MS + atMs, ...(cluster === undefined ? {} : { cluster }) }),
      )
    },
    series: () => appender.dump().map(({ labels, samples }) => [labels, samples.map(({ value }) => value)] as const),
  }
}

/** A gauge with a point for each set of attributes. */
function gauge(atMs: number, ...points: readonly Texts[]): Metric {
  const common = { startMs: 0, timeMs: T0_MS + atMs, isStale: false, value: atMs }
  return {
    name: 'm',
    unit: '',
    data: { kind: 'gauge', points: points.map((attributes) => ({ ...common, attributes: keyValues(attributes) })) },
  }
}

function delta(atMs: number, value: number): Metric {
  const points = [{ attributes: [], startMs: T0_MS + atMs - 1000, timeMs: T0_MS + atMs, isStale: false, value }]
  return { name: 'd', unit: '', data: { kind: 'sum', points, temporality: 'delta', isMonotonic: true } }
}

function histogram(bounds: readonly number[]): Metric {
  const bucketCounts = [...bounds, 0].map(() => 1)
  const points = [
    {
      attributes: [],
      startMs: 0,
      timeMs: T0_MS,
      isStale: false,
      count: bucketCounts.length,
      sum: 1,
      bucketCounts,
      bounds,
    },
  ]
  return { name: 'h', unit: '', data: { kind: 'histogram', points, temporality: 'cumulative' } }
}

const reasons = ({ refusals }: { readonly refusals: readonly { readonly reason: string; readonly count: number }[] }) =>
  refusals.map(({ reason, count }) => [reason, count])

describe('limits on series', () => {
  test('of a cluster hold for both formats together', () => {
    const { write, send } = rig({ clusterSeriesMax: 2 })
    write({ __name__: 'up', cluster: 'a' })
    expect(reasons(send({ cluster: 'a' }, [gauge(0, { n: '1' }, { n: '2' })]))).toEqual([['cluster_series_limit', 1]])
    expect(reasons(write({ __name__: 'other', cluster: 'a' }))).toEqual([['cluster_series_limit', 1]])
    expect(reasons(send({ cluster: 'a' }, [gauge(1, { n: '1' })], { atMs: 1 }))).toEqual([])
    expect(reasons(send({ cluster: 'b' }, [gauge(0, { n: '1' })]))).toEqual([])
  })

  test('of a minute hold for both formats together, until the next', () => {
    const { write, send } = rig({ clusterNewSeriesPerMinuteMax: 2, newSeriesPerMinuteMax: 3 })
    write({ __name__: 'up', cluster: 'a' })
    const outcome = send({ cluster: 'a' }, [gauge(0, { n: '1' }, { n: '2' })])
    expect(reasons(outcome)).toEqual([['new_series_limit', 1]])
    expect(outcome.message).toContain('ingest.cluster-new-series-per-minute-max, 2')
    expect(reasons(send({ cluster: 'b' }, [gauge(0, { n: '1' })]))).toEqual([])
    expect(send({ cluster: 'c' }, [gauge(0, { n: '1' })]).message).toContain('ingest.new-series-per-minute-max, 3')
    expect(reasons(send({ cluster: 'a' }, [gauge(60_000, { n: '2' })], { atMs: 60_000 }))).toEqual([])
  })

  test('have room for a whole histogram or for nothing of it', () => {
    const { send, appender } = rig({ clusterSeriesMax: 5 })
    expect(reasons(send({ cluster: 'a' }, [histogram([1, 2, 3])]))).toEqual([['cluster_series_limit', 1]])
    expect(appender.seriesCount).toBe(0)
    expect(reasons(send({ cluster: 'a' }, [histogram([1, 2])]))).toEqual([])
    expect(appender.seriesCount).toBe(5)
    // One more bucket is one more series.
    expect(reasons(send({ cluster: 'a' }, [histogram([1, 2, 3])]))).toEqual([['cluster_series_limit', 1]])
  })
})

describe('of two replicas', () => {
  const ONE = { cluster: 'a', prometheus_replica: 'r-0' }
  const OTHER = { cluster: 'a', prometheus_replica: 'r-1' }

  test.each([
    ['their resource says', ONE, OTHER, {}, {}],
    [
      'their points say',
      { cluster: 'a' },
      { cluster: 'a' },
      { prometheus_replica: 'r-0' },
      { prometheus_replica: 'r-1' },
    ],
  ])('one is stored, the other thanked and counted, when %s so', (_, one, other, onePoint, otherPoint) => {
    const { send, series, intake } = rig()
    expect(send(one, [gauge(0, onePoint)])).toMatchObject({ itemsTaken: 1, itemsDuplicate: 0 })
    const outcome = send(other, [gauge(1, otherPoint)], { atMs: 1 })
    expect(outcome).toMatchObject({ status: 200, message: '', itemsTaken: 0, itemsDuplicate: 1 })
    expect(otlpAnswer(outcome, 'protobuf')).toHaveLength(0)
    expect(reasons(outcome)).toEqual([['ha_duplicate', 1]])
    expect(series()).toEqual([[{ __name__: 'm', cluster: 'a' }, [0]]])
    expect(intake.report(T0_MS, 5)).toMatchObject({
      clusters: { bySamples: [{ cluster: 'a', taken: 1, duplicate: 1 }] },
      replicas: { elections: [{ cluster: 'a', replica: 'r-0', standbys: [{ replica: 'r-1', samplesDropped: 1 }] }] },
    })
  })

  test('the election is one, whatever they speak', () => {
    const { write, send, series } = rig()
    write({ __name__: 'm', ...ONE })
    expect(reasons(send(OTHER, [gauge(1, {})], { atMs: 1 }))).toEqual([['ha_duplicate', 1]])
    // Thirty silent seconds later.
    expect(reasons(send(OTHER, [gauge(40_000, {})], { atMs: 40_000 }))).toEqual([])
    expect(reasons(write({ __name__: 'm', ...ONE }, 41_000))).toEqual([['ha_duplicate', 1]])
    expect(series()).toEqual([[{ __name__: 'm', cluster: 'a' }, [1, 40_000]]])
  })

  test('what stands by is not added to sums, and says nothing of the target', () => {
    const { send, series } = rig()
    const about = { 'service.name': 's', 'host.name': 'n' }
    send({ ...ONE, ...about }, [delta(1000, 3)], { atMs: 1000 })
    send({ ...OTHER, ...about }, [delta(1500, 3)], { atMs: 1500 })
    send({ ...ONE, ...about }, [delta(2000, 4)], { atMs: 2000 })
    expect(series().map(([labels, values]) => [labels['__name__'], values])).toEqual([
      ['d_total', [3, 7]],
      ['target_info', [1, 1]],
    ])
  })

  test('what is bad beside duplicates is told', () => {
    const { send } = rig()
    send(ONE, [gauge(0, {})])
    const outcome = send(OTHER, [gauge(1, {}), gauge(3_600_000, {})], { atMs: 1 })
    expect(outcome.message).toContain('refused 1 of 2 data points: too_far_ahead (1)')
    expect(outcome).toMatchObject({ itemsDuplicate: 1, itemsTaken: 0 })
  })

  test('a group alone is no label of a series', () => {
    const { send, series } = rig()
    send({ cluster: 'a', prometheus: 'platform' }, [gauge(0, {})])
    send({ cluster: 'b', prometheus: 'platform', prometheus_replica: '0' }, [gauge(0, {})])
    expect(series().map(([labels]) => labels)).toEqual([
      { __name__: 'm', cluster: 'a' },
      { __name__: 'm', cluster: 'b', prometheus: 'platform' },
    ])
  })

  test('without an option for it all are taken as they are', () => {
    const { send } = rig({ haReplicaLabel: '' })
    send(ONE, [gauge(0, {})])
    expect(send(OTHER, [gauge(1, {})], { atMs: 1 }).itemsTaken).toBe(1)
  })
})

test('what OTLP had refused stands in the report beside remote write, with its cluster', () => {
  const { write, send, intake } = rig()
  write({ cluster: 'a' })
  send({ cluster: 'b' }, [gauge(3_600_000, {})])
  send({}, [gauge(3_600_000, {})], { cluster: 'c' })
  const { refusals, clusters } = intake.report(T0_MS, 10)
  expect(
    refusals.map(({ reason, count, examples }) => [reason, count, examples.map((one) => one.boundCluster)]),
  ).toEqual([
    ['no_metric_name', 1, [undefined]],
    ['too_far_ahead', 2, ['c', undefined]],
  ])
  expect(clusters.byRefused.map(({ cluster, refused }) => [cluster, refused])).toEqual(
    expect.arrayContaining([
      ['b', 1],
      ['c', 1],
    ]),
  )
})

test('claims that start over are forgotten by both formats', () => {
  const { write, send, intake } = rig()
  write({ __name__: 'm', cluster: 'a', prometheus_replica: 'r-0' })
  send({ cluster: 'b', prometheus_replica: 'r-0' }, [gauge(0, {})])
  // More replicas than there is room for: 262,144 claims of one pair.
  for (let i = 0; i < 262_144; i++) intake.replicas.claimOf('z', '', String(i))
  expect(intake.replicas.isFull).toBe(true)
  expect(reasons(send({ cluster: 'b', prometheus_replica: 'r-1' }, [gauge(1, {})], { atMs: 1 }))).toEqual([
    ['ha_duplicate', 1],
  ])
  expect(reasons(write({ __name__: 'm', cluster: 'a', prometheus_replica: 'r-1' }, 2))).toEqual([['ha_duplicate', 1]])
  expect(intake.replicas.isFull).toBe(false)
})
