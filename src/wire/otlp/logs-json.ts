import { LimitError } from '../decode-error.ts'
import {
  JsonAttributes,
  idField,
  messagesField,
  parseJsonObject,
  smallIntegerField,
  textField,
  timeNsField,
  type JsonObject,
} from './json.ts'
import type { LogsRequest, LogsRequestLimits, OtlpLogRecord } from './logs.ts'
import { resourceFromJson, scopeFromJson } from './resource.ts'

/** ExportLogsServiceRequest from JSON. */

/** @throws DecodeError when it is not such a request or holds more than the limits allow */
export function decodeLogsJson(bytes: Uint8Array, limits: LogsRequestLimits): LogsRequest {
  const attributes = new JsonAttributes(limits.attributesMax)
  let recordCount = 0
  const resources = messagesField(parseJsonObject(bytes), 'resourceLogs').map((resourceLogs) => ({
    resource: resourceFromJson(resourceLogs, attributes),
    scopes: messagesField(resourceLogs, 'scopeLogs').map((scopeLogs) => {
      const messages = messagesField(scopeLogs, 'logRecords')
      recordCount += messages.length
      if (recordCount > limits.recordsMax) {
        const got = `more than ${limits.recordsMax} log records in one request`
        throw new LimitError('otlp json', got, 'logRecords', limits.recordsMax)
      }
      return {
        scope: scopeFromJson(scopeLogs, attributes),
        records: messages.map((message) => recordOf(message, attributes, limits)),
      }
    }),
  }))
  return { resources, recordCount }
}

function recordOf(message: JsonObject, reader: JsonAttributes, limits: LogsRequestLimits): OtlpLogRecord {
  const attributes = reader.read(message)
  return {
    timeNs: timeNsField(message, 'timeUnixNano'),
    observedNs: timeNsField(message, 'observedTimeUnixNano'),
    severity: smallIntegerField(message, 'severityNumber'),
    severityText: textField(message, 'severityText'),
    body: reader.value(message, 'body', limits.skippedKeys?.(attributes)),
    attributes,
    droppedAttributes: smallIntegerField(message, 'droppedAttributesCount'),
    flags: smallIntegerField(message, 'flags'),
    traceId: idField(message, 'traceId'),
    spanId: idField(message, 'spanId'),
    eventName: textField(message, 'eventName'),
  }
}
