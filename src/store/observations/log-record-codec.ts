import { hash } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import type { LogRecord } from '../../model/log-record.ts'
import { readAttributes, TextReader, TextTable, writeAttributes } from '../attribute-codec.ts'
import { ByteReader, ByteWriter, inflate, MalformedBytesError } from '../bytes.ts'

/**
 * The content of a log record: all but its time, sender, severity and trace. Equal contents are equal bytes.
 *
 * ```
 * payload | 1 plain, 2 deflated | texts | fields as attributes: severity_text, event_name, span_id, body, attributes |
 * ```
 */
type LogRecordContent = Pick<LogRecord, 'severityText' | 'eventName' | 'spanId' | 'body' | 'attributes'>

const PLAIN = 1
const DEFLATED = 2
/** Shorter ones win nothing by it. */
const DEFLATE_FROM_BYTES = 150
const INFLATED_BYTES_MAX = 4 * 1024 * 1024

export function packLogRecord({ severityText, eventName, spanId, body, attributes }: LogRecordContent): Uint8Array {
  const texts = new TextTable()
  const fields = new ByteWriter(256)
  writeAttributes(
    fields,
    [
      { key: 'severity_text', value: severityText },
      { key: 'event_name', value: eventName },
      { key: 'span_id', value: spanId },
      { key: 'body', value: body },
      { key: 'attributes', value: { entries: attributes } },
    ],
    texts,
  )
  const whole = new ByteWriter(fields.length + 256)
  texts.write(whole)
  const content = Buffer.concat([whole.take(), fields.take()])
  const isLong = content.length >= DEFLATE_FROM_BYTES
  const packed = isLong ? deflateRawSync(content, { memLevel: 6 }) : content
  return Buffer.concat([Uint8Array.of(isLong ? DEFLATED : PLAIN), packed])
}

/** 48 bits: a part of the row's key, and its checksum. */
export function payloadHash(payload: Uint8Array): number {
  return hash('sha1', payload, 'buffer').readUIntBE(0, 6)
}

/** @param stored of the row; undefined: not verified. Throws `MalformedBytesError`. */
export function unpackLogRecord(payload: Uint8Array, stored?: number): LogRecordContent {
  if (stored !== undefined && payloadHash(payload) !== stored) {
    throw new MalformedBytesError('a log record that differs from its hash')
  }
  const reader = new ByteReader(contentOf(payload))
  const texts = TextReader.read(reader)
  const [severityText, eventName, spanId, body, attributes] = readAttributes(reader, texts).map(({ value }) => value)
  const isWhole = typeof severityText === 'string' && typeof eventName === 'string' && typeof spanId === 'string'
  // Bytes and lists have a method of the name `entries`.
  const isMap = typeof attributes === 'object' && !Array.isArray(attributes) && !(attributes instanceof Uint8Array)
  if (!isWhole || !isMap) {
    throw new MalformedBytesError('a log record without its fields')
  }
  return {
    severityText,
    eventName,
    spanId,
    body,
    attributes: (attributes as { readonly entries: LogRecord['attributes'] }).entries,
  }
}

function contentOf(payload: Uint8Array): Uint8Array {
  const content = payload.subarray(1)
  if (payload[0] === PLAIN) return content
  if (payload[0] !== DEFLATED) throw new MalformedBytesError(`a log record of version ${payload[0] ?? 'none'}`)
  return inflate(content, INFLATED_BYTES_MAX)
}
