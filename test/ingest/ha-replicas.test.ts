import { describe, expect, test } from 'vitest'
import { HaTracker } from '../../src/ingest/ha-tracker.ts'
import { INGEST_DEFAULTS, type IngestOptions } from '../../src/ingest/options.ts'
import { Intake } from '../../src/ingest/intake.ts'
import { createRemoteWriteIngest, type WriteOutcome } from '../../src/ingest/remote-write.ts'
import { Labels } from '../../src/model/labels.ts'
import { ProtobufWriter, VARINT } from '../../src/wire/protobuf.ts'
import { encodeLabels, encodeWriteRequest } from '../../src/wire/remote-write-encode.ts'
import { encodeWriteRequestV2 } from '../../src/wire/remote-write-v2-encode.ts'
import { encodeSnappy } from '../../src/wire/snappy.ts'
import { histogramBytes, histogramOf, messageField, sentOf } from '../support/histograms.ts'
import { MemoryAppender } from '../support/memory-appender.ts'

const T0_MS = 1_787_220_000_000

interface Scrape {
  readonly replica?: string
  readonly labels?: Record<string, string>
  /** Of the one sample; by default when it is received. */
  readonly timeMs?: number
  readonly value?: number
}

function rig(options: Partial<IngestOptions> = {}) {
  const appender = new MemoryAppender()
  const ingest = createRemoteWriteIngest({ intake: new Intake(appender, { ...INGEST_DEFAULTS, ...options }) })
  /** Receives `up` of cluster a from each scrape in one request, so many seconds after the start. */
  const receive = (seconds: number, ...scrapes: readonly Scrape[]): WriteOutcome => {
    const nowMs = T0_MS + seconds * 1000
    const series = scrapes.map(({ replica, labels, timeMs = nowMs, value = 1 }) => ({
      labels: Labels.of({
        ...{ __name__: 'up', cluster: 'a', prometheus: 'openshift-monitoring/k8s' },
        ...(replica === undefined ? {} : { prometheus_replica: replica }),
        ...labels,
      }),
      samples: [{ timeMs, value }],
    }))
    return ingest.write(encodeSnappy(encodeWriteRequest(series)), { nowMs })
  }
  /** Seconds of the samples that are kept, by series. */
  const kept = () => appender.dump().map(({ samples }) => samples.map(({ timeMs }) => (timeMs - T0_MS) / 1000))
  return { appender, ingest, receive, kept }
}

const K8S_0 = { replica: 'prometheus-k8s-0' }
const K8S_1 = { replica: 'prometheus-k8s-1' }

describe('of two replicas', () => {
  test('the first is stored without its label, the other dropped, counted and thanked', () => {
    const { appender, receive } = rig()
    expect(receive(0, K8S_0)).toMatchObject({ status: 204, samplesTaken: 1, message: '' })
    expect(receive(7, K8S_1)).toMatchObject({
      status: 204,
      samplesIn: 1,
      samplesTaken: 0,
      samplesDuplicate: 1,
      refusals: [
        {
          reason: 'ha_duplicate',
          count: 1,
          example: 'replica prometheus-k8s-1 of a is on standby, prometheus-k8s-0 is elected',
        },
      ],
    })
    expect(appender.dump()).toEqual([
      {
        labels: { __name__: 'up', cluster: 'a', prometheus: 'openshift-monitoring/k8s' },
        samples: [{ timeMs: T0_MS, value: 1, isStale: false }],
      },
    ])
  })

  test('native histograms and exemplars of the one that stands by are dropped, and as good as written', () => {
    const { appender, ingest } = rig()
    const send = (seconds: number, replica: string): WriteOutcome => {
      const nowMs = T0_MS + seconds * 1000
      const series = new ProtobufWriter()
      series.raw(encodeLabels(Labels.of({ __name__: 'latency', cluster: 'a', prometheus_replica: replica })))
      series.raw(messageField(4, histogramBytes(sentOf(histogramOf(2), nowMs))))
      const exemplar = new ProtobufWriter()
      exemplar.tag(3, VARINT)
      exemplar.varint(nowMs)
      series.raw(messageField(3, exemplar.finish()))
      return ingest.write(encodeSnappy(messageField(1, series.finish())), { nowMs })
    }
    const common = { status: 204, histogramsIn: 1, exemplarsTaken: 1, exemplarsIgnored: 0 }
    expect(send(0, 'r-0')).toMatchObject({ ...common, histogramsTaken: 1, histogramsDuplicate: 0 })
    expect(send(7, 'r-1')).toMatchObject({ ...common, histogramsTaken: 0, histogramsDuplicate: 1 })
    expect(send(15, 'r-0')).toMatchObject({ ...common, histogramsTaken: 1 })
    // Histograms alone keep a replica elected.
    expect(send(40, 'r-1')).toMatchObject({ ...common, histogramsDuplicate: 1 })
    expect(send(46, 'r-1')).toMatchObject({ ...common, histogramsTaken: 1 })
    expect(appender.dump().map(({ samples }) => samples.map(({ timeMs }) => (timeMs - T0_MS) / 1000))).toEqual([
      [0, 15, 46],
    ])
    expect(appender.exemplars.map(({ exemplar }) => (exemplar.timeMs - T0_MS) / 1000)).toEqual([0, 15, 46])
  })

  test('the other takes over when the first falls silent, and writes on in the same series', () => {
    const { receive, kept } = rig()
    for (const [seconds, scrape] of [
      [0, K8S_0],
      [7, K8S_1],
      [30, K8S_0],
      [37, K8S_1],
      [67, K8S_1], // 37 s after the last word of the first
      [97, K8S_1],
      [98, K8S_0], // back, and too late
    ] as const) {
      receive(seconds, scrape)
    }
    expect(kept()).toEqual([[0, 30, 67, 97]])
  })

  test('one relay that puts both into a request delivers one of them', () => {
    const { receive, kept } = rig()
    expect(receive(0, K8S_0, { ...K8S_1, timeMs: T0_MS + 7000 })).toMatchObject({
      samplesTaken: 1,
      samplesDuplicate: 1,
    })
    expect(receive(30, K8S_1, K8S_0)).toMatchObject({ samplesTaken: 1, samplesDuplicate: 1 })
    expect(kept()).toEqual([[0, 30]])
  })

  test('one whose samples are all refused is not listened to', () => {
    const { receive, kept } = rig()
    const wrongClock = { ...K8S_0, timeMs: T0_MS + 86_400_000 }
    expect(receive(0, wrongClock)).toMatchObject({ status: 400, refusals: [{ reason: 'too_far_ahead' }] })
    expect(receive(1, K8S_1)).toMatchObject({ status: 204, samplesTaken: 1 })
    expect(receive(20, wrongClock)).toMatchObject({ status: 204, samplesDuplicate: 1 })
    expect(kept()).toEqual([[1]])
  })

  test('what is bad beside duplicates is told', () => {
    const { receive } = rig()
    receive(0, K8S_0)
    const outcome = receive(1, K8S_1, { labels: { __name__: '' } })
    expect(outcome).toMatchObject({ status: 400, samplesDuplicate: 1 })
    expect(outcome.refusals.map(({ reason }) => reason)).toEqual(['no_metric_name', 'ha_duplicate'])
  })

  test('it makes no difference whether they write 1.0 or 2.0', () => {
    const { ingest, receive } = rig()
    receive(0, K8S_0)
    const labels = Labels.of({
      ...{ __name__: 'up', cluster: 'a', prometheus: 'openshift-monitoring/k8s' },
      prometheus_replica: 'prometheus-k8s-1',
    })
    const body = encodeSnappy(encodeWriteRequestV2([{ labels, samples: [{ timeMs: T0_MS, value: 1 }] }]))
    expect(ingest.write(body, { nowMs: T0_MS + 1, protocol: '2.0' })).toMatchObject({
      status: 204,
      samplesDuplicate: 1,
    })
  })
})

describe('not taken for replicas of one', () => {
  test.each([
    ['clusters', { ...K8S_1, labels: { cluster: 'b' } }, { cluster: 'b', prometheus: 'openshift-monitoring/k8s' }],
    ['Prometheis of one cluster', { ...K8S_1, labels: { prometheus: 'user' } }, { cluster: 'a', prometheus: 'user' }],
    [
      'series without the label',
      { labels: { job: 'x' } },
      { cluster: 'a', prometheus: 'openshift-monitoring/k8s', job: 'x' },
    ],
    [
      'series without a cluster, which keep the label',
      { ...K8S_1, labels: { cluster: '' } },
      { prometheus: 'openshift-monitoring/k8s', prometheus_replica: 'prometheus-k8s-1' },
    ],
  ])('%s', (_, other, labels) => {
    const { appender, receive } = rig()
    receive(0, K8S_0)
    expect(receive(1, other)).toMatchObject({ status: 204, samplesTaken: 1, samplesDuplicate: 0 })
    expect(appender.dump()[1]!.labels).toEqual({ __name__: 'up', ...labels })
  })

  test('anybody, when it is switched off', () => {
    const { appender, receive } = rig({ haReplicaLabel: '' })
    receive(0, K8S_0)
    expect(receive(0, K8S_1)).toMatchObject({ samplesTaken: 1 })
    expect(appender.dump().map(({ labels }) => labels['prometheus_replica'])).toEqual([K8S_0.replica, K8S_1.replica])
  })
})

describe('the tracker', () => {
  const hear = (tracker: HaTracker, nowMs: number, cluster: string, replica: string): boolean => {
    tracker.begin(nowMs)
    const claim = tracker.claimOf(cluster, '', replica)
    const isDuplicate = tracker.isDuplicate(claim)
    if (isDuplicate) tracker.dropped(claim, 3)
    else tracker.taken(claim)
    return isDuplicate
  }

  test('reports the elections, the last change first, and who stands by', () => {
    const tracker = new HaTracker(30_000)
    hear(tracker, 0, 'a', 'x')
    hear(tracker, 1000, 'b', 'x')
    hear(tracker, 2000, 'a', 'y')
    hear(tracker, 40_000, 'a', 'y')
    expect(tracker.report(10)).toEqual({
      pairs: 2,
      elections: [
        {
          ...{ cluster: 'a', group: '', replica: 'y', sinceMs: 40_000, heardMs: 40_000, failovers: 1 },
          standbys: [{ replica: 'x', heardMs: 0, samplesDropped: 0 }],
        },
        { cluster: 'b', group: '', replica: 'x', sinceMs: 1000, heardMs: 1000, failovers: 0, standbys: [] },
      ],
    })
    expect(tracker.report(1).elections).toHaveLength(1)
  })

  test('remembers a bounded number of replicas of one pair', () => {
    const tracker = new HaTracker(30_000)
    for (let i = 0; i < 100; i++) hear(tracker, i, 'a', `pod-${i}`)
    const standbys = tracker.report(1).elections[0]!.standbys.map(({ replica }) => replica)
    expect(standbys.slice(0, 2)).toEqual(['pod-99', 'pod-98'])
    expect(standbys.length).toBeLessThanOrEqual(8)
    expect(hear(tracker, 100, 'a', 'pod-0')).toBe(false)
  })

  test('with no room for one more pair takes its replicas as they are, until silent pairs are forgotten', () => {
    const tracker = new HaTracker(30_000, 2)
    hear(tracker, 0, 'a', 'x')
    hear(tracker, 20_000, 'b', 'x')
    expect(tracker.claimOf('c', '', 'x')).toBe(0)
    tracker.begin(30_000)
    expect(tracker.isFull).toBe(true)
    tracker.forgetClaims()
    expect(tracker.isFull).toBe(false)
    expect(tracker.claimOf('c', '', 'x')).toBeGreaterThan(0)
    // The pair that was not silent has kept its election.
    expect(hear(tracker, 30_001, 'b', 'y')).toBe(true)
  })
})
