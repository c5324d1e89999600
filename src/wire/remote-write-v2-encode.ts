import type { Histogram } from '../model/histogram.ts'
import type { Labels } from '../model/labels.ts'
import { writeHistogramFields } from './histogram-encode.ts'
import { LENGTH_DELIMITED, ProtobufWriter } from './protobuf.ts'
import { writeSample, type WriteSample } from './remote-write-encode.ts'

/**
 * Remote write 2.0, the sending side (io.prometheus.write.v2): label sets and samples to the bytes of a Request, symbols
 * in the order of their first use. Compress with `encodeSnappy`.
 */
interface WriteSeriesV2 {
  readonly labels: Labels
  readonly samples: readonly WriteSample[]
  readonly histograms?: readonly { readonly timeMs: number; readonly histogram: Histogram }[]
}

/** A Request, not compressed; a new array that the caller owns. */
export function encodeWriteRequestV2(series: Iterable<WriteSeriesV2>): Uint8Array {
  const numbers = new Map([['', 0]])
  const refOf = (text: string): number => {
    const number = numbers.get(text) ?? numbers.size
    numbers.set(text, number)
    return number
  }
  const all = new ProtobufWriter()
  const one = new ProtobufWriter()
  const part = new ProtobufWriter()
  for (const { labels, samples, histograms = [] } of series) {
    one.clear()
    part.clear()
    for (const [name, value] of labels.pairs()) {
      part.varint(refOf(name))
      part.varint(refOf(value))
    }
    one.bytes(1, part.finish())
    for (const sample of samples) {
      part.clear()
      writeSample(part, sample)
      one.tag(2, LENGTH_DELIMITED)
      one.varint(part.length)
      one.raw(part.finish())
    }
    for (const { timeMs, histogram } of histograms) {
      part.clear()
      writeHistogramFields(part, histogram, timeMs)
      one.bytes(3, part.finish())
    }
    all.bytes(5, one.finish())
  }
  const request = new ProtobufWriter()
  for (const symbol of numbers.keys()) request.text(4, symbol)
  request.raw(all.finish())
  return request.finish()
}
