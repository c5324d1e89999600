import { DecodeError } from './decode-error.ts'
import { LENGTH_DELIMITED, ProtobufReader, tagOf } from './protobuf.ts'

/**
 * The label fields of a TimeSeries (prometheus/prompb types.proto, message Label), read for new series only. Cold:
 * known bytes are recognised before.
 */

const FORMAT = 'remote write'
const SERIES_LABEL = tagOf(1, LENGTH_DELIMITED)
const LABEL_NAME = tagOf(1, LENGTH_DELIMITED)
const LABEL_VALUE = tagOf(2, LENGTH_DELIMITED)
const LABEL_FIELDS = 0b110

/** One label as sent: unchecked, possibly empty or repeated. A text that is not UTF-8 is `undefined`. */
export interface RawLabel {
  readonly name: string | undefined
  readonly value: string | undefined
  readonly nameBytes: number
  readonly valueBytes: number
  /** True: both are valid texts (UTF-8, not empty, without U+0000); lengths are unchecked. */
  readonly isText?: boolean
}

// Without `ignoreBOM` a leading byte order mark would vanish, and two label sets would become one.
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export interface LabelLimits {
  /** Reading stops after one more label than this: the set will be refused anyway. */
  readonly labelsMax: number
  /** Longer texts are not decoded: they are returned empty, with their length, to be refused. */
  readonly textBytesMax: number
}

/**
 * The labels in `[start, start + length)` of `view`, in wire order.
 * @throws DecodeError when the bytes are not label fields
 */
export function readLabelFields(view: DataView, start: number, length: number, limits: LabelLimits): RawLabel[] {
  const reader = new ProtobufReader(new Uint8Array(view.buffer, view.byteOffset, view.byteLength))
  const end = start + length
  reader.position = start
  const labels: RawLabel[] = []
  while (reader.position < end && labels.length <= limits.labelsMax) {
    const at = reader.position
    if (reader.tag(end) !== SERIES_LABEL) throw new DecodeError(FORMAT, 'another field', 'a label', at)
    const labelEnd = reader.lengthDelimitedEnd(end)
    labels.push(readContents(reader, labelEnd, limits.textBytesMax))
  }
  return labels
}

/**
 * One label, from the content of its field.
 * @throws DecodeError when it is not a Label
 */
export function readLabel(view: DataView, start: number, length: number, textBytesMax: number): RawLabel {
  const reader = new ProtobufReader(new Uint8Array(view.buffer, view.byteOffset, view.byteLength))
  reader.position = start
  return readContents(reader, start + length, textBytesMax)
}

function readContents(reader: ProtobufReader, end: number, textBytesMax: number): RawLabel {
  let name = reader.bytes.subarray(0, 0)
  let value = name
  while (reader.position < end) {
    const tag = reader.tag(end)
    if (tag === LABEL_NAME) name = readContent(reader, end)
    else if (tag === LABEL_VALUE) value = readContent(reader, end)
    else reader.skipUnknown(tag, end, LABEL_FIELDS)
  }
  const label = {
    name: textOf(name, textBytesMax),
    value: textOf(value, textBytesMax),
    nameBytes: name.length,
    valueBytes: value.length,
  }
  return { ...label, isText: isText(label.name) && isText(label.value) }
}

function isText(text: string | undefined): boolean {
  return text !== undefined && text !== '' && !text.includes('\0')
}

function readContent(reader: ProtobufReader, end: number): Uint8Array {
  const contentEnd = reader.lengthDelimitedEnd(end)
  const content = reader.bytes.subarray(reader.position, contentEnd)
  reader.position = contentEnd
  return content
}

function textOf(bytes: Uint8Array, textBytesMax: number): string | undefined {
  if (bytes.length > textBytesMax) return ''
  try {
    return UTF8.decode(bytes)
  } catch {
    return undefined
  }
}
