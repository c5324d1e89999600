import { FIXED64, ProtobufWriter, VARINT } from '../protobuf.ts'

/**
 * OTLP logs (opentelemetry-proto logs.proto and logs_service.proto), the sending side, for the simulated fleet: records
 * with a JSON value as body, as the Collector's `k8sobjects` receiver makes them, in both encodings. Integers become
 * intValue, other numbers doubleValue, null the empty value. Zero values are omitted.
 */
export interface SentResourceLogs {
  readonly attributes: Readonly<Record<string, string>>
  readonly scope: { readonly name: string; readonly version: string }
  readonly records: readonly SentLogRecord[]
}

export interface SentLogRecord {
  /** Time of the observation. Such records have no other time. */
  readonly observedMs: number
  readonly attributes: Readonly<Record<string, string>>
  readonly body: JsonValue
}

export type JsonValue =
  null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue | undefined }

/** An ExportLogsServiceRequest as protobuf; a new array that the caller owns. */
export function encodeLogsRequest(resources: readonly SentResourceLogs[]): Uint8Array {
  const request = new ProtobufWriter()
  for (const resource of resources) {
    nested(request, 1, () => {
      nested(request, 1, () => {
        writeAttributes(request, 1, resource.attributes)
      })
      nested(request, 2, () => {
        nested(request, 1, () => {
          request.text(1, resource.scope.name)
          request.text(2, resource.scope.version)
        })
        for (const record of resource.records) {
          nested(request, 2, () => {
            writeRecord(request, record)
          })
        }
      })
    })
  }
  return request.finish()
}

function writeRecord(message: ProtobufWriter, record: SentLogRecord): void {
  nested(message, 5, () => {
    writeValue(message, record.body)
  })
  writeAttributes(message, 6, record.attributes)
  const nanoseconds = BigInt(record.observedMs) * 1_000_000n
  message.tag(11, FIXED64)
  message.fixed64(Number(nanoseconds >> 32n), Number(nanoseconds & 0xffffffffn))
}

function writeAttributes(writer: ProtobufWriter, field: number, attributes: Readonly<Record<string, string>>): void {
  for (const [key, value] of Object.entries(attributes)) writeEntry(writer, field, key, value)
}

function writeEntry(writer: ProtobufWriter, field: number, key: string, value: JsonValue): void {
  nested(writer, field, () => {
    writer.text(1, key)
    nested(writer, 2, () => {
      writeValue(writer, value)
    })
  })
}

/** The one field of an AnyValue; nothing for null. */
function writeValue(writer: ProtobufWriter, value: JsonValue): void {
  if (value === null) return
  if (typeof value === 'string') {
    writer.text(1, value)
  } else if (typeof value === 'boolean') {
    writer.tag(2, VARINT)
    writer.varint(Number(value))
  } else if (typeof value === 'object') {
    writeTree(writer, value)
  } else if (Number.isSafeInteger(value)) {
    writer.tag(3, VARINT)
    writer.int64(value)
  } else {
    writer.tag(4, FIXED64)
    writer.double(value)
  }
}

function writeTree(writer: ProtobufWriter, value: Extract<JsonValue, object>): void {
  if (isList(value)) {
    nested(writer, 5, () => {
      for (const item of value) {
        nested(writer, 1, () => {
          writeValue(writer, item)
        })
      }
    })
    return
  }
  nested(writer, 6, () => {
    for (const [key, item] of Object.entries(value)) {
      if (item !== undefined) writeEntry(writer, 1, key, item)
    }
  })
}

/** `Array.isArray` does not narrow readonly arrays away. */
function isList(value: Extract<JsonValue, object>): value is readonly JsonValue[] {
  return Array.isArray(value)
}

/** Writes a nested message in place. */
function nested(writer: ProtobufWriter, field: number, write: () => void): void {
  const opened = writer.open(field)
  write()
  writer.close(opened)
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
