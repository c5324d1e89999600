import type { Steps } from '../../base/thread-slices.ts'
import { LimitError } from '../decode-error.ts'
import {
  JsonAttributes,
  idField,
  mapInSteps,
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
export function* decodeLogsJson(bytes: Uint8Array, limits: LogsRequestLimits): Steps<LogsRequest> {
  const attributes = new JsonAttributes(limits.attributesMax)
  let recordCount = 0
  const body = yield* parseJsonObject(bytes)
  const resources = yield* mapInSteps(messagesField(body, 'resourceLogs'), function* (resourceLogs) {
    const resource = resourceFromJson(resourceLogs, attributes)
    const scopes = yield* mapInSteps(messagesField(resourceLogs, 'scopeLogs'), function* (scopeLogs) {
      const messages = messagesField(scopeLogs, 'logRecords')
      recordCount += messages.length
      if (recordCount > limits.recordsMax) {
        const got = `more than ${limits.recordsMax} log records in one request`
        throw new LimitError('otlp json', got, 'logRecords', limits.recordsMax)
      }
      const scope = scopeFromJson(scopeLogs, attributes)
      const records: OtlpLogRecord[] = []
      for (const message of messages) {
        records.push(recordOf(message, attributes, limits))
        yield false
      }
      return { scope, records }
    })
    return { resource, scopes }
  })
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
