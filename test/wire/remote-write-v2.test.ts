import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Labels } from '../../src/model/labels.ts'
import { isStaleAt } from '../../src/model/sample.ts'
import { DecodeError } from '../../src/wire/decode-error.ts'
import { readLabelFields } from '../../src/wire/label-fields.ts'
import { ProtobufWriter } from '../../src/wire/protobuf.ts'
import { encodeLabels, encodeWriteRequest, type WriteSample } from '../../src/wire/remote-write-encode.ts'
import { encodeWriteRequestV2 } from '../../src/wire/remote-write-v2-encode.ts'
import { WriteRequestV2Decoder } from '../../src/wire/remote-write-v2.ts'
import type { WriteBatch } from '../../src/wire/write-batch.ts'
import { histogramBytes, histogramOf, sentOf } from '../support/histograms.ts'

const LIMITS = { samplesMax: 1000, seriesMax: 1000, labelBytesMax: 1_000_000 }

function decode(bytes: Uint8Array, decoder = new WriteRequestV2Decoder(LIMITS)): WriteBatch {
  return decoder.decode(bytes, new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength))
}

function labelBytesOf(batch: WriteBatch, series: number): Uint8Array {
  const view = batch.labelView(series)
  const offset = batch.labelOffset(series)
  return new Uint8Array(view.buffer, view.byteOffset + offset, batch.labelBytes[series]).slice()
}

function labelsOf(batch: WriteBatch, series: number) {
  const limits = { labelsMax: 64, textBytesMax: 1024 }
  const raw = readLabelFields(batch.labelView(series), batch.labelOffset(series), batch.labelBytes[series]!, limits)
  return raw.map(({ name, value }) => [name, value])
}

function samplesOf(batch: WriteBatch, series: number): WriteSample[] {
  return Array.from({ length: batch.sampleEnd[series]! - batch.sampleStart(series) }, (_, i) => {
    const sample = batch.sampleStart(series) + i
    const isStale = isStaleAt(batch.valueBits, sample)
    return { timeMs: batch.timesMs[sample]!, value: isStale ? 0 : batch.values[sample]!, isStale }
  })
}

const varints = (...values: readonly number[]): Uint8Array => {
  const writer = new ProtobufWriter()
  for (const value of values) writer.varint(value)
  return writer.finish()
}

/** Fields of one message: texts and bytes are length-delimited, numbers varints. */
function message(...fields: readonly (readonly [field: number, content: string | number | Uint8Array])[]): Uint8Array {
  const writer = new ProtobufWriter()
  for (const [field, content] of fields) {
    if (typeof content === 'string') writer.text(field, content)
    else if (content instanceof Uint8Array) writer.bytes(field, content)
    else {
      writer.tag(field, 0)
      writer.int64(content)
    }
  }
  return writer.finish()
}

const SYMBOLS = [
  [4, ''],
  [4, '__name__'],
  [4, 'up'],
] as const
const UP = [['__name__', 'up']]
const AT_7 = [2, message([2, 7])] as const

describe('a round trip', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 })
  const labels = fc.dictionary(text, text, { maxKeys: 8 }).map((pairs) => Labels.of(pairs))
  const sample = fc.record({
    timeMs: fc.maxSafeInteger(),
    value: fc.double({ noNaN: true }),
    isStale: fc.constant(false),
  })
  const request = fc.array(fc.record({ labels, samples: fc.array(sample, { maxLength: 3 }) }), { maxLength: 12 })

  test('ends in the same columns as 1.0, label bytes included, whatever was decoded before', () => {
    const decoder = new WriteRequestV2Decoder(LIMITS)
    fc.assert(
      fc.property(request, (series) => {
        const batch = decode(encodeWriteRequestV2(series), decoder)
        expect(batch.seriesCount).toBe(series.length)
        series.forEach((one, i) => {
          expect(labelBytesOf(batch, i)).toEqual(encodeLabels(one.labels))
          expect(samplesOf(batch, i)).toEqual(one.samples)
        })
      }),
      { numRuns: 200 },
    )
  })

  test('keeps a stale marker by its bits, and a zero that is not on the wire', () => {
    const series = {
      labels: Labels.of({ __name__: 'up' }),
      samples: [
        { timeMs: 1, value: 0, isStale: true },
        { timeMs: 2, value: 0 },
      ],
    }
    const batch = decode(encodeWriteRequestV2([series]))
    expect(samplesOf(batch, 0)).toMatchObject([
      { timeMs: 1, isStale: true },
      { timeMs: 2, value: 0, isStale: false },
    ])
  })
})

describe('what the protocol allows', () => {
  test.each([
    ['symbols behind the series that use them', message([5, message([1, varints(1, 2)], AT_7)], ...SYMBOLS)],
    ['references one by one', message(...SYMBOLS, [5, message([1, 1], [1, 2], AT_7)])],
    ['references behind the samples', message(...SYMBOLS, [5, message(AT_7, [1, varints(1, 2)])])],
    ['unknown fields', message([9, 'x'], ...SYMBOLS, [5, message([1, varints(1, 2)], AT_7, [6, 5], [19, 'y'])])],
    ['a start time', message(...SYMBOLS, [5, message([1, varints(1, 2)], [2, message([2, 7], [3, 5])])])],
    ['no symbol for zero but the first', message(...SYMBOLS, [4, ''], [5, message([1, varints(1, 2)], AT_7)])],
  ])('%s', (_, bytes) => {
    const batch = decode(bytes)
    expect(labelsOf(batch, 0)).toEqual(UP)
    expect(samplesOf(batch, 0)).toEqual([{ timeMs: 7, value: 0, isStale: false }])
  })

  test('exemplars, histograms and metadata are counted; an empty metadata message is none', () => {
    const refs = [1, varints(1, 2)] as const
    const batch = decode(
      message(
        ...SYMBOLS,
        [5, message(refs, [3, ''], [3, ''], [4, ''], [5, message([1, 1])])],
        [5, message(refs, AT_7, [4, ''], [5, ''])],
      ),
    )
    const { seriesCount, histogramCount, exemplarCount, metadataCount } = batch
    expect({ seriesCount, histogramCount, exemplarCount, metadataCount }).toEqual({
      ...{ seriesCount: 2, histogramCount: 2, exemplarCount: 2, metadataCount: 1 },
    })
    expect([...batch.histograms.subarray(0, 2)]).toEqual([2, 0])
  })

  test('histograms are read as in 1.0, exemplars by their symbols, one by one or packed', () => {
    const histogram = histogramOf(2)
    const refs = [1, varints(1, 2)] as const
    const batch = decode(
      message(
        ...SYMBOLS,
        [4, 'trace_id'],
        [4, 'abc'],
        [5, message(refs, [3, histogramBytes(sentOf(histogram, 7))], [4, message([1, varints(3, 4)], [3, 9])])],
        [5, message(refs, [4, message([1, 3], [1, 4])], [4, message([1, 3])], [4, message([1, varints(0, 4)])])],
      ),
    )
    expect(batch.histogramAt(0, 100)).toEqual({ kind: 'histogram', timeMs: 7, histogram })
    expect(batch.exemplarCount).toBe(4)
    const labels = Labels.of({ trace_id: 'abc' })
    expect(batch.exemplars).toEqual([
      { series: 0, exemplar: { labels, value: 0, timeMs: 9 } },
      { series: 1, exemplar: { labels, value: 0, timeMs: 0 } },
    ])
  })

  test('the metadata of a metric is read once, under the name of its family', () => {
    const decoder = new WriteRequestV2Decoder(LIMITS)
    const symbols = ['', '__name__', 'h_bucket', 'h_count', 'Help.', 'seconds', 'up'].map((text) => [4, text] as const)
    const metadata = [5, message([1, 3], [3, 4], [4, 5])] as const
    const request = message(
      ...symbols,
      [5, message([1, varints(1, 2)], AT_7, metadata)],
      [5, message([1, varints(1, 2)], AT_7, metadata)],
      [5, message([1, varints(1, 3)], AT_7, metadata)],
      [5, message([1, varints(1, 6)], AT_7, [5, message([1, 2])])],
      [5, message(AT_7, metadata)],
    )
    const said = { family: 'h', metadata: { type: 'histogram', help: 'Help.', unit: 'seconds' } }
    const up = { family: 'up', metadata: { type: 'gauge', help: '', unit: '' } }
    expect(decode(request, decoder)).toMatchObject({ metadataCount: 5, metadata: [said, said, up] })
    expect(decode(request, decoder)).toMatchObject({ metadataCount: 5, metadata: [] })
    decoder.forgetMetadata()
    expect(decode(request, decoder).metadata).toHaveLength(3)
  })

  test.each([
    ['an exemplar', [4, message([1, 9])]],
    ['a help text', [5, message([1, 1], [3, 9])]],
    ['a unit', [5, message([1, 1], [4, 9])]],
  ] as const)('a symbol of %s that does not exist breaks the body', (_what, field) => {
    const bytes = message(...SYMBOLS, [5, message([1, varints(1, 2)], AT_7, field)])
    expect(() => decode(bytes)).toThrow(/reference 9, want one below 3/)
  })
})

describe('what is refused', () => {
  const up = message([1, varints(1, 2)], AT_7)
  test.each([
    ['nothing at all', message(), 'got no symbols, want a table that starts with an empty one'],
    ['no symbols', message([5, message(AT_7)]), 'got no symbols'],
    ['a first symbol that is not empty', message([4, 'up'], [5, up]), 'got a first symbol of 2 bytes, want an empty'],
    ['a reference past the end', message([4, ''], [5, up]), 'label reference 1, want one below 1, the number of'],
    [
      'a single one past the end',
      message(...SYMBOLS, [5, message([1, 1], [1, 3])]),
      'label reference 3, want one below',
    ],
    [
      'an odd number',
      message(...SYMBOLS, [5, message([1, varints(1, 2, 1)])]),
      '3 label references in one series, want',
    ],
    ['a reference of 33 bits', message(...SYMBOLS, [5, message([1, varints(2 ** 32)])]), 'a varint of more than 32'],
    ['a cut reference', message(...SYMBOLS, [5, message([1, Uint8Array.of(0x80)])]), 'want the rest of a varint'],
    ['a sample as a number', message(...SYMBOLS, [5, message([2, 1])]), 'wire type 0 in field 2'],
    ['a symbol as a number', message([4, 1]), 'wire type 0 in field 4'],
    ['too many samples', message(...SYMBOLS, [5, message(AT_7, AT_7, AT_7)]), 'more than 2 samples in one request'],
    ['too many series', message(...SYMBOLS, [5, ''], [5, ''], [5, '']), 'more than 2 series in one request'],
    ['labels that grow', message(...SYMBOLS, [5, up], [5, up]), 'labels of more than 20 bytes in one request'],
    ['1.0', encodeWriteRequest([{ labels: Labels.of({ a: 'b' }), samples: [] }]), 'got a request of remote write 1.0'],
    ['metadata of 1.0', message([3, 'x']), 'got a request of remote write 1.0'],
  ])('%s', (_, bytes, want) => {
    const decoder = new WriteRequestV2Decoder({ samplesMax: 2, seriesMax: 2, labelBytesMax: 20 })
    expect(() => decode(bytes, decoder)).toThrow(DecodeError)
    expect(() => decode(bytes, decoder)).toThrow(want)
    expect(labelsOf(decode(message(...SYMBOLS, [5, up]), decoder), 0)).toEqual(UP)
  })

  test('any bytes are decoded or refused, never anything else', () => {
    const good = encodeWriteRequestV2([
      { labels: Labels.of({ __name__: 'up', job: 'x' }), samples: [{ timeMs: 1, value: 2 }] },
    ])
    const edits = fc.array(fc.tuple(fc.nat({ max: good.length - 1 }), fc.nat({ max: 255 })), { maxLength: 4 })
    const mangled = fc.tuple(edits, fc.nat({ max: good.length })).map(([bytes, end]) => {
      const copy = good.slice(0, end)
      for (const [at, byte] of bytes) if (at < end) copy[at] = byte
      return copy
    })
    const decoder = new WriteRequestV2Decoder(LIMITS)
    fc.assert(
      fc.property(fc.oneof(mangled, fc.uint8Array({ maxLength: 64 })), (bytes) => {
        try {
          const batch = decode(bytes, decoder)
          for (let series = 0; series < batch.seriesCount; series++) labelsOf(batch, series)
        } catch (error) {
          expect(error).toBeInstanceOf(DecodeError)
        }
      }),
      { numRuns: 2000 },
    )
  })
})
