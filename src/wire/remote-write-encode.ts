import { STALE_HIGH_WORD, STALE_LOW_WORD } from '../model/sample.ts'
import type { Labels } from '../model/labels.ts'
import { FIXED64, LENGTH_DELIMITED, ProtobufWriter, VARINT } from './protobuf.ts'

/**
 * Remote write 1.0, the sending side (prometheus/prompb): label sets and samples to the bytes of a WriteRequest, for
 * the simulated fleet and the tests. Zero values are left out as stock senders leave them out. Compress with
 * `encodeSnappy`. No histograms, exemplars or metadata: nothing here has any to send.
 */

export interface WriteSample {
  readonly timeMs: number
  /** Ignored when `isStale`. */
  readonly value: number
  readonly isStale?: boolean
}

export interface WriteSeries {
  /** A label set, or its bytes as `encodeLabels` made them: senders that repeat themselves encode it once. */
  readonly labels: Labels | Uint8Array
  readonly samples: readonly WriteSample[]
}

/** The label fields of a TimeSeries, in the order of `labels`; that is sorted by name, as the protocol wants. */
export function encodeLabels(labels: Labels): Uint8Array {
  const fields = new ProtobufWriter()
  const label = new ProtobufWriter()
  for (const [name, value] of labels.pairs()) {
    label.clear()
    label.text(1, name)
    label.text(2, value)
    fields.bytes(1, label.finish())
  }
  return fields.finish()
}

/** A WriteRequest, not compressed; a new array that the caller owns. */
export function encodeWriteRequest(series: Iterable<WriteSeries>): Uint8Array {
  const request = new ProtobufWriter()
  const one = new ProtobufWriter()
  const sample = new ProtobufWriter()
  for (const { labels, samples } of series) {
    one.clear()
    one.raw(labels instanceof Uint8Array ? labels : encodeLabels(labels))
    for (const item of samples) {
      sample.clear()
      writeSample(sample, item)
      one.tag(2, LENGTH_DELIMITED)
      one.varint(sample.length)
      one.raw(sample.finish())
    }
    request.bytes(1, one.finish())
  }
  return request.finish()
}

/** The fields of a Sample, the same in 1.0 and 2.0. */
export function writeSample(writer: ProtobufWriter, sample: WriteSample): void {
  if (sample.isStale === true) {
    writer.tag(1, FIXED64)
    writer.fixed64(STALE_HIGH_WORD, STALE_LOW_WORD)
  } else if (!Object.is(sample.value, 0)) {
    // Minus zero is not the zero value: its bits are not all zero.
    writer.tag(1, FIXED64)
    writer.double(sample.value)
  }
  if (sample.timeMs !== 0) {
    writer.tag(2, VARINT)
    writer.int64(sample.timeMs)
  }
}
