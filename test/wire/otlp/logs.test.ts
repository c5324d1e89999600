import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DecodeError } from '../../../src/wire/decode-error.ts'
import { decodeLogsJson } from '../../../src/wire/otlp/logs-json.ts'
import { decodeLogsProtobuf } from '../../../src/wire/otlp/logs-protobuf.ts'
import type { LogsRequest, OtlpLogRecord } from '../../../src/wire/otlp/logs.ts'
import { arbitraryDamage, damaged } from '../../support/damage.ts'
import {
  arbitraryLogsRequest,
  encodeLogsJson,
  encodeLogsProtobuf,
  logsOf,
  plainRecord,
} from '../../support/otlp-logs.ts'
import { atOnce } from '../../support/at-once.ts'

const LIMITS = { recordsMax: 1000, attributesMax: 10_000 }
const GOLDEN = resolve(import.meta.dirname, '../../../../shared/golden')
const fromProtobuf = (bytes: Uint8Array, limits = LIMITS): LogsRequest => atOnce(decodeLogsProtobuf(bytes, limits))
const fromJson = (text: string | Uint8Array, limits = LIMITS): LogsRequest =>
  atOnce(decodeLogsJson(Buffer.from(text), limits))
const oneRecord = (record: unknown): string =>
  JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords: [record] }] }] })
const recordIn = (request: LogsRequest): OtlpLogRecord => request.resources[0]!.scopes[0]!.records[0]!

describe('both encodings', () => {
  test('one request is one thing in either', () => {
    fc.assert(
      fc.property(arbitraryLogsRequest, (request) => {
        expect(fromProtobuf(encodeLogsProtobuf(request))).toEqual(request)
        expect(fromJson(encodeLogsJson(request))).toEqual(request)
      }),
      { seed: 1, numRuns: 150 },
    )
  })

  test('whatever bytes come, they are a request or a DecodeError', () => {
    fc.assert(
      fc.property(arbitraryLogsRequest, arbitraryDamage, (request, damage) => {
        for (const [encoded, decode] of [
          [encodeLogsProtobuf(request), fromProtobuf],
          [Buffer.from(encodeLogsJson(request)), fromJson],
        ] as const) {
          try {
            decode(damaged(encoded, damage))
          } catch (error) {
            expect(error).toBeInstanceOf(DecodeError)
          }
        }
      }),
      { seed: 2, numRuns: 200 },
    )
  })

  test('what is passed over is not there, and does not count', () => {
    const body = {
      entries: [
        { key: 'kept', value: 'yes' },
        { key: 'big', value: Array.from({ length: 50 }, (_, i) => i) },
        { key: 'inner', value: { entries: [{ key: 'big', value: { entries: [{ key: 'deep', value: 1 }] } }] } },
      ],
    }
    const request = { resources: [logsOf([plainRecord({ body, attributes: [{ key: 'watched', value: true }] })])] }
    const limits = { recordsMax: 1, attributesMax: 10, skippedKeys: () => new Set(['big']) }
    const want = {
      entries: [
        body.entries[0],
        { key: 'big', value: undefined },
        { key: 'inner', value: { entries: [{ key: 'big', value: undefined }] } },
      ],
    }
    expect(recordIn(fromProtobuf(encodeLogsProtobuf(request), limits)).body).toEqual(want)
    expect(recordIn(fromJson(encodeLogsJson(request), limits)).body).toEqual(want)
    const none = { ...limits, skippedKeys: (): undefined => undefined }
    expect(() => fromProtobuf(encodeLogsProtobuf(request), none)).toThrow('more than 10 attributes')
    expect(() => fromJson(encodeLogsJson(request), none)).toThrow('more than 10 attributes')
  })

  test('more records than the limit are refused in either', () => {
    const request = { resources: [logsOf([plainRecord({}), plainRecord({})])] }
    const limits = { recordsMax: 1, attributesMax: 10 }
    for (const decode of [
      () => fromProtobuf(encodeLogsProtobuf(request), limits),
      () => fromJson(encodeLogsJson(request), limits),
    ]) {
      expect(decode).toThrow('more than 1 log records in one request')
    }
  })
})

test.each([
  [{ severityNumber: 'INFO' }, 'severityNumber'],
  [{ timeUnixNano: -1 }, 'timeUnixNano'],
  [{ observedTimeUnixNano: '1.5' }, 'observedTimeUnixNano'],
  [{ body: 'text' }, 'body'],
  [{ body: { kvlistValue: { values: [1] } } }, 'values'],
  [{ attributes: {} }, 'attributes'],
  [{ traceId: 7 }, 'traceId'],
])('JSON of the wrong type names its field: %j', (record, field) => {
  expect(() => fromJson(oneRecord(record))).toThrow(field)
})

test('integers are taken as numbers and as texts, ids in any case', () => {
  const lenient = fromJson(
    oneRecord({
      timeUnixNano: 1_787_220_000_000_000_000,
      observedTimeUnixNano: '1787220000000000001',
      severityNumber: '9',
      traceId: '5B8EFFF798038103D269B633813FC60C',
      newField: {},
    }),
  )
  expect(recordIn(lenient)).toMatchObject({
    timeNs: 1_787_220_000_000_000_000n,
    observedNs: 1_787_220_000_000_000_001n,
    severity: 9,
    traceId: '5b8efff798038103d269b633813fc60c',
  })
})

// They live beside the project, and only there.
describe.skipIf(!existsSync(GOLDEN))('golden bodies', () => {
  test.each(['logs-basic', 'logs-k8s-watch', 'logs-k8s-watch-one', 'logs-k8s-pull'])(
    '%s is one thing in both',
    (name) => {
      const protobuf = fromProtobuf(readFileSync(`${GOLDEN}/otlp/${name}.pb`))
      expect(fromJson(readFileSync(`${GOLDEN}/otlp/${name}.json`))).toEqual(protobuf)
      expect(protobuf.recordCount).toBe({ 'logs-basic': 4, 'logs-k8s-watch': 8, 'logs-k8s-watch-one': 1 }[name] ?? 2)
    },
  )

  test('what the JavaScript SDK sent is the same in both', () => {
    const protobuf = fromProtobuf(gunzipSync(readFileSync(`${GOLDEN}/captured/otel-js-0.223-logs.pb.gz`)))
    const json = fromJson(readFileSync(`${GOLDEN}/captured/otel-js-0.223-logs.json`))
    const fields = { eventName: 'my.event', severity: 9, severityText: 'INFO', attributes: [{ key: 'k', value: 'v' }] }
    expect(recordIn(protobuf)).toMatchObject(fields)
    expect(recordIn(json)).toMatchObject(fields)
    expect(recordIn(json).body).toEqual({
      entries: [
        { key: 'msg', value: 'hi' },
        { key: 'n', value: 1 },
      ],
    })
  })

  test.each(['bad-truncated.pb', 'bad-wiretype.pb'])('%s is a DecodeError', (name) => {
    expect(() => fromProtobuf(readFileSync(`${GOLDEN}/otlp/${name}`))).toThrow(DecodeError)
  })

  test.each(['bad-json.json', 'bad-json-type.json'])('%s is a DecodeError or no logs', (name) => {
    const read = (): LogsRequest => fromJson(readFileSync(`${GOLDEN}/otlp/${name}`))
    if (name === 'bad-json.json') expect(read).toThrow(DecodeError)
    else expect(() => read().recordCount).not.toThrow(TypeError)
  })
})
