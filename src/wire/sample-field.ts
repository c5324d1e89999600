import { FIXED64, VARINT, tagOf, truncated, type ProtobufReader } from './protobuf.ts'
import type { WriteBatch } from './write-batch.ts'

/** A Sample message, which remote write 1.0 and 2.0 have in common: value 1, time 2; 2.0 adds a start time, skipped here. */

const SAMPLE_VALUE = tagOf(1, FIXED64)
const SAMPLE_TIME = tagOf(2, VARINT)
const SAMPLE_FIELDS = 0b110

/**
 * HOT: once per sample. Reads the message that ends at `end` into the next row of the batch; the caller has reserved
 * the row. The fast path is value, then time, and no other field; a zero value or time is absent on the wire.
 */
export function readSample(reader: ProtobufReader, end: number, batch: WriteBatch): void {
  // Values are moved as words: a float that passes through a register may lose the payload that makes it a stale marker.
  let low = 0
  let high = 0
  let timeMs = 0
  while (reader.position < end) {
    const tag = reader.tag(end)
    if (tag === SAMPLE_VALUE) {
      const at = reader.position
      if (at + 8 > end) throw truncated('a sample value', at)
      low = reader.view.getInt32(at, true)
      high = reader.view.getInt32(at + 4, true)
      reader.position = at + 8
    } else if (tag === SAMPLE_TIME) timeMs = reader.int64(end)
    else reader.skipUnknown(tag, end, SAMPLE_FIELDS)
  }
  const sample = batch.sampleCount
  batch.valueBits[sample * 2] = low
  batch.valueBits[sample * 2 + 1] = high
  batch.timesMs[sample] = timeMs
  batch.sampleCount = sample + 1
}
