import fc from 'fast-check'
import { expect, test } from 'vitest'
import { writeHistogramFields } from '../../src/wire/histogram-encode.ts'
import { readHistogram } from '../../src/wire/histogram-field.ts'
import { ProtobufReader, ProtobufWriter } from '../../src/wire/protobuf.ts'
import { anyHistogram } from '../support/histograms.ts'

test('what is encoded is decoded as the same histogram', () => {
  fc.assert(
    fc.property(anyHistogram, fc.integer({ min: -(2 ** 50), max: 2 ** 50 }), (histogram, timeMs) => {
      const writer = new ProtobufWriter()
      writeHistogramFields(writer, histogram, timeMs)
      const bytes = writer.finish()
      expect(readHistogram(new ProtobufReader(bytes), bytes.length, 10_000)).toEqual({
        ...{ kind: 'histogram', timeMs, histogram },
      })
    }),
  )
})
