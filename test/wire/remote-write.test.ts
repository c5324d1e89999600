import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Labels } from '../../src/model/labels.ts'
import { isStaleAt } from '../../src/model/sample.ts'
import type { Histogram } from '../../src/model/histogram.ts'
import { DecodeError } from '../../src/wire/decode-error.ts'
import { readLabelFields } from '../../src/wire/label-fields.ts'
import { ProtobufWriter } from '../../src/wire/protobuf.ts'
import { encodeLabels, encodeWriteRequest, type WriteSample } from '../../src/wire/remote-write-encode.ts'
import { WriteRequestDecoder } from '../../src/wire/remote-write.ts'
import type { WriteBatch } from '../../src/wire/write-batch.ts'
import { histogramBytes, histogramOf, sentOf } from '../support/histograms.ts'

const LIMITS = { samplesMax: 100_000, seriesMax: 100_000 }
const LABEL_LIMITS = { labelsMax: 64, textBytesMax: 1024 }

function decode(bytes: Uint8Array, decoder = new WriteRequestDecoder(LIMITS)): WriteBatch {
  return decoder.decode(bytes, new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength))
}

/** A batch as plain values, labels in wire order. */
function plain(batch: WriteBatch) {
  return Array.from({ length: batch.seriesCount }, (_, series) => ({
    labels: readLabelFields(
      batch.labelView(series),
      batch.labelOffset(series),
      batch.labelBytes[series]!,
      LABEL_LIMITS,
    ).map(({ name, value }) => [name, value]),
    samples: Array.from({ length: batch.sampleEnd[series]! - batch.sampleStart(series) }, (_, i): WriteSample => {
      const sample = batch.sampleStart(series) + i
      const isStale = isStaleAt(batch.valueBits, sample)
      return { timeMs: batch.timesMs[sample]!, value: isStale ? 0 : batch.values[sample]!, isStale }
    }),
  }))
}

/** A message from `[field, content]` pairs; a number is a varint, `{ fixed64 }` eight bytes. */
type Field = readonly [number, Uint8Array | string | number | { readonly fixed64: readonly [number, number] }]
function message(...fields: readonly Field[]): Uint8Array {
  const writer = new ProtobufWriter()
  for (const [field, content] of fields) {
    if (typeof content === 'string') writer.text(field, content)
    else if (content instanceof Uint8Array) writer.bytes(field, content)
    else if (typeof content === 'number') {
      writer.tag(field, 0)
      writer.int64(content)
    } else {
      writer.tag(field, 1)
      writer.fixed64(...content.fixed64)
    }
  }
  return writer.finish()
}
const label = (name: string, value: string): Field => [1, message([1, name], [2, value])]
const ONE = { fixed64: [0x3ff00000, 0] } as const
const sample = (timeMs: number): Field => [2, message([1, ONE], [2, timeMs])]

describe('a round trip', () => {
  const labels = fc
    .dictionary(fc.string({ unit: 'grapheme', minLength: 1 }), fc.string({ unit: 'grapheme', minLength: 1 }))
    .map((record) => Labels.of({ ...record, __name__: 'm' }))
  const samples = fc.array(
    fc.record({
      timeMs: fc.maxSafeInteger(),
      value: fc.oneof(fc.double(), fc.constantFrom(0, -0, NaN, Infinity, -Infinity, 5e-324)),
      isStale: fc.boolean(),
    }),
  )

  test('keeps every series, sample and stale marker', () => {
    const decoder = new WriteRequestDecoder(LIMITS)
    fc.assert(
      fc.property(fc.array(fc.record({ labels, samples })), (series) => {
        expect(plain(decode(encodeWriteRequest(series), decoder))).toEqual(
          series.map(({ labels, samples }) => ({
            labels: [...labels.pairs()].map(([name, value]) => [name, value]),
            samples: samples.map((one) => (one.isStale ? { ...one, value: 0 } : one)),
          })),
        )
      }),
      { seed: 1, numRuns: 50 },
    )
  })

  test('labels encoded before are the same bytes', () => {
    const set = Labels.of({ __name__: 'up', job: 'a' })
    const samples = [{ timeMs: 1, value: 1 }]
    expect(encodeWriteRequest([{ labels: encodeLabels(set), samples }])).toEqual(
      encodeWriteRequest([{ labels: set, samples }]),
    )
  })

  test('grows its columns and goes on', () => {
    const many = Array.from({ length: 5000 }, (_, i) => ({
      labels: Labels.of({ __name__: 'm', i: String(i) }),
      samples: [
        { timeMs: i, value: i },
        { timeMs: i + 1, value: 0, isStale: true },
      ],
    }))
    const batch = decode(encodeWriteRequest(many))
    expect([batch.seriesCount, batch.sampleCount]).toEqual([5000, 10_000])
    expect(plain(batch)[4321]).toEqual({
      labels: [
        ['__name__', 'm'],
        ['i', '4321'],
      ],
      samples: [
        { timeMs: 4321, value: 4321, isStale: false },
        { timeMs: 4322, value: 0, isStale: true },
      ],
    })
  })
})

describe('what is on the wire', () => {
  test('zero values and times are absent', () => {
    const bytes = encodeWriteRequest([{ labels: Labels.of({ a: 'b' }), samples: [{ timeMs: 0, value: 0 }] }])
    expect(Buffer.from(bytes).toString('hex')).toBe('0a0a' + '0a060a01611201' + '62' + '1200')
    expect(plain(decode(bytes))[0]!.samples).toEqual([{ timeMs: 0, value: 0, isStale: false }])
  })

  test.each([
    ['the marker', 0x7ff00000, 2, true],
    ['a marker that was quieted', 0x7ff80000, 2, true],
    ['a usual NaN', 0x7ff80000, 1, false],
    ['infinity', 0x7ff00000, 0, false],
    ['the smallest value', 0, 2, false],
  ])('%s: stale %s %s is %s, and its bits stay', (_, high, low, want) => {
    const bytes = message([1, message(label('a', 'b'), [2, message([1, { fixed64: [high, low] }], [2, 7])])])
    const batch = decode(bytes)
    expect(isStaleAt(batch.valueBits, 0)).toBe(want)
    expect([...batch.valueBits.subarray(0, 2)]).toEqual([low, high])
  })

  test('time may stand before the value, and the last of repeated fields counts', () => {
    const bytes = message([1, message([2, message([2, 5], [1, ONE], [2, 6])])])
    expect(plain(decode(bytes))[0]!.samples).toEqual([{ timeMs: 6, value: 1, isStale: false }])
  })

  test('labels that stand apart are one label set', () => {
    const together = message([1, message(label('a', '1'), label('b', '2'), sample(1))])
    const apart = message(
      [1, message(label('x', '1'), sample(1), label('y', '2'), sample(2), label('z', '3'))],
      [1, message(label('a', '1'), [9, 'unknown'], label('b', '2'), sample(1))],
    )
    const batch = decode(apart)
    expect(plain(batch).map(({ labels }) => labels)).toEqual([
      [
        ['x', '1'],
        ['y', '2'],
        ['z', '3'],
      ],
      [
        ['a', '1'],
        ['b', '2'],
      ],
    ])
    // The collected bytes are those that would have stood there, so one series has one identity.
    const view = batch.labelView(1)
    const collected = new Uint8Array(view.buffer, batch.labelOffset(1), batch.labelBytes[1])
    expect([...collected]).toEqual([...together.subarray(2, 2 + collected.length)])
  })

  test('labels after the samples are found', () => {
    expect(plain(decode(message([1, message(sample(1), label('a', '1'))])))[0]!.labels).toEqual([['a', '1']])
  })

  test('a label of more than 127 bytes among short ones stays with them', () => {
    const long = 'v'.repeat(500)
    const bytes = message([1, message(label('a', '1'), label('b', long), label('c', '3'), sample(1))])
    expect(plain(decode(bytes))[0]!.labels).toEqual([
      ['a', '1'],
      ['b', long],
      ['c', '3'],
    ])
  })

  test('native histograms are found beside their series, and made one by one', () => {
    const [first, second] = [histogramOf(2), histogramOf(3)]
    const field = (histogram: Histogram) => [4, histogramBytes(sentOf(histogram, 7))] as const
    const batch = decode(
      message(
        [1, message(label('a', 'b'), field(first), field(second))],
        [1, message(label('a', 'c'), sample(1))],
        [1, message(label('a', 'd'), sample(1), field(first))],
      ),
    )
    expect(batch).toMatchObject({ histogramCount: 3, sampleCount: 2, seriesCount: 3 })
    expect([...batch.histograms.subarray(0, 3)]).toEqual([2, 0, 1])
    const made = [0, 1, 2].map((number) => batch.histogramAt(number, 100))
    expect(made).toEqual([first, second, first].map((histogram) => ({ kind: 'histogram', timeMs: 7, histogram })))
    expect(batch.histogramAt(1, 2)).toMatchObject({ kind: 'fault', fault: { reason: 'histogram_too_large' } })
  })

  test('exemplars are read beside their series, with or without samples', () => {
    const exemplar = (...labels: readonly Field[]) => [3, message(...labels, [2, ONE], [3, 9])] as const
    const long = 'x'.repeat(121)
    const batch = decode(
      message(
        [1, message(label('a', 'b'), exemplar(label('trace_id', 'abc'), label('empty', '')))],
        [1, message(label('a', 'c'), sample(1), exemplar(label('trace_id', `ž${long.slice(2)}`)), exemplar())],
        [1, message(label('a', 'd'), exemplar(label('trace_id', long)))],
        [1, message(label('a', 'e'), exemplar(label('', 'x')), exemplar(label('t', '1'), label('t', '2')))],
      ),
    )
    expect(batch.exemplarCount).toBe(6)
    const labels = [{ trace_id: 'abc' }, { trace_id: `ž${long.slice(2)}` }, {}]
    expect(batch.exemplars.map(({ series, exemplar: one }) => [series, one.labels.toObject()])).toEqual(
      [0, 1, 1].map((series, i) => [series, labels[i]]),
    )
    expect(batch.exemplars[0]!.exemplar).toMatchObject({ value: 1, timeMs: 9 })
  })

  test('metadata is read once, until it is to be read again', () => {
    const decoder = new WriteRequestDecoder(LIMITS)
    const metadata = message([1, 1], [2, 'm_total'], [4, 'Ems.'], [5, 'seconds'])
    const request = message([3, metadata], [3, message([1, 99], [2, 'n'])], [3, ''])
    const want = [
      { family: 'm_total', metadata: { type: 'counter', help: 'Ems.', unit: 'seconds' } },
      { family: 'n', metadata: { type: 'unknown', help: '', unit: '' } },
    ]
    expect(decode(request, decoder)).toMatchObject({ metadataCount: 3, metadata: want })
    expect(decode(request, decoder)).toMatchObject({ metadataCount: 3, metadata: [] })
    const other = message([3, message([1, 1], [2, 'm_total'], [4, 'Other.'])])
    expect(decode(other, decoder).metadata).toMatchObject([{ metadata: { help: 'Other.' } }])
    decoder.forgetMetadata()
    expect(decode(request, decoder)).toMatchObject({ metadata: want })
  })

  test.each([
    ['a histogram', message([1, message(label('a', 'b'), [4, 'x'])])],
    ['an exemplar', message([1, message(label('a', 'b'), [3, 'x'])])],
    ['a label of an exemplar', message([1, message(label('a', 'b'), [3, message([1, 'x'])])])],
    ['metadata', message([3, 'x'])],
  ])('%s that is none breaks the body', (_what, bytes) => {
    expect(() => decode(bytes)).toThrow(DecodeError)
  })

  test.each([
    ['histograms', message([1, message([4, ''], [4, ''], [4, ''])])],
    ['exemplars', message([1, message([3, ''], [3, ''], [3, ''])])],
    ['metadata', message([3, ''], [3, ''], [3, ''])],
  ])('more %s than the limit are refused', (what, bytes) => {
    const decoder = new WriteRequestDecoder({ samplesMax: 2, seriesMax: 2 })
    expect(() => decode(bytes, decoder)).toThrow(`more than 2 ${what} in one request`)
  })

  test('unknown fields are skipped at every level', () => {
    const bytes = message(
      [2, 'reserved'],
      [99, 5],
      [1, message([7, ONE], label('a', 'b'), [2, message([1, ONE], [3, 'new'], [2, 4])])],
    )
    expect(plain(decode(bytes))).toEqual([{ labels: [['a', 'b']], samples: [{ timeMs: 4, value: 1, isStale: false }] }])
  })

  test('an empty request has nothing', () => {
    expect(decode(new Uint8Array(0))).toMatchObject({ seriesCount: 0, sampleCount: 0, metadataCount: 0 })
  })

  test('a request after a bigger one has only its own', () => {
    const decoder = new WriteRequestDecoder(LIMITS)
    decode(message([1, message([3, ''])], [1, message(label('a', 'b'), sample(1), label('c', 'd'))], [3, '']), decoder)
    const batch = decode(message([1, message(sample(9))]), decoder)
    expect(batch).toMatchObject({ seriesCount: 1, sampleCount: 1, exemplarCount: 0, metadataCount: 0 })
    expect(plain(batch)).toEqual([{ labels: [], samples: [{ timeMs: 9, value: 1, isStale: false }] }])
  })
})

describe('refuses', () => {
  test.each([
    ['a series as a varint', message([1, 5]), 'got wire type 0 in field 1, want the type of that field'],
    ['metadata as a varint', message([3, 5]), 'got wire type 0 in field 3, want the type of that field'],
    ['a label as fixed64', message([1, message([1, ONE])]), 'got wire type 1 in field 1'],
    ['a sample as a varint', message([1, message([2, 5])]), 'got wire type 0 in field 2'],
    ['a value as a varint', message([1, message([2, message([1, 5])])]), 'got wire type 0 in field 1'],
    ['a time as a text', message([1, message([2, message([2, 'now'])])]), 'got wire type 2 in field 2'],
    [
      'a cut value',
      message([1, message([2, Uint8Array.of(9, 0, 0, 0)])]),
      'got the end of the message, want the rest of a sample value',
    ],
    [
      'a cut time',
      message([1, message([2, Uint8Array.of(16, 0x80)])]),
      'got the end of the message, want the rest of a varint',
    ],
    [
      'a label longer than its series',
      message([1, Uint8Array.of(10, 9, 1)]),
      'got a field of 9 bytes, want at most 1, at byte 3',
    ],
    ['a series longer than the body', Uint8Array.of(10, 9, 1), 'got a field of 9 bytes, want at most 1, at byte 1'],
    ['symbols of 2.0', message([4, ''], [4, 'up']), 'remote write: got a request of remote write 2.0, want one of 1.0'],
    ['series of 2.0', message([5, '']), 'remote write: got a request of remote write 2.0, want one of 1.0'],
  ])('%s', (_, bytes, want) => {
    expect(() => decode(bytes)).toThrow(DecodeError)
    expect(() => decode(bytes)).toThrow(want)
  })

  test('more series or samples than the limits, and takes exactly as many', () => {
    const limits = { seriesMax: 2, samplesMax: 3 }
    const request = (...counts: number[]): Uint8Array =>
      message(...counts.map((count): Field => [1, message(...Array.from({ length: count }, (_, i) => sample(i)))]))
    expect(decode(request(2, 1), new WriteRequestDecoder(limits)).sampleCount).toBe(3)
    expect(() => decode(request(2, 2), new WriteRequestDecoder(limits))).toThrow('more than 3 samples in one request')
    expect(() => decode(request(0, 0, 0), new WriteRequestDecoder(limits))).toThrow('more than 2 series in one request')
  })

  test('every cut of a request that is no request, and nothing else', () => {
    const bytes = encodeWriteRequest([
      { labels: Labels.of({ a: 'b' }), samples: [{ timeMs: -5, value: 1 }] },
      { labels: Labels.of({ a: 'c' }), samples: [{ timeMs: 5, value: 2 }] },
    ])
    const whole = Array.from({ length: bytes.length + 1 }, (_, cut) => cut).filter((cut) => {
      try {
        decode(bytes.subarray(0, cut))
        return true
      } catch (error) {
        expect(error).toBeInstanceOf(DecodeError)
        return false
      }
    })
    // Whole only where a series ends.
    expect(whole).toEqual([0, 2 + bytes[1]!, bytes.length])
  })
})

describe('label fields', () => {
  const read = (bytes: Uint8Array, limits = LABEL_LIMITS) =>
    readLabelFields(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), 0, bytes.length, limits)

  test('come as they were sent: unsorted, repeated, empty, value first', () => {
    const bytes = message(label('z', '1'), label('z', '1'), label('', ''), [1, message([2, 'v'], [7, 'new'], [1, 'n'])])
    expect(read(bytes).map(({ name, value }) => [name, value])).toEqual([
      ['z', '1'],
      ['z', '1'],
      ['', ''],
      ['n', 'v'],
    ])
  })

  test('a text that is not UTF-8 is undefined, and a byte order mark stays', () => {
    const bytes = message([1, message([1, Uint8Array.of(0xc3, 0x28)], [2, Uint8Array.of(0xff)])], label('\ufeffa', 'ž'))
    expect(read(bytes)).toEqual([
      { name: undefined, value: undefined, nameBytes: 2, valueBytes: 1, isText: false },
      { name: '\ufeffa', value: 'ž', nameBytes: 4, valueBytes: 2, isText: true },
    ])
  })

  test('reading stops one label after the limit, and long texts are not decoded', () => {
    const bytes = message(label('a', 'long'), label('b', ''), label('c', ''), label('d', ''))
    expect(
      read(bytes, { labelsMax: 2, textBytesMax: 3 }).map(({ name, value, valueBytes }) => [name, value, valueBytes]),
    ).toEqual([
      ['a', '', 4],
      ['b', '', 0],
      ['c', '', 0],
    ])
  })

  test.each([
    ['another field', message([2, 'x']), 'remote write: got another field, want a label, at byte 0'],
    ['a name as a varint', message([1, message([1, 5])]), 'got wire type 0 in field 1'],
    [
      'a value longer than its label',
      message([1, Uint8Array.of(18, 9)]),
      'got a field of 9 bytes, want at most 0, at byte 3',
    ],
  ])('refuse %s', (_, bytes, want) => {
    expect(() => read(bytes)).toThrow(want)
  })
})
