import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DecodeError, LimitError } from '../../../src/wire/decode-error.ts'
import { decodeTracesJson } from '../../../src/wire/otlp/traces-json.ts'
import { decodeTracesProtobuf } from '../../../src/wire/otlp/traces-protobuf.ts'
import type { TracesRequest } from '../../../src/wire/otlp/traces.ts'
import {
  arbitraryTraces,
  encodeTracesJson,
  encodeTracesProtobuf,
  otlpSpan,
  tracesOf,
} from '../../support/otlp-traces.ts'
import { atOnce } from '../../support/at-once.ts'

const GOLDEN = resolve(import.meta.dirname, '../../../../shared/golden')
const read = (name: string): Buffer => readFileSync(resolve(GOLDEN, name))
const LIMITS = { spansMax: 1000, attributesMax: 10_000 }

function fromProtobuf(bytes: Uint8Array, limits = LIMITS): TracesRequest {
  return atOnce(decodeTracesProtobuf(bytes, limits))
}
function fromJson(text: string | Uint8Array, limits = LIMITS): TracesRequest {
  return atOnce(decodeTracesJson(Buffer.from(text as string), limits))
}

test('one request is one thing in either encoding', () => {
  fc.assert(
    fc.property(arbitraryTraces, (request) => {
      expect(fromProtobuf(encodeTracesProtobuf(request))).toEqual(request)
      expect(fromJson(encodeTracesJson(request))).toEqual(request)
    }),
    { numRuns: 60 },
  )
})

describe('hostile input', () => {
  test('whatever bytes come, they are a request or a DecodeError', () => {
    const good = encodeTracesProtobuf(tracesOf({ 'service.name': 'hco' }, otlpSpan(), otlpSpan({ name: 'sync' })))
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array({ maxLength: 60 }),
          fc.tuple(fc.nat(good.length - 1), fc.nat(255)).map(([place, byte]) => good.with(place, byte)),
          fc.nat(good.length).map((length) => good.slice(0, length)),
        ),
        (bytes) => {
          expectRequestOrDecodeError(() => fromProtobuf(bytes))
          expectRequestOrDecodeError(() => fromJson(bytes))
        },
      ),
    )
  })

  test('any JSON value is a request or a DecodeError', () => {
    const names = ['resourceSpans', 'scopeSpans', 'spans', 'traceId', 'events', 'links', 'status', 'kind', 'flags', 'x']
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.jsonValue({ maxDepth: 0 }),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 4 }),
      ),
    }))
    fc.assert(
      fc.property(value, (given) => {
        expectRequestOrDecodeError(() => fromJson(JSON.stringify(given)))
        const inside = { resourceSpans: [{ scopeSpans: [{ spans: [given] }] }] }
        expectRequestOrDecodeError(() => fromJson(JSON.stringify(inside)))
      }),
    )
  })

  test.each<[string, unknown]>([
    ['a list that is none', { resourceSpans: 'x' }],
    ['a span that is none', inSpan('x')],
    ['a time with a point', inSpan({ startTimeUnixNano: 1.5 })],
    ['a negative time', inSpan({ endTimeUnixNano: '-1' })],
    ['a kind of no name', inSpan({ kind: 'SERVER' })],
    ['a negative count', inSpan({ droppedLinksCount: -1 })],
    ['flags of more than 32 bits', inSpan({ flags: 2 ** 32 })],
  ])('%s is no request', (_what, body) => {
    expect(() => fromJson(JSON.stringify(body))).toThrow(DecodeError)
  })

  test('more spans or attributes than allowed are too many', () => {
    const event = { timeNs: 1n, name: 'e', attributes: [], droppedAttributes: 0 }
    const link = { traceId: '', spanId: '', traceState: '', attributes: [], droppedAttributes: 0, flags: 0 }
    const request = tracesOf({ a: 'b' }, otlpSpan({ events: [event], links: [link] }), otlpSpan())
    for (const decode of [
      (limits: typeof LIMITS) => fromProtobuf(encodeTracesProtobuf(request), limits),
      (limits: typeof LIMITS) => fromJson(encodeTracesJson(request), limits),
    ]) {
      expect(decode({ spansMax: 2, attributesMax: 3 }).spanCount).toBe(2)
      expect(() => decode({ spansMax: 1, attributesMax: 3 })).toThrow(LimitError)
      expect(() => decode({ spansMax: 2, attributesMax: 2 })).toThrow(LimitError)
    }
  })
})

test('absent fields, odd kinds and null are what protobuf makes of them', () => {
  const [span] = spansOf(fromJson(JSON.stringify(inSpan({ kind: 99, status: null, name: null }))))
  expect(span).toEqual(otlpSpan({ traceId: '', spanId: '', name: '', kind: 'unspecified', startNs: 0n, endNs: 0n }))
  expect(fromJson('{}')).toEqual({ resources: [], spanCount: 0 })
  expect(fromProtobuf(new Uint8Array())).toEqual({ resources: [], spanCount: 0 })
})

describe.skipIf(!existsSync(GOLDEN))('stored bodies (skipped when they are not beside the project)', () => {
  test.each(['traces-basic', 'traces-upgrade', 'traces-lenient', 'bad-ids'])('%s is the same in both', (name) => {
    const json = fromJson(read(`otlp/${name}.json`))
    expect(fromProtobuf(read(`otlp/${name}.pb`))).toEqual(json)
    expect(json.spanCount).toBeGreaterThan(0)
  })

  test('fields of the future are passed over', () => {
    expect(fromProtobuf(read('otlp/unknown-fields.pb'))).toEqual(fromProtobuf(read('otlp/traces-lenient.pb')))
  })

  test('what the stock JavaScript SDK sends has its spans', () => {
    const json = fromJson(read('captured/otel-js-0.223-traces.json'))
    const protobuf = fromProtobuf(gunzipSync(read('captured/otel-js-0.223-traces.pb.gz')))
    expect(json.spanCount).toBeGreaterThan(0)
    expect(spansOf(protobuf).map(({ name, kind, status }) => [name, kind, status])).toEqual(
      spansOf(json).map(({ name, kind, status }) => [name, kind, status]),
    )
    for (const { traceId, spanId, startNs } of [...spansOf(json), ...spansOf(protobuf)]) {
      expect([traceId.length, spanId.length, startNs > 10n ** 18n]).toEqual([32, 16, true])
    }
  })

  test.each(['bad-truncated.pb', 'bad-wiretype.pb'])('%s is an error', (name) => {
    expect(() => fromProtobuf(read(`otlp/${name}`))).toThrow(DecodeError)
  })
})

function inSpan(span: unknown): unknown {
  return { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }
}

function spansOf({ resources }: TracesRequest) {
  return resources.flatMap(({ scopes }) => scopes.flatMap(({ spans }) => spans))
}

function expectRequestOrDecodeError(decode: () => TracesRequest): void {
  try {
    expect(decode().spanCount).toBeGreaterThanOrEqual(0)
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(DecodeError)
  }
}
