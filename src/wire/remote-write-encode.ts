import { STALE_HIGH_WORD, STALE_LOW_WORD } from '../model/sample.ts'
import type { Labels } from '../model/labels.ts'
import { FIXED64, ProtobufWriter, VARINT } from './protobuf.ts'

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
  /** A label set, or the bytes of one as `encodeLabels` makes them: for what no `Labels` can be. */
  readonly labels: Labels | Uint8Array
  readonly samples: readonly WriteSample[]
}

/** The label fields of a TimeSeries, in the order of `labels`, sorted by name as the protocol requires. */
export function encodeLabels(labels: Labels): Uint8Array {
  const fields = new ProtobufWriter()
  writeLabels(fields, labels)
  return fields.finish()
}

/** A WriteRequest, not compressed; a new array that the caller owns. */
export function encodeWriteRequest(series: Iterable<WriteSeries>): Uint8Array {
  const request = new ProtobufWriter()
  for (const { labels, samples } of series) {
    const one = request.open(1)
    if (labels instanceof Uint8Array) request.raw(labels)
    else writeLabels(request, labels)
    for (const item of samples) {
      const sample = request.open(2)
      writeSample(request, item)
      request.close(sample)
    }
    request.close(one)
  }
  return request.finish()
}

// HOT: for each series of a request.
function writeLabels(writer: ProtobufWriter, { flat }: Labels): void {
  for (let i = 0; i < flat.length; i += 2) {
    const label = writer.open(1)
    writer.text(1, flat[i]!)
    writer.text(2, flat[i + 1]!)
    writer.close(label)
  }
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
