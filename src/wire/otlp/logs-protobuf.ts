import type { Steps } from '../../base/thread-slices.ts'
import type { KeyValue } from '../../model/attribute.ts'
import { readEnvelope } from './envelope.ts'
import type { LogsRequest, LogsRequestLimits, OtlpLogRecord } from './logs.ts'
import { OtlpReader, fieldBits, tooMany } from './protobuf.ts'
import { FIXED32, FIXED64, LENGTH_DELIMITED, VARINT, tagOf } from '../protobuf.ts'

/** ExportLogsServiceRequest from protobuf, with the liberties of the wire format: see otlp-metrics-protobuf.ts. */

/** @throws DecodeError when it is not such a request or holds more than the limits allow */
export function decodeLogsProtobuf(bytes: Uint8Array, limits: LogsRequestLimits): Steps<LogsRequest> {
  return new Decoder(new OtlpReader(bytes, limits.attributesMax), limits).request(bytes.length)
}

const bytesField = (field: number): number => tagOf(field, LENGTH_DELIMITED)
const TIME = tagOf(1, FIXED64)
const SEVERITY = tagOf(2, VARINT)
const SEVERITY_TEXT = bytesField(3)
const BODY = bytesField(5)
const ATTRIBUTES = bytesField(6)
const DROPPED = tagOf(7, VARINT)
const FLAGS = tagOf(8, FIXED32)
const TRACE_ID = bytesField(9)
const SPAN_ID = bytesField(10)
const OBSERVED_TIME = tagOf(11, FIXED64)
const EVENT_NAME = bytesField(12)
const RECORD_FIELDS = fieldBits(1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12)

class Decoder {
  readonly #reader: OtlpReader
  readonly #limits: LogsRequestLimits
  #records = 0

  constructor(reader: OtlpReader, limits: LogsRequestLimits) {
    this.#reader = reader
    this.#limits = limits
  }

  *request(end: number): Steps<LogsRequest> {
    const resources = yield* readEnvelope(this.#reader, end, {
      item: (recordEnd) => this.#item(recordEnd),
      scopeOf: (scope, records) => ({ scope, records }),
    })
    return { resources, recordCount: this.#records }
  }

  *#item(end: number): Steps<OtlpLogRecord> {
    if (++this.#records > this.#limits.recordsMax) throw tooMany('log records', this.#limits.recordsMax)
    yield false
    return this.#record(end)
  }

  #record(end: number): OtlpLogRecord {
    const reader = this.#reader
    const attributes: KeyValue[] = []
    const record = {
      timeNs: 0n,
      observedNs: 0n,
      severity: 0,
      severityText: '',
      body: undefined as OtlpLogRecord['body'],
      attributes,
      droppedAttributes: 0,
      flags: 0,
      traceId: '',
      spanId: '',
      eventName: '',
    }
    // The attributes define which parts of the body are needed, and come after it.
    let bodyAt = -1
    reader.fields(end, RECORD_FIELDS, (tag) => {
      if (tag === BODY) {
        bodyAt = reader.position
        reader.position = reader.lengthDelimitedEnd(end)
      } else if (tag === ATTRIBUTES) attributes.push(reader.keyValue(end))
      else if (tag === OBSERVED_TIME) record.observedNs = reader.nanoseconds(end)
      else if (tag === TIME) record.timeNs = reader.nanoseconds(end)
      else if (tag === SEVERITY) record.severity = reader.int64(end)
      else if (tag === SEVERITY_TEXT) record.severityText = reader.text(end)
      else if (tag === EVENT_NAME) record.eventName = reader.text(end)
      else if (tag === TRACE_ID) record.traceId = reader.hex(end)
      else if (tag === SPAN_ID) record.spanId = reader.hex(end)
      else if (tag === FLAGS) record.flags = reader.fixed32(end)
      else if (tag === DROPPED) record.droppedAttributes = reader.varint32(end)
      else return false
      return true
    })
    if (bodyAt !== -1) {
      reader.position = bodyAt
      record.body = reader.value(end, this.#limits.skippedKeys?.(attributes))
      reader.position = end
    }
    return record
  }
}
