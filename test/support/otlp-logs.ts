import fc from 'fast-check'
import type { AttributeValue } from '../../src/model/attribute.ts'
import type { LogsRequest, OtlpLogRecord, ResourceLogs } from '../../src/wire/otlp/logs.ts'
import type { OtlpScope } from '../../src/wire/otlp/resource.ts'
import { arbitraryEnvelopes, envelopeJson, envelopeProtobuf, fixed32, hex } from './otlp-envelope.ts'
import {
  attributeList,
  attributes,
  bits64,
  each,
  entryJson,
  integer,
  message,
  text,
  value,
  valueJson,
  type Write,
} from './otlp.ts'

/** OTLP logs requests as senders write them, in both encodings, and Kubernetes objects as a Collector puts them into one. */

type Resources = Pick<LogsRequest, 'resources'>

export function encodeLogsProtobuf({ resources }: Resources): Uint8Array {
  return envelopeProtobuf(resources, ({ records }) => each(records, recordMessage))
}

function recordMessage(record: OtlpLogRecord): Write {
  return message(
    2,
    bits64(1, record.timeNs),
    integer(2, record.severity),
    text(3, record.severityText),
    ...(record.body === undefined ? [] : [value(5, record.body)]),
    attributes(6, record.attributes),
    integer(7, record.droppedAttributes),
    fixed32(8, record.flags),
    hex(9, record.traceId),
    hex(10, record.spanId),
    bits64(11, record.observedNs),
    text(12, record.eventName),
  )
}

export function encodeLogsJson({ resources }: Resources): string {
  return JSON.stringify({
    unknown: [{}],
    resourceLogs: resources.map((one) =>
      envelopeJson(one, 'scopeLogs', ({ records }) => ({ logRecords: records.map(recordJson) })),
    ),
  })
}

function recordJson(record: OtlpLogRecord): unknown {
  return {
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
  }
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

export const arbitraryLogsRequest: fc.Arbitrary<LogsRequest> = arbitraryEnvelopes(arbitraryRecord).map((envelopes) => {
  const resources = envelopes.map(({ resource, scopes }) => ({
    resource,
    scopes: scopes.map(({ scope, items }) => ({ scope, records: items })),
  }))
  return { resources, recordCount: resources.flatMap(({ scopes }) => scopes.flatMap(({ records }) => records)).length }
})

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
