import { describe, expect, test } from 'vitest'
import { INGEST_DEFAULTS, type IngestOptions } from '../../src/ingest/options.ts'
import { Intake } from '../../src/ingest/intake.ts'
import { createRemoteWriteIngest } from '../../src/ingest/remote-write.ts'
import { Labels } from '../../src/model/labels.ts'
import { encodeWriteRequest } from '../../src/wire/remote-write-encode.ts'
import { encodeSnappy } from '../../src/wire/snappy.ts'
import { MemoryAppender } from '../support/memory-appender.ts'

/** The start of a minute. */
const T0_MS = 1_787_220_000_000

function rig(options: Partial<IngestOptions>, appender = new MemoryAppender()) {
  const intake = new Intake(appender, { ...INGEST_DEFAULTS, ...options })
  const ingest = createRemoteWriteIngest({ intake })
  /** One sample for each series `m{n}` of a cluster; answers the names that were refused and why. */
  const write = (atMs: number, cluster: string, ...names: readonly string[]) => {
    const nowMs = T0_MS + atMs
    const series = names.map((n) => ({
      labels: Labels.of({ __name__: 'm', n, ...(cluster === '' ? {} : { cluster }) }),
      samples: [{ timeMs: nowMs, value: 1 }],
    }))
    const { status, samplesTaken, refusals } = ingest.write(encodeSnappy(encodeWriteRequest(series)), { nowMs })
    return { status, samplesTaken, refusals }
  }
  return { appender, intake, ingest, write }
}

describe('series of one cluster', () => {
  test('are as many as the limit says; known ones, and those of others, are taken', () => {
    const { write } = rig({ clusterSeriesMax: 2 })
    expect(write(0, 'a', '1', '2', '3')).toEqual({
      status: 400,
      samplesTaken: 2,
      refusals: [
        {
          reason: 'cluster_series_limit',
          count: 1,
          example: 'cluster "a": got one more than ingest.cluster-series-max, 2',
        },
      ],
    })
    expect(write(1, 'a', '1', '2')).toMatchObject({ status: 204, samplesTaken: 2 })
    expect(write(1, 'b', '1', '2')).toMatchObject({ status: 204, samplesTaken: 2 })
  })

  test('without a cluster are limited as if they were of one', () => {
    const { write } = rig({ clusterSeriesMax: 2 })
    const { refusals } = write(0, '', '1', '2', '3')
    expect(refusals[0]?.example).toBe('the series without a cluster: got one more than ingest.cluster-series-max, 2')
  })

  test('are counted by the store: a restart starts no new count, and refuses no known series', () => {
    const appender = new MemoryAppender()
    rig({ clusterSeriesMax: 2 }, appender).write(0, 'a', '1', '2')
    const { write } = rig({ clusterSeriesMax: 2 }, appender)
    expect(write(1, 'a', '3')).toMatchObject({ status: 400 })
    expect(write(2, 'a', '2', '1')).toMatchObject({ status: 204 })
  })
})

describe('new series in a minute', () => {
  test('of one cluster are as many as the limit says, until the next minute', () => {
    const { write } = rig({ clusterNewSeriesPerMinuteMax: 2 })
    write(0, 'a', '1')
    expect(write(59_999, 'a', '1', '2', '3')).toEqual({
      status: 400,
      samplesTaken: 2,
      refusals: [
        {
          reason: 'new_series_limit',
          count: 1,
          example:
            'cluster "a": got one more new series in this minute than ingest.cluster-new-series-per-minute-max, 2',
        },
      ],
    })
    expect(write(59_999, 'b', '1', '2')).toMatchObject({ status: 204 })
    expect(write(60_000, 'a', '3', '4')).toMatchObject({ status: 204, samplesTaken: 2 })
  })

  test('of all clusters together', () => {
    const { write } = rig({ newSeriesPerMinuteMax: 3 })
    write(0, 'a', '1', '2')
    const { samplesTaken, refusals } = write(1, 'b', '1', '2')
    expect(samplesTaken).toBe(1)
    expect(refusals[0]?.example).toBe(
      'all clusters: got one more new series in this minute than ingest.new-series-per-minute-max, 3',
    )
  })

  test('are not those that are only new to this process', () => {
    const appender = new MemoryAppender()
    rig({}, appender).write(0, 'a', '1', '2', '3')
    expect(rig({ newSeriesPerMinuteMax: 1 }, appender).write(1, 'a', '1', '2', '3')).toMatchObject({ status: 204 })
  })
})

describe('the report', () => {
  test('counts the samples of clusters that take turns in a request', () => {
    const { intake, ingest } = rig({})
    const samplesOf = (cluster: string, ...values: readonly number[]) => ({
      labels: Labels.of({ __name__: 'm', cluster }),
      samples: values.map((value) => ({ timeMs: T0_MS + value, value })),
    })
    const all = [samplesOf('a', 1, 2), samplesOf('b', 1), samplesOf('a', 3), samplesOf('b', 2), samplesOf('b', 3, 4)]
    // Only the last one's are for a second time, and then with other values.
    const repeated = [samplesOf('a', 4), { ...samplesOf('b'), samples: [{ timeMs: T0_MS + 4, value: 9 }] }]
    for (const request of [all, repeated]) ingest.write(encodeSnappy(encodeWriteRequest(request)), { nowMs: T0_MS })
    expect(intake.report(T0_MS, 10).clusters.bySamples).toMatchObject([
      { cluster: 'a', taken: 4, refused: 0 },
      { cluster: 'b', taken: 4, refused: 1 },
    ])
  })

  test('says what was refused, of whom, and how near the limits are', () => {
    const { intake, ingest, write } = rig({ clusterSeriesMax: 2, newSeriesPerMinuteMax: 100 })
    write(0, 'a', '1', '2', '3')
    write(1000, 'a', '3', '4')
    write(2000, 'b', '1')
    ingest.write(new Uint8Array(0), { nowMs: T0_MS + 3000, cluster: 'c' })
    const report = intake.report(T0_MS + 4000, 10)
    expect(report.refusals).toMatchObject([
      {
        reason: 'bad_encoding',
        count: 1,
        requests: 1,
        examples: [{ timeMs: T0_MS + 3000, boundCluster: 'c', count: 1 }],
      },
      {
        reason: 'cluster_series_limit',
        count: 3,
        requests: 2,
        lastMs: T0_MS + 1000,
        examples: [
          { timeMs: T0_MS + 1000, count: 2 },
          { timeMs: T0_MS, count: 1 },
        ],
      },
    ])
    expect(report.clusters).toEqual({
      count: 2,
      bySamples: [
        { cluster: 'a', taken: 2, refused: 3, duplicate: 0, heardMs: T0_MS + 1000 },
        { cluster: 'b', taken: 1, refused: 0, duplicate: 0, heardMs: T0_MS + 2000 },
      ],
      byRefused: [{ cluster: 'a', taken: 2, refused: 3, duplicate: 0, heardMs: T0_MS + 1000 }],
    })
    expect(report.limits).toEqual([
      { option: 'ingest.cluster-series-max', max: 2, used: 2, cluster: 'a' },
      { option: 'ingest.cluster-new-series-per-minute-max', max: 250_000, used: 2, cluster: 'a' },
      { option: 'ingest.new-series-per-minute-max', max: 100, used: 3 },
    ])
    expect(intake.report(T0_MS + 60_000, 1)).toMatchObject({
      clusters: { bySamples: [{ cluster: 'a' }] },
      limits: [{ used: 2 }, { used: 0 }, { used: 0 }],
    })
  })

  test('keeps five examples of a reason, and counts the rest', () => {
    const { intake, write } = rig({ clusterSeriesMax: 0 })
    for (let i = 0; i < 20; i++) write(i, 'a', String(i))
    const [refusal] = intake.report(T0_MS, 1).refusals
    expect(refusal).toMatchObject({ count: 20, requests: 20 })
    expect(refusal?.examples.map(({ timeMs }) => timeMs - T0_MS)).toEqual([19, 18, 17, 16, 15])
  })

  test('counts standby replicas, and names who is elected', () => {
    const { intake, ingest } = rig({})
    for (const replica of ['x', 'y']) {
      const labels = Labels.of({ __name__: 'm', cluster: 'a', prometheus_replica: replica })
      const body = encodeWriteRequest([{ labels, samples: [{ timeMs: T0_MS, value: 1 }] }])
      ingest.write(encodeSnappy(body), { nowMs: T0_MS })
    }
    expect(intake.report(T0_MS, 5)).toMatchObject({
      clusters: { bySamples: [{ cluster: 'a', taken: 1, duplicate: 1 }] },
      replicas: { pairs: 1, elections: [{ cluster: 'a', replica: 'x', standbys: [{ replica: 'y' }] }] },
    })
  })

  test('has room for many clusters', () => {
    const { intake, write } = rig({})
    for (let i = 0; i < 300; i++) write(i, `c${i}`, '1')
    write(300, 'c7', '1', '2')
    const { clusters } = intake.report(T0_MS, 2)
    expect(clusters.count).toBe(300)
    expect(clusters.bySamples.map(({ cluster, taken }) => [cluster, taken])).toEqual([
      ['c7', 3],
      ['c0', 1],
    ])
  })
})
