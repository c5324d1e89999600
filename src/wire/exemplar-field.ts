import { EXEMPLAR_LABEL_RUNES_MAX, type Exemplar } from '../model/exemplar.ts'
import { Labels } from '../model/labels.ts'
import { readLabel, type RawLabel } from './label-fields.ts'
import { FIXED64, LENGTH_DELIMITED, VARINT, tagOf, type ProtobufReader } from './protobuf.ts'

/**
 * Reads an Exemplar message of remote write: labels 1, value 2, time 3; 1.0 and 2.0 differ only in the labels, which
 * are Label messages or references to symbols. `undefined` for one that cannot be stored: its labels exceed
 * OpenMetrics' limit, or are not a label set. Cold: senders send few, and none by default.
 */

const EXEMPLAR_LABELS = tagOf(1, LENGTH_DELIMITED)
const EXEMPLAR_REF = tagOf(1, VARINT)
const EXEMPLAR_VALUE = tagOf(2, FIXED64)
const EXEMPLAR_TIME = tagOf(3, VARINT)
const EXEMPLAR_FIELDS = 0b1110

/** Maximum bytes of a valid label set: longer ones are not decoded. */
const LABEL_BYTES_MAX = EXEMPLAR_LABEL_RUNES_MAX * 4

/** Label sets that are longer in number than this have empty labels, or are too long. */
const LABELS_MAX = EXEMPLAR_LABEL_RUNES_MAX

/** @throws DecodeError when it is not an Exemplar */
export function readExemplar(reader: ProtobufReader, end: number): Exemplar | undefined {
  const raw: RawLabel[] = []
  const { value, timeMs } = readFields(reader, end, (tag) => {
    if (tag !== EXEMPLAR_LABELS) return false
    const labelEnd = reader.lengthDelimitedEnd(end)
    const start = reader.position
    if (raw.length <= LABELS_MAX) raw.push(readLabel(reader.view, start, labelEnd - start, LABEL_BYTES_MAX))
    reader.position = labelEnd
    return true
  })
  return exemplarOf(raw, value, timeMs)
}

/**
 * @param symbol the text of a symbol, `undefined` when it is too long or not UTF-8; throws for a number beyond the table
 * @throws DecodeError when it is not an Exemplar
 */
export function readExemplarV2(
  reader: ProtobufReader,
  end: number,
  symbol: (ref: number, bytesMax: number) => string | undefined,
): Exemplar | undefined {
  const texts: (string | undefined)[] = []
  const push = (ref: number): void => {
    const text = symbol(ref, LABEL_BYTES_MAX)
    if (texts.length <= LABELS_MAX * 2) texts.push(text)
  }
  const { value, timeMs } = readFields(reader, end, (tag) => {
    if (tag === EXEMPLAR_REF) push(reader.varint32(end))
    else if (tag === EXEMPLAR_LABELS) {
      const refsEnd = reader.lengthDelimitedEnd(end)
      while (reader.position < refsEnd) push(reader.varint32(refsEnd))
    } else return false
    return true
  })
  if (texts.length % 2 === 1) return undefined
  const raw: RawLabel[] = []
  for (let i = 0; i < texts.length; i += 2) {
    raw.push({ name: texts[i], value: texts[i + 1], nameBytes: 0, valueBytes: 0 })
  }
  return exemplarOf(raw, value, timeMs)
}

function readFields(
  reader: ProtobufReader,
  end: number,
  labels: (tag: number) => boolean,
): { readonly value: number; readonly timeMs: number } {
  let value = 0
  let timeMs = 0
  while (reader.position < end) {
    const tag = reader.tag(end)
    if (tag === EXEMPLAR_VALUE) value = reader.double(end)
    else if (tag === EXEMPLAR_TIME) timeMs = reader.int64(end)
    else if (!labels(tag)) reader.skipUnknown(tag, end, EXEMPLAR_FIELDS)
  }
  return { value, timeMs }
}

function exemplarOf(raw: readonly RawLabel[], value: number, timeMs: number): Exemplar | undefined {
  const pairs = new Map<string, string>()
  for (const label of raw) {
    const { name, value: text, nameBytes, valueBytes } = label
    if (name === undefined || text === undefined || name === '' || pairs.has(name)) return undefined
    // A text that was too long to decode is known by its length.
    if (nameBytes > LABEL_BYTES_MAX || valueBytes > LABEL_BYTES_MAX) return undefined
    if (name.includes('\0') || text.includes('\0')) return undefined
    pairs.set(name, text)
  }
  const labels = Labels.fromPairs(pairs)
  return areExemplarLabels(labels) && Number.isSafeInteger(timeMs) ? { labels, value, timeMs } : undefined
}

/** Whether labels are short enough for an exemplar. */
export function areExemplarLabels(labels: Labels): boolean {
  let runes = 0
  for (const text of labels.flat) runes += Array.from(text).length
  return runes <= EXEMPLAR_LABEL_RUNES_MAX
}
