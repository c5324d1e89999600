import fc from 'fast-check'
import type { AttributeValue } from '../../src/model/attribute.ts'
import type { LogsRequest, OtlpLogRecord, ResourceLogs } from '../../src/wire/otlp-logs.ts'
import type { OtlpScope } from '../../src/wire/otlp-resource.ts'
import { FIXED32 } from '../../src/wire/protobuf.ts'
import {
  attributeList,
  attributes,
  bits64,
  bytesOf,
  each,
  entryJson,
  integer,
  message,
  text,
  value,
  valueJson,
} from './otlp.ts'
import type { Write } from './otlp.ts'

/** OTLP logs requests as senders write them, in both encodings, and Kubernetes objects as a Collector puts them into one. */

type Resources = Pick<LogsRequest, 'resources'>

export function encodeLogsProtobuf({ resources }: Resources): Uint8Array {
  return bytesOf(
    each(resources, ({ resource, scopes }) =>
      message(
        1,
        message(1, attributes(1, resource.attributes), integer(2, resource.droppedAttributes)),
        each(scopes, ({ scope, records }) =>
          message(
            2,
            message(
              1,
              text(1, scope.name),
              text(2, scope.version),
              attributes(3, scope.attributes),
              integer(4, scope.droppedAttributes),
            ),
            each(records, (record) => message(2, recordOf(record))),
            text(3, scope.schemaUrl),
          ),
        ),
        text(3, resource.schemaUrl),
      ),
    ),
  )
}

function recordOf(record: OtlpLogRecord): Write {
  return (writer) => {
    bits64(1, record.timeNs)(writer)
    integer(2, record.severity)(writer)
    text(3, record.severityText)(writer)
    if (record.body !== undefined) value(5, record.body)(writer)
    attributes(6, record.attributes)(writer)
    integer(7, record.droppedAttributes)(writer)
    if (record.flags !== 0) {
      writer.tag(8, FIXED32)
      writer.raw(new Uint8Array(Uint32Array.of(record.flags).buffer))
    }
    if (record.traceId !== '') writer.bytes(9, Buffer.from(record.traceId, 'hex'))
    if (record.spanId !== '') writer.bytes(10, Buffer.from(record.spanId, 'hex'))
    bits64(11, record.observedNs)(writer)
    text(12, record.eventName)(writer)
  }
}

export function encodeLogsJson({ resources }: Resources): string {
  return JSON.stringify({
    unknown: [{}],
    resourceLogs: resources.map(({ resource, scopes }) => ({
      resource: {
        attributes: resource.attributes.map(entryJson),
        droppedAttributesCount: resource.droppedAttributes,
      },
      schemaUrl: resource.schemaUrl,
      scopeLogs: scopes.map(({ scope, records }) => ({
        scope: {
          name: scope.name,
          version: scope.version,
          attributes: scope.attributes.map(entryJson),
          droppedAttributesCount: scope.droppedAttributes,
        },
        schemaUrl: scope.schemaUrl,
        logRecords: records.map((record) => ({
          timeUnixNano: String(record.timeNs),
          observedTimeUnixNano: String(record.observedNs),
          severityNumber: record.severity,
          severityText: record.severityText,
          body: record.body === undefined ? undefined : valueJson(record.body),
          attributes: record.attributes.map(entryJson),
          droppedAttributesCount: record.droppedAttributes,
          flags: record.flags,
          traceId: record.traceId.toUpperCase(),
          spanId: record.spanId,
          eventName: record.eventName,
        })),
      })),
    })),
  })
}

const hexOf = (bytes: number): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constant(''),
    fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((id) => Buffer.from(id).toString('hex')),
  )
const count = fc.nat(1000)
const nanoseconds = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })

/** A body is the value of some attribute. */
const arbitraryRecord: fc.Arbitrary<OtlpLogRecord> = fc.record({
  timeNs: nanoseconds,
  observedNs: nanoseconds,
  severity: fc.nat(24),
  severityText: fc.string({ maxLength: 5 }),
  body: attributeList.map((list) => list[0]?.value),
  attributes: attributeList,
  droppedAttributes: count,
  flags: fc.nat(0xffffffff),
  traceId: hexOf(16),
  spanId: hexOf(8),
  eventName: fc.string({ maxLength: 5 }),
})

export const arbitraryLogsRequest: fc.Arbitrary<LogsRequest> = fc
  .array(
    fc.record({
      resource: fc.record({
        attributes: attributeList,
        droppedAttributes: count,
        schemaUrl: fc.constantFrom('', 'https://opentelemetry.io/schemas/1.44.0'),
      }),
      scopes: fc.array(
        fc.record({
          scope: fc.record({
            name: fc.string({ maxLength: 5 }),
            version: fc.constantFrom('', '1'),
            attributes: attributeList,
            droppedAttributes: count,
            schemaUrl: fc.constantFrom('', 'u'),
          }),
          records: fc.array(arbitraryRecord, { maxLength: 3 }),
        }),
        { maxLength: 2 },
      ),
    }),
    { maxLength: 2 },
  )
  .map((resources) => ({
    resources,
    recordCount: resources.flatMap(({ scopes }) => scopes).flatMap((s) => s.records).length,
  }))

/** A JSON value as the OTLP value that a Collector makes of it. */
export function otlpValueOf(json: unknown): AttributeValue {
  if (json === null || json === undefined) return undefined
  if (typeof json === 'string' || typeof json === 'boolean' || typeof json === 'number') return json
  if (Array.isArray(json)) return json.map(otlpValueOf)
  return { entries: Object.entries(json).map(([key, item]) => ({ key, value: otlpValueOf(item) })) }
}

const SCOPE: OtlpScope = {
  name: 'github.com/open-telemetry/opentelemetry-collector-contrib/receiver/k8sobjectsreceiver',
  version: '0.161.0',
  attributes: [],
  droppedAttributes: 0,
  schemaUrl: '',
}

/** A record of the `k8sobjects` receiver. @param type of the watch event; absent: a pull found it */
export function objectRecord(resource: string, object: unknown, observedMs: number, type?: string): OtlpLogRecord {
  const name = (object as { metadata?: { name?: string } }).metadata?.name ?? ''
  const watched =
    type === undefined
      ? []
      : [
          { key: 'event.domain', value: 'k8s' },
          { key: 'event.name', value: name },
        ]
  return plainRecord({
    observedNs: BigInt(observedMs) * 1_000_000n,
    attributes: [{ key: 'k8s.resource.name', value: resource }, ...watched],
    body: otlpValueOf(type === undefined ? object : { type, object }),
  })
}

export function plainRecord(fields: Partial<OtlpLogRecord>): OtlpLogRecord {
  return {
    timeNs: 0n,
    observedNs: 0n,
    severity: 0,
    severityText: '',
    body: undefined,
    attributes: [],
    droppedAttributes: 0,
    flags: 0,
    traceId: '',
    spanId: '',
    eventName: '',
    ...fields,
  }
}

/** Records of one resource. */
export function logsOf(
  records: readonly OtlpLogRecord[],
  resource: Readonly<Record<string, string>> = {},
): ResourceLogs {
  const list = Object.entries(resource).map(([key, item]) => ({ key, value: item }))
  return {
    resource: { attributes: list, droppedAttributes: 0, schemaUrl: '' },
    scopes: [{ scope: SCOPE, records }],
  }
}
