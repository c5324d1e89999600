import { FIXED64, LENGTH_DELIMITED, ProtobufWriter, VARINT } from './protobuf.ts'

/**
 * OTLP logs (opentelemetry-proto logs.proto and logs_service.proto), the sending side, for the simulated fleet: records
 * whose body is a JSON value, as the Collector's `k8sobjects` receiver makes them, in both encodings. Integers become
 * intValue, other numbers doubleValue, null the empty value. Zero values are left out.
 */
export interface SentResourceLogs {
  readonly attributes: Readonly<Record<string, string>>
  readonly scope: { readonly name: string; readonly version: string }
  readonly records: readonly SentLogRecord[]
}

export interface SentLogRecord {
  /** When it was seen. Such records have no time of their own. */
  readonly observedMs: number
  readonly attributes: Readonly<Record<string, string>>
  readonly body: JsonValue
}

export type JsonValue =
  null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue | undefined }

/** An ExportLogsServiceRequest as protobuf; a new array that the caller owns. */
export function encodeLogsRequest(resources: readonly SentResourceLogs[]): Uint8Array {
  const writers: ProtobufWriter[] = []
  const request = new ProtobufWriter()
  for (const resource of resources) {
    nested(request, 1, writers, 0, (one) => {
      nested(one, 1, writers, 1, (message) => {
        writeAttributes(message, 1, resource.attributes, writers, 2)
      })
      nested(one, 2, writers, 1, (scopeLogs) => {
        nested(scopeLogs, 1, writers, 2, (scope) => {
          scope.text(1, resource.scope.name)
          scope.text(2, resource.scope.version)
        })
        for (const record of resource.records) {
          nested(scopeLogs, 2, writers, 2, (message) => {
            writeRecord(message, record, writers)
          })
        }
      })
    })
  }
  return request.finish()
}

function writeRecord(message: ProtobufWriter, record: SentLogRecord, writers: ProtobufWriter[]): void {
  nested(message, 5, writers, 3, (body) => {
    writeValue(body, record.body, writers, 4)
  })
  writeAttributes(message, 6, record.attributes, writers, 3)
  const nanoseconds = BigInt(record.observedMs) * 1_000_000n
  message.tag(11, FIXED64)
  message.fixed64(Number(nanoseconds >> 32n), Number(nanoseconds & 0xffffffffn))
}

function writeAttributes(
  writer: ProtobufWriter,
  field: number,
  attributes: Readonly<Record<string, string>>,
  writers: ProtobufWriter[],
  depth: number,
): void {
  for (const [key, value] of Object.entries(attributes)) writeEntry(writer, field, key, value, writers, depth)
}

function writeEntry(
  writer: ProtobufWriter,
  field: number,
  key: string,
  value: JsonValue,
  writers: ProtobufWriter[],
  depth: number,
): void {
  nested(writer, field, writers, depth, (entry) => {
    entry.text(1, key)
    nested(entry, 2, writers, depth + 1, (any) => {
      writeValue(any, value, writers, depth + 2)
    })
  })
}

/** The one field of an AnyValue; nothing for null. */
function writeValue(writer: ProtobufWriter, value: JsonValue, writers: ProtobufWriter[], depth: number): void {
  if (value === null) return
  if (typeof value === 'string') {
    writer.text(1, value)
  } else if (typeof value === 'boolean') {
    writer.tag(2, VARINT)
    writer.varint(Number(value))
  } else if (typeof value === 'object') {
    writeTree(writer, value, writers, depth)
  } else if (Number.isSafeInteger(value)) {
    writer.tag(3, VARINT)
    writer.int64(value)
  } else {
    writer.tag(4, FIXED64)
    writer.double(value)
  }
}

function writeTree(
  writer: ProtobufWriter,
  value: Extract<JsonValue, object>,
  writers: ProtobufWriter[],
  depth: number,
): void {
  if (isList(value)) {
    nested(writer, 5, writers, depth, (list) => {
      for (const item of value) {
        nested(list, 1, writers, depth + 1, (any) => {
          writeValue(any, item, writers, depth + 2)
        })
      }
    })
    return
  }
  nested(writer, 6, writers, depth, (map) => {
    for (const [key, item] of Object.entries(value)) {
      if (item !== undefined) writeEntry(map, 1, key, item, writers, depth + 1)
    }
  })
}

/** `Array.isArray` does not narrow readonly arrays away. */
function isList(value: Extract<JsonValue, object>): value is readonly JsonValue[] {
  return Array.isArray(value)
}

/** A message inside another: one writer for each depth, used again and again. */
function nested(
  writer: ProtobufWriter,
  field: number,
  writers: ProtobufWriter[],
  depth: number,
  write: (message: ProtobufWriter) => void,
): void {
  const message = (writers[depth] ??= new ProtobufWriter())
  message.clear()
  write(message)
  writer.tag(field, LENGTH_DELIMITED)
  writer.varint(message.length)
  writer.raw(message.finish())
}

/** The same request as OTLP/JSON. */
export function logsRequestJson(resources: readonly SentResourceLogs[]): string {
  return JSON.stringify({
    resourceLogs: resources.map(({ attributes, scope, records }) => ({
      resource: { attributes: jsonEntries(attributes) },
      scopeLogs: [
        {
          scope,
          logRecords: records.map((record) => ({
            observedTimeUnixNano: String(BigInt(record.observedMs) * 1_000_000n),
            attributes: jsonEntries(record.attributes),
            body: anyValue(record.body),
          })),
        },
      ],
    })),
  })
}

function jsonEntries(map: { readonly [key: string]: JsonValue | undefined }): readonly object[] {
  return Object.entries(map).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value: anyValue(value) }]))
}

function anyValue(value: JsonValue): object {
  if (value === null) return {}
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  if (isList(value)) return { arrayValue: { values: value.map(anyValue) } }
  return { kvlistValue: { values: jsonEntries(value) } }
}
