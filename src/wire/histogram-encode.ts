import { CUSTOM_BOUNDS, type BucketCounts, type CounterReset, type Histogram } from '../model/histogram.ts'
import { FIXED64, LENGTH_DELIMITED, ProtobufWriter, VARINT } from './protobuf.ts'

/**
 * Encodes a Histogram message, which is common to remote write 1.0 and 2.0: the inverse of `histogram-field.ts`. Counts that
 * are all whole numbers are written as those of an integer histogram.
 */

const RESETS: readonly CounterReset[] = ['unknown', 'reset', 'continued', 'gauge']

/** The fields of the message. */
export function writeHistogramFields(writer: ProtobufWriter, histogram: Histogram, timeMs: number): void {
  const { count, sum, schema, zeroThreshold, zeroCount, positive, negative, customBounds, counterReset } = histogram
  const isInteger = [count, zeroCount, ...positive.counts, ...negative.counts].every(Number.isSafeInteger)
  if (isInteger) {
    writer.tag(1, VARINT)
    writer.varint(count)
  } else writeDouble(writer, 2, count)
  writeDouble(writer, 3, sum)
  writer.tag(4, VARINT)
  writer.zigzag(schema)
  if (schema !== CUSTOM_BOUNDS) {
    writeDouble(writer, 5, zeroThreshold)
    if (isInteger) {
      writer.tag(6, VARINT)
      writer.varint(zeroCount)
    } else writeDouble(writer, 7, zeroCount)
  }
  writeBuckets(writer, negative, isInteger, 8)
  writeBuckets(writer, positive, isInteger, 11)
  if (counterReset !== 'unknown') {
    writer.tag(14, VARINT)
    writer.varint(RESETS.indexOf(counterReset))
  }
  writer.tag(15, VARINT)
  writer.int64(timeMs)
  if (customBounds.length > 0) {
    writePacked(writer, 16, (packed) => {
      for (const bound of customBounds) packed.double(bound)
    })
  }
}

/** Spans in `field`, differences in the next one, counts in the one after. */
function writeBuckets(
  writer: ProtobufWriter,
  { indexes, counts }: BucketCounts,
  isInteger: boolean,
  field: number,
): void {
  if (indexes.length === 0) return
  let end = 0
  for (let from = 0; from < indexes.length;) {
    let to = from + 1
    while (to < indexes.length && indexes[to] === indexes[to - 1]! + 1) to++
    const span = new ProtobufWriter()
    span.tag(1, VARINT)
    span.zigzag(indexes[from]! - end)
    span.tag(2, VARINT)
    span.varint(to - from)
    writer.bytes(field, span.finish())
    end = indexes[to - 1]! + 1
    from = to
  }
  if (isInteger) {
    writePacked(writer, field + 1, (packed) => {
      counts.forEach((count, i) => {
        packed.zigzag(count - (counts[i - 1] ?? 0))
      })
    })
  } else {
    writePacked(writer, field + 2, (packed) => {
      counts.forEach((count) => {
        packed.double(count)
      })
    })
  }
}

function writePacked(writer: ProtobufWriter, field: number, write: (packed: ProtobufWriter) => void): void {
  const packed = new ProtobufWriter()
  write(packed)
  writer.tag(field, LENGTH_DELIMITED)
  writer.varint(packed.length)
  writer.raw(packed.finish())
}

function writeDouble(writer: ProtobufWriter, field: number, value: number): void {
  writer.tag(field, FIXED64)
  writer.double(value)
}
