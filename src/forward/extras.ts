import type { Exemplar } from '../model/exemplar.ts'
import { METRIC_TYPES, type MetricMetadata } from '../model/metadata.ts'
import type { SeriesRef } from '../model/series.ts'
import { FIXED64, ProtobufWriter, VARINT } from '../wire/protobuf.ts'
import type { LabelBytes } from './label-bytes.ts'

/** Requests of remote write 1.0 with exemplars, and with metadata: they are few, and sent beside the samples. */

export function encodeExemplars(
  labels: LabelBytes,
  exemplars: readonly { readonly ref: SeriesRef; readonly exemplar: Exemplar }[],
): Uint8Array {
  const writer = new ProtobufWriter()
  for (const { ref, exemplar } of exemplars) {
    const fields = labels.fieldsOf(ref)
    // Erased since.
    if (fields.length === 0) continue
    const series = writer.open(1)
    writer.raw(fields)
    const one = writer.open(3)
    for (const [name, value] of exemplar.labels.pairs()) {
      const label = writer.open(1)
      writer.text(1, name)
      writer.text(2, value)
      writer.close(label)
    }
    writer.tag(2, FIXED64)
    writer.double(exemplar.value)
    writer.tag(3, VARINT)
    writer.int64(exemplar.timeMs)
    writer.close(one)
    writer.close(series)
  }
  return writer.finish()
}

export function encodeMetadata(
  families: readonly { readonly family: string; readonly metadata: MetricMetadata }[],
): Uint8Array {
  const writer = new ProtobufWriter()
  for (const { family, metadata } of families) {
    const one = writer.open(3)
    writer.tag(1, VARINT)
    writer.varint(METRIC_TYPES.indexOf(metadata.type))
    writer.text(2, family)
    writer.text(4, metadata.help)
    writer.text(5, metadata.unit)
    writer.close(one)
  }
  return writer.finish()
}
