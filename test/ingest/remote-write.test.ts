import { describe, expect, test } from 'vitest'
import { INGEST_DEFAULTS, type IngestOptions } from '../../src/ingest/options.ts'
import { Intake } from '../../src/ingest/intake.ts'
import { createRemoteWriteIngest, type RemoteWriteIngest, type WriteOutcome } from '../../src/ingest/remote-write.ts'
import { Labels } from '../../src/model/labels.ts'
import { FIXED64, ProtobufWriter, VARINT } from '../../src/wire/protobuf.ts'
import {
  encodeLabels,
  encodeWriteRequest,
  type WriteSample,
  type WriteSeries,
} from '../../src/wire/remote-write-encode.ts'
import { encodeWriteRequestV2 } from '../../src/wire/remote-write-v2-encode.ts'
import { encodeSnappy } from '../../src/wire/snappy.ts'
import { histogramBytes, histogramOf, messageField, sentOf, type SentHistogram } from '../support/histograms.ts'
import { MemoryAppender, type MemoryAppenderOptions } from '../support/memory-appender.ts'

const NOW_MS = 1_787_220_000_000

interface Rig {
  readonly appender: MemoryAppender
  readonly ingest: RemoteWriteIngest
  /** Writes series and answers the outcome. */
  readonly write: (series: readonly WriteSeries[], cluster?: string) => WriteOutcome
}

function rig(appending: MemoryAppenderOptions = {}, options: Partial<IngestOptions> = {}): Rig {
  const appender = new MemoryAppender(appending)
  let drawn = 0
  const drawKey = (): Int32Array => Int32Array.of(++drawn, 0, 0, 0)
  const ingest = createRemoteWriteIngest({ intake: new Intake(appender, { ...INGEST_DEFAULTS, ...options }), drawKey })
  return {
    appender,
    ingest,
    write: (series, cluster) =>
      ingest.write(encodeSnappy(encodeWriteRequest(series)), {
        nowMs: NOW_MS,
        ...(cluster === undefined ? {} : { cluster }),
      }),
  }
}

function series(
  labels: Record<string, string>,
  ...samples: (readonly [offsetMs: number, value: number | 'stale'])[]
): WriteSeries {
  return {
    labels: Labels.of({ __name__: 'up', ...labels }),
    samples: samples.map(([offsetMs, value]): WriteSample => {
      const timeMs = NOW_MS + offsetMs
      return value === 'stale' ? { timeMs, value: 0, isStale: true } : { timeMs, value }
    }),
  }
}

describe('a request', () => {
  test('is appended whole, stale markers as such', () => {
    const { appender, write } = rig()
    const outcome = write([series({ cluster: 'a' }, [0, 1], [1000, 'stale']), series({ _id: 'b' }, [0, NaN])])
    expect(outcome).toEqual({
      status: 204,
      message: '',
      samplesIn: 3,
      samplesTaken: 3,
      samplesDuplicate: 0,
      refusals: [],
      histogramsIn: 0,
      histogramsTaken: 0,
      histogramsDuplicate: 0,
      exemplarsTaken: 0,
      exemplarsIgnored: 0,
      metadataIgnored: 0,
      newUnidentifiedSeries: 0,
    })
    expect(appender.dump()).toEqual([
      {
        labels: { __name__: 'up', cluster: 'a' },
        samples: [
          { timeMs: NOW_MS, value: 1, isStale: false },
          { timeMs: NOW_MS + 1000, value: NaN, isStale: true },
        ],
      },
      {
        labels: { __name__: 'up', _id: 'b', cluster: 'b' },
        samples: [{ timeMs: NOW_MS, value: NaN, isStale: false }],
      },
    ])
  })

  test('sent again is taken again and changes nothing', () => {
    const { appender, write } = rig()
    const request = [series({ cluster: 'a' }, [0, 1], [-1000, NaN], [2000, 'stale'])]
    write(request)
    expect(write(request)).toMatchObject({ status: 204, samplesTaken: 3 })
    expect(appender.sampleCount).toBe(3)
  })

  test('may hold a new series many times, as stock senders write it', () => {
    const { appender, write } = rig()
    const outcome = write([series({ a: '1' }, [0, 1]), series({ a: '1' }, [1, 2]), series({ a: '1' }, [2, 3])])
    expect(outcome).toMatchObject({ samplesTaken: 3, newUnidentifiedSeries: 1 })
    expect([appender.seriesCount, appender.sampleCount]).toEqual([1, 3])
  })

  test('may repeat known series in one order, and in others', () => {
    const { appender, write } = rig({}, { labelValueBytesMax: 20 })
    const names = ['a', 'b', 'c', 'too long to be accepted']
    write(names.map((a) => series({ a }, [0, 0])))
    const order = [0, 1, 2, 3, 0, 1, 2, 3, 0, 2, 1, 0, 1, 3, 3, 2, 2, 0, 1, 2, 0]
    const outcome = write(order.map((name, i) => series({ a: names[name]! }, [i + 1, name])))
    expect(outcome).toMatchObject({ samplesTaken: 17, refusals: [{ count: 4 }] })
    expect(
      appender.dump().map(({ labels, samples }) => [labels['a'], samples.map(({ timeMs }) => timeMs - NOW_MS)]),
    ).toEqual(
      names.slice(0, 3).map((a, name) => [a, [0, ...order.flatMap((other, i) => (other === name ? [i + 1] : []))]]),
    )
  })

  test('has its own series without samples: none of the request before', () => {
    const { appender, write } = rig()
    for (const a of ['b', 'a']) write([series({ a }, [0, 1])])
    write([series({ a: 'b' }), series({ a: 'b' }, [1, 1])])
    expect(appender.dump().map(({ labels, samples }) => [labels['a'], samples.length])).toEqual([
      ['b', 2],
      ['a', 1],
    ])
  })

  test('with labels in another order means the same series', () => {
    const { appender, ingest, write } = rig()
    write([series({ cluster: 'a', job: 'j' }, [0, 1])])
    const swapped = Labels.fromFlat(['job', 'j', 'cluster', 'a', '__name__', 'up'])
    const body = encodeWriteRequest([{ labels: encodeLabels(swapped), samples: [{ timeMs: NOW_MS + 1, value: 2 }] }])
    expect(ingest.write(encodeSnappy(body), { nowMs: NOW_MS }).status).toBe(204)
    expect([appender.seriesCount, appender.sampleCount]).toEqual([1, 2])
  })

  test('in 2.0 means the same series as in 1.0, found by the same bytes', () => {
    const { appender, ingest, write } = rig()
    const labels = { cluster: 'a', job: 'j', long: 'x'.repeat(300) }
    write([series(labels, [0, 1])])
    appender.resolve = () => undefined // a series that is not recognised would be refused
    const request = [{ labels: Labels.of({ __name__: 'up', ...labels }), samples: [{ timeMs: NOW_MS + 1, value: 2 }] }]
    const body = encodeSnappy(encodeWriteRequestV2(request))
    expect(ingest.write(body, { nowMs: NOW_MS, protocol: '2.0' })).toMatchObject({ status: 204, samplesTaken: 1 })
    expect([appender.seriesCount, appender.sampleCount]).toEqual([1, 2])
  })

  test('without samples makes no series, whatever its labels are', () => {
    const { appender, write } = rig()
    expect(write([series({ cluster: 'a' }), { labels: Labels.EMPTY, samples: [] }])).toMatchObject({ status: 204 })
    expect(appender.seriesCount).toBe(0)
  })

  test('counts a series without a cluster once', () => {
    const { write } = rig()
    expect(write([series({}, [0, 1]), series({ cluster: 'a' }, [0, 1])]).newUnidentifiedSeries).toBe(1)
    expect(write([series({}, [1, 1])]).newUnidentifiedSeries).toBe(0)
  })

  test('with times at the edges', () => {
    const { appender, write } = rig()
    const at = (timeMs: number): WriteSample => ({ timeMs, value: 1 })
    const outcome = write([
      {
        labels: Labels.of({ __name__: 'm' }),
        samples: [
          at(0),
          at(-1),
          at(-8.64e15),
          at(NOW_MS + 600_000),
          at(-8.64e15 - 1),
          at(NOW_MS + 600_001),
          at(8.64e15 + 1),
        ],
      },
    ])
    expect(outcome).toMatchObject({ status: 400, samplesTaken: 4 })
    expect(outcome.refusals).toEqual([
      {
        reason: 'too_far_ahead',
        count: 1,
        example: 'got 600001 ms ahead of the clock, want at most 600000: m at 1787220600001',
      },
      {
        reason: 'bad_timestamp',
        count: 2,
        example:
          'got a time of -8640000000000001 ms, want -8640000000000000 to 8640000000000000: m at -8640000000000001',
      },
    ])
    expect(appender.dump()[0]!.samples.map(({ timeMs }) => timeMs)).toEqual([-8.64e15, -1, 0, NOW_MS + 600_000])
  })
})

describe('a partly bad request', () => {
  test('keeps its good samples, and the sender is told the rest', () => {
    const { appender, write } = rig({ outOfOrderMs: 5000, oldestMs: NOW_MS - 60_000 })
    const outcome = write([
      series({ cluster: 'a' }, [0, 1], [0, 2], [-6000, 1], [-7000, 1], [1, 1]),
      series({ cluster: 'b' }, [-60_001, 1]),
      { labels: Labels.of({ job: 'x' }), samples: [{ timeMs: NOW_MS, value: 1 }] },
    ])
    expect(outcome).toMatchObject({ status: 400, samplesIn: 7, samplesTaken: 2 })
    expect(outcome.message).toBe(
      'took 2 of 7 samples; refused 5: ' +
        'no_metric_name (1): series {job="x"} has no label __name__, or an empty one; ' +
        'duplicate_sample (1): duplicate sample for timestamp: up{cluster="a"} at 1787220000000; ' +
        'out_of_order (2): out of order sample: up{cluster="a"} at 1787219994000; ' +
        'too_old (1): too old sample: up{cluster="b"} at 1787219939999',
    )
    expect(appender.sampleCount).toBe(2)
  })

  test('is refused in the same way when it comes again', () => {
    const { write } = rig()
    const request = [
      series({}, [0, 1]),
      {
        labels: Labels.of({ job: 'x' }),
        samples: [
          { timeMs: 1, value: 1 },
          { timeMs: 2, value: 1 },
        ],
      },
    ]
    expect(write(request).refusals).toEqual(write(request).refusals)
    expect(write(request).refusals).toMatchObject([{ reason: 'no_metric_name', count: 2 }])
  })

  test('of native histograms takes the good ones, and says of each bad one what is wrong', () => {
    const { appender, ingest } = rig()
    const good = histogramOf(3)
    const write = (...fields: readonly Uint8Array[]): WriteOutcome => {
      const one = new ProtobufWriter()
      one.raw(encodeLabels(Labels.of({ __name__: 'h', cluster: 'a' })))
      for (const field of fields) one.raw(field)
      const request = new ProtobufWriter()
      request.raw(encodeWriteRequest([series({ cluster: 'a' }, [0, 1])]))
      request.bytes(1, one.finish())
      return ingest.write(encodeSnappy(request.finish()), { nowMs: NOW_MS })
    }
    const field = (sent: SentHistogram) => messageField(4, histogramBytes(sent))
    const sent = (timeMs: number, histogram = good) => field(sentOf(histogram, timeMs))
    expect(write(sent(NOW_MS), field({ sum: 'stale', timeMs: NOW_MS + 1 }))).toMatchObject({
      status: 204,
      samplesTaken: 1,
      histogramsIn: 2,
      histogramsTaken: 2,
      message: '',
    })
    const outcome = write(
      sent(NOW_MS),
      field({ schema: 99, timeMs: NOW_MS }),
      sent(NOW_MS, histogramOf(4)),
      sent(NOW_MS + 3_600_000),
      sent(NOW_MS, histogramOf(5001)),
      sent(NOW_MS + 2),
    )
    expect(outcome).toMatchObject({ status: 400, samplesTaken: 1, histogramsIn: 6, histogramsTaken: 2 })
    expect(outcome.refusals).toMatchObject([
      { reason: 'duplicate_sample', count: 1, example: `duplicate sample for timestamp: h{cluster="a"} at ${NOW_MS}` },
      { reason: 'too_far_ahead', count: 1 },
      {
        reason: 'bad_histogram',
        count: 1,
        example: expect.stringMatching(/^got schema 99, .*: h\{cluster="a"\} at/) as string,
      },
      {
        reason: 'histogram_too_large',
        count: 1,
        example: expect.stringContaining('histogram-buckets-max, 5000') as string,
      },
    ])
    expect(outcome.message).toMatch(/^took 1 of 1 samples and 2 of 6 histograms; refused 4: /)
    expect(appender.dump()[1]!.samples.map(({ timeMs, isStale }) => [timeMs - NOW_MS, isStale])).toEqual([
      [0, false],
      [1, true],
      [2, false],
    ])
  })

  test('of floats and histograms of one series stores both in the order of time, however long the time', () => {
    const hourMs = 3_600_000
    const { appender, write } = rig({ outOfOrderMs: hourMs })
    const labels = encodeLabels(Labels.of({ __name__: 'h', cluster: 'a' }))
    const entry = (floatHours: readonly number[], histogramHours: readonly number[]): WriteSeries => {
      const fields = histogramHours.map((hour) =>
        messageField(4, histogramBytes(sentOf(histogramOf(3), NOW_MS + hour * hourMs))),
      )
      const samples = floatHours.map((hour) => ({ timeMs: NOW_MS + hour * hourMs, value: hour }))
      return { labels: Buffer.concat([labels, ...fields]), samples }
    }
    // In one entry, and, as stock senders write it, one entry for each sample.
    const one = write([entry([-9, -8, -4], [-7, -6, -5])])
    const four = write([entry([-3], []), entry([], [-2]), entry([-1], []), entry([], [0])])
    expect(one).toMatchObject({ message: '', samplesTaken: 3, histogramsTaken: 3 })
    expect(four).toMatchObject({ message: '', samplesTaken: 2, histogramsTaken: 2 })
    const [stored] = appender.dump()
    expect(
      stored!.samples.map(({ timeMs, histogram }) => [(timeMs - NOW_MS) / hourMs, histogram?.count ?? 'float']),
    ).toEqual([
      [-9, 'float'],
      [-8, 'float'],
      [-7, 3],
      [-6, 3],
      [-5, 3],
      [-4, 'float'],
      [-3, 'float'],
      [-2, 3],
      [-1, 'float'],
      [0, 3],
    ])
  })

  test('of which a histogram has labels that cannot be read is not taken', () => {
    const { appender, ingest } = rig()
    const unreadable = new ProtobufWriter()
    unreadable.text(1, '\u0001')
    unreadable.raw(messageField(4, histogramBytes({ timeMs: NOW_MS })))
    const request = new ProtobufWriter()
    request.bytes(1, unreadable.finish())
    expect(ingest.write(encodeSnappy(request.finish()), { nowMs: NOW_MS })).toMatchObject({
      status: 400,
      refusals: [{ reason: 'bad_encoding' }],
    })
    expect(appender.seriesCount).toBe(0)
  })

  test('keeps exemplars before the samples of their series, behind them and without', () => {
    const { appender, ingest } = rig()
    const exemplar = new ProtobufWriter()
    exemplar.bytes(1, encodeLabels(Labels.of({ trace_id: 'abc' })).subarray(2))
    exemplar.tag(2, FIXED64)
    exemplar.double(0.25)
    exemplar.tag(3, VARINT)
    exemplar.varint(NOW_MS)
    const beside = (labels: Record<string, string>): Uint8Array => {
      const one = new ProtobufWriter()
      one.raw(encodeLabels(Labels.of(labels)))
      one.raw(messageField(3, exemplar.finish()))
      return messageField(1, one.finish())
    }
    const request = new ProtobufWriter()
    request.raw(beside({ __name__: 'up', cluster: 'a' }))
    request.raw(encodeWriteRequest([series({ cluster: 'a' }, [0, 1])]))
    request.raw(beside({ __name__: 'up', cluster: 'a' }))
    request.raw(beside({ __name__: 'later', cluster: 'a' }))
    request.raw(beside({ cluster: 'a' }))
    request.raw(messageField(1, messageField(3, exemplar.finish())))
    expect(ingest.write(encodeSnappy(request.finish()), { nowMs: NOW_MS })).toMatchObject({
      status: 204,
      exemplarsTaken: 3,
      exemplarsIgnored: 2,
    })
    expect(appender.seriesCount).toBe(2)
    const one = { labels: Labels.of({ trace_id: 'abc' }), value: 0.25, timeMs: NOW_MS }
    expect(appender.exemplars).toEqual([1, 1, 2].map((ref) => ({ ref, exemplar: one })))
  })

  test('says a metric is what was said last, and repeats it once an hour', () => {
    const { appender, ingest } = rig()
    const write = (help: string, nowMs: number): void => {
      const metadata = new ProtobufWriter()
      metadata.text(2, 'up')
      metadata.text(4, help)
      ingest.write(encodeSnappy(messageField(3, metadata.finish())), { nowMs })
    }
    const said = (): string | undefined => appender.metadata.get('up')?.help
    write('First.', NOW_MS)
    write('Second.', NOW_MS)
    expect(said()).toBe('Second.')
    write('First.', NOW_MS)
    expect(said()).toBe('Second.')
    write('First.', NOW_MS + 3_600_000)
    expect(said()).toBe('First.')
  })

  test('that is refused whole leaves its metadata to be said again', () => {
    const { appender, ingest } = rig()
    const metadata = new ProtobufWriter()
    metadata.text(2, 'up')
    const field = messageField(3, metadata.finish())
    ingest.write(encodeSnappy(Buffer.concat([field, messageField(1, Uint8Array.of(0xff))])), { nowMs: NOW_MS })
    expect(appender.metadata.size).toBe(0)
    ingest.write(encodeSnappy(field), { nowMs: NOW_MS })
    expect(appender.metadata.size).toBe(1)
  })

  test('over the series limit keeps the known series, and takes the new one as soon as there is room', () => {
    const { appender, write } = rig()
    const fresh = series({ a: '2' }, [0, 1], [1, 1])
    write([series({ a: '1' }, [0, 1])])
    const resolve = appender.resolve.bind(appender)
    appender.resolve = () => undefined
    const outcome = write([series({ a: '1' }, [1, 1]), fresh])
    expect(outcome).toMatchObject({ status: 400, samplesTaken: 1 })
    expect(outcome.refusals).toEqual([
      { reason: 'series_limit', count: 2, example: `got one more series than store.series-max, 5000000: up{a="2"}` },
    ])
    appender.resolve = resolve
    expect(write([fresh])).toMatchObject({ status: 204, samplesTaken: 2 })
  })

  test('gets a message of at most 1024 bytes, however many and long its faults are', () => {
    const { write } = rig({ outOfOrderMs: 0, oldestMs: NOW_MS - 1000, seriesMax: 3 }, { labelsPerSeriesMax: 5 })
    const long = 'ž"\n'.repeat(700)
    const one = [[0, 1]] as const
    const outcome = write([
      series({ a: long }, [0, 1], [0, 2], [-1, 1], [700_000, 1]),
      series({ b: long }, [-2000, 1]),
      series({ c: long }, ...one),
      series({ d: long }, ...one),
      series({ e: long + long }, ...one),
      series({ ['f'.repeat(2000)]: long }, ...one),
      series({ __name__: '', g: long }, ...one),
      series({ h: 'x\0y', long }, ...one),
      series({ a: '1', b: '2', c: '3', d: '4', e: '5', f: '6' }, ...one),
    ])
    expect(outcome.refusals.map(({ reason }) => reason)).toEqual([
      'bad_labels',
      'no_metric_name',
      'too_many_labels',
      'label_name_too_long',
      'label_value_too_long',
      'duplicate_sample',
      'out_of_order',
      'too_old',
      'too_far_ahead',
      'series_limit',
    ])
    expect(Buffer.byteLength(outcome.message)).toBeLessThanOrEqual(1024)
    expect(outcome.message).not.toContain('\n')
    for (const { reason, count, example } of outcome.refusals) {
      expect(outcome.message).toContain(`${reason} (${count}): `)
      expect(example.length).toBeLessThanOrEqual(300)
    }
  })
})

describe('a sender with a bound token', () => {
  test('has its cluster stamped, and cannot write into another', () => {
    const { appender, write } = rig()
    const outcome = write([series({}, [0, 1]), series({ cluster_id: 'b' }, [0, 1], [1, 1])], 'a')
    expect(outcome.refusals).toEqual([
      {
        reason: 'cluster_mismatch',
        count: 2,
        example: 'up claims cluster "b" by label cluster_id, the token is bound to "a"',
      },
    ])
    expect(outcome.newUnidentifiedSeries).toBe(0)
    expect(appender.dump().map(({ labels }) => labels)).toEqual([{ __name__: 'up', cluster: 'a' }])
  })

  test('is not mixed up with another that sends the same bytes', () => {
    const { appender, write } = rig()
    for (const cluster of ['a', 'b', undefined, 'a']) write([series({ job: 'j' }, [0, 1])], cluster)
    expect(appender.dump().map(({ labels }) => labels['cluster'])).toEqual(['a', 'b', undefined])
    // Neither is a claim that one may make and another may not.
    expect(write([series({ cluster: 'b' }, [0, 1])], 'b').status).toBe(204)
    expect(write([series({ cluster: 'b' }, [0, 1])], 'a').status).toBe(400)
    expect(write([series({ cluster: 'b' }, [0, 1])]).status).toBe(204)
  })
})

describe('dropped series', () => {
  test('are resolved anew after they were forgotten', () => {
    const { appender, ingest, write } = rig()
    const request = [series({ cluster: 'a' }, [0, 1])]
    write(request)
    let asked = 0
    const find = appender.find.bind(appender)
    appender.find = (labels) => {
      asked++
      return find(labels)
    }
    write(request)
    expect(asked).toBe(0)
    ingest.forget(new Set([1]))
    expect(write(request).status).toBe(204)
    expect(asked).toBe(1)
  })
})

describe('a body that breaks', () => {
  const good = encodeWriteRequest([series({ cluster: 'a' }, [0, 1])])
  /** A request whose label fields are well framed and broken inside: found out on first sight of the series. */
  function brokenLabel(): Uint8Array {
    const broken = new ProtobufWriter()
    broken.text(1, '\u000a\u0063x')
    broken.bytes(2, Uint8Array.of(16, 1))
    const request = new ProtobufWriter()
    request.raw(good)
    request.bytes(1, broken.finish())
    return request.finish()
  }

  test.each([
    ['not snappy', good, 'snappy: corrupt input: got'],
    ['an empty body', new Uint8Array(0), 'snappy: corrupt input: got the end of the body, want the decoded length'],
    ['a cut snappy block', encodeSnappy(good).subarray(0, -1), 'snappy: corrupt input: got'],
    ['a cut request', encodeSnappy(Uint8Array.of(...good, ...good.subarray(0, -1))), 'protobuf: got a field of'],
    ['a good series before junk', encodeSnappy(Uint8Array.of(...good, 0x0b)), 'protobuf: got wire type 3 in field 1'],
    [
      'a broken label in the last series',
      encodeSnappy(brokenLabel()),
      'protobuf: got a field of 99 bytes, want at most 1',
    ],
    ['a body over the limit', encodeSnappy(new Uint8Array(2000)), 'got a block of 2000 bytes, want at most 1000'],
  ])('appends nothing and makes no series: %s', (_, body, want) => {
    const { appender, ingest } = rig({}, { decodedBytesMax: 1000 })
    const outcome = ingest.write(body, { nowMs: NOW_MS })
    expect(outcome).toMatchObject({ status: 400, samplesIn: 0, samplesTaken: 0 })
    expect(outcome.message).toContain(want)
    const reason = want.includes('a block of') ? 'request_too_large' : 'bad_encoding'
    expect(outcome.refusals).toEqual([{ reason, count: 1, example: outcome.message }])
    expect(appender.seriesCount).toBe(0)
    // And the next request is not disturbed.
    expect(ingest.write(encodeSnappy(good), { nowMs: NOW_MS })).toMatchObject({ status: 204, samplesTaken: 1 })
  })
})
