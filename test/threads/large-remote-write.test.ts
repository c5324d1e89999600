import { describe, expect, test } from 'vitest'
import { Intake } from '../../src/ingest/intake.ts'
import { INGEST_DEFAULTS } from '../../src/ingest/options.ts'
import { createRemoteWriteIngest, type RemoteWriteIngest } from '../../src/ingest/remote-write.ts'
import type { WriteProtocol } from '../../src/ingest/write-outcome.ts'
import { Labels } from '../../src/model/labels.ts'
import { takingInSlicesWith, takingWith } from '../../src/threads/taking.ts'
import { ProtobufWriter } from '../../src/wire/protobuf.ts'
import { encodeWriteRequest } from '../../src/wire/remote-write-encode.ts'
import { encodeWriteRequestV2 } from '../../src/wire/remote-write-v2-encode.ts'
import { encodeSnappy } from '../../src/wire/snappy.ts'
import { NOW_MS, TempStore } from '../store/temp-store.ts'
import { writeBody } from '../support/remote-write.ts'

// A remote write request in slices (`RemoteWriteIngest.writeInSteps`), as the ingest worker runs a large one.

const SERIES = 5000
const DAY_MS = 86_400_000
const PADDING = 'x'.repeat(150)

/** Each tenth series has a sample that is refused, and each third is one that the store knows. */
const REQUEST = Array.from({ length: SERIES }, (_, i) => {
  const labels = { __name__: 'up', cluster: 'prague', pod: `pod-${i}`, padding: PADDING }
  const late = i % 10 === 9 ? DAY_MS : 0
  return { labels, samples: [0, 1].map((n) => ({ timeMs: NOW_MS + late + n, value: i + n })) }
})
const KNOWN = REQUEST.filter((_, i) => i % 3 === 0).map(({ labels }) => {
  return { labels, samples: [{ timeMs: NOW_MS - 1, value: 1 }] }
})
const ENCODED = REQUEST.map(({ labels, samples }) => ({ labels: Labels.of(labels), samples }))

/** What only the decoders in TypeScript read: an exemplar, a native histogram and metadata. */
function moreFields(): Uint8Array {
  const writer = new ProtobufWriter()
  for (let i = 0; i < 3000; i++) {
    const series = writer.open(1)
    for (const [name, value] of [
      ['__name__', 'seconds'],
      ['cluster', 'prague'],
      ['pod', `pod-${i}`],
    ] as const) {
      const label = writer.open(1)
      writer.text(1, name)
      writer.text(2, value)
      writer.close(label)
    }
    const histogram = writer.open(4)
    writer.tag(15, 0)
    writer.varint(NOW_MS + i)
    writer.close(histogram)
    const exemplar = writer.open(3)
    writer.tag(3, 0)
    writer.varint(NOW_MS)
    writer.close(exemplar)
    writer.close(series)
    const metadata = writer.open(3)
    writer.text(2, `family_${i}`)
    writer.text(4, 'Help.')
    writer.close(metadata)
  }
  return writer.finish()
}

const BODIES: readonly (readonly [what: string, protocol: WriteProtocol, request: Uint8Array])[] = [
  ['1.0 as stock senders write it', '1.0', encodeWriteRequest(ENCODED)],
  ['1.0 with histograms, exemplars and metadata', '1.0', Buffer.concat([encodeWriteRequest(ENCODED), moreFields()])],
  ['2.0', '2.0', encodeWriteRequestV2(ENCODED)],
]

function ingestInto({ writer }: TempStore): RemoteWriteIngest {
  const ingest = createRemoteWriteIngest({ intake: new Intake(writer.appender, INGEST_DEFAULTS) })
  ingest.write(writeBody(KNOWN), { nowMs: NOW_MS })
  return ingest
}

const small = (value: number): Uint8Array =>
  writeBody([{ labels: { __name__: 'up', cluster: 'berlin' }, samples: [{ timeMs: NOW_MS + value, value }] }])

describe.each(BODIES)('a request in slices, %s', (_what, protocol, request) => {
  const body = encodeSnappy(request)
  const context = { nowMs: NOW_MS, protocol }

  test('has the outcome that it has in one piece, and stores the same', async () => {
    const [whole, sliced] = [new TempStore(), new TempStore()]
    const expected = ingestInto(whole).write(body, context)
    await whole.writer.commit()
    expect(await takingInSlicesWith(sliced.writer)(ingestInto(sliced).writeInSteps(body, context))).toEqual(expected)
    expect(expected.samplesTaken).toBeGreaterThan(SERIES)
    expect(expected.refusals).toMatchObject([{ reason: 'too_far_ahead', count: SERIES / 5 }])
    const { seriesCount, headSamples, pendingBytes } = sliced.writer.stats()
    expect({ seriesCount, headSamples }).toEqual({
      seriesCount: whole.writer.stats().seriesCount,
      headSamples: whole.writer.stats().headSamples,
    })
    expect(pendingBytes).toBe(0)
    expect(sliced.reader.metadata()).toEqual(whole.reader.metadata())
  })

  test('shares the thread with other requests from its decoding on', () => {
    const store = new TempStore()
    const ingest = ingestInto(store)
    const steps = ingest.writeInSteps(body, context)
    let [pieces, outcome] = [0, steps.next()]
    for (; outcome.done !== true; outcome = steps.next()) {
      const other = ingest.write(small(pieces), { nowMs: NOW_MS })
      expect(other).toMatchObject({ status: 204, samplesTaken: 1 })
      pieces++
    }
    expect(pieces).toBeGreaterThan(2 * Math.floor(SERIES / 1024))
    const alone = ingestInto(new TempStore()).write(body, context)
    expect(outcome.value).toEqual(alone)
  })

  test('whose last label cannot be read has no effect', async () => {
    const store = new TempStore()
    const ingest = ingestInto(store)
    await store.writer.commit()
    const before = store.writer.stats()
    const bad = Buffer.from(request)
    // A byte that no UTF-8 text has, in the last pod or the last symbol with a number.
    bad[bad.lastIndexOf(Buffer.from(`pod-${SERIES - 1}`)) + 4] = 0xff
    const outcome = await takingInSlicesWith(store.writer)(ingest.writeInSteps(encodeSnappy(bad), context))
    expect(outcome).toEqual(ingestInto(new TempStore()).write(encodeSnappy(bad), context))
    if (outcome.status === 400 && outcome.samplesIn === 0) {
      const { seriesCount, headSamples } = store.writer.stats()
      expect({ seriesCount, headSamples }).toMatchObject({
        seriesCount: before.seriesCount,
        headSamples: before.headSamples,
      })
    }
  })

  test('cut anywhere is refused as in one piece', async () => {
    const store = new TempStore()
    const ingest = ingestInto(store)
    const { seriesCount } = store.writer.stats()
    for (const cut of [request.length - 1, Math.floor(request.length / 2)]) {
      const bad = encodeSnappy(request.subarray(0, cut))
      const outcome = await takingInSlicesWith(store.writer)(ingest.writeInSteps(bad, context))
      expect(outcome).toEqual(ingest.write(bad, context))
      expect(outcome).toMatchObject({ status: 400, samplesIn: 0, refusals: [{ reason: 'bad_encoding' }] })
    }
    const block = body.subarray(0, body.length - 5)
    expect(await takingInSlicesWith(store.writer)(ingest.writeInSteps(block, context))).toEqual(
      ingest.write(block, context),
    )
    expect(store.writer.stats().seriesCount).toBe(seriesCount)
  })
})

test('small requests are answered before the large one that came first', async () => {
  const store = new TempStore()
  const ingest = ingestInto(store)
  const series = Array.from({ length: 60_000 }, (_, i) => {
    return {
      labels: Labels.of({ __name__: 'up', cluster: 'prague', n: String(i) }),
      samples: [{ timeMs: NOW_MS, value: i }],
    }
  })
  const body = encodeSnappy(encodeWriteRequest(series))
  const events: string[] = []
  const large = takingInSlicesWith(store.writer)(ingest.writeInSteps(body, { nowMs: NOW_MS })).then((outcome) => {
    events.push('large')
    return outcome
  })
  const take = takingWith(store.writer)
  for (let i = 0; i < 3; i++) {
    await take(() => ingest.write(small(i), { nowMs: NOW_MS }))
    events.push(`small ${i}`)
  }
  expect(await large).toMatchObject({ status: 204, samplesTaken: 60_000 })
  expect(events).toEqual(['small 0', 'small 1', 'small 2', 'large'])
})
