import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { tracesOver } from '../../src/api/jaeger/trace-answers.ts'
import { FleetError } from '../../src/base/errors.ts'
import type { Span } from '../../src/model/span.ts'
import { decodeTracesJson } from '../../src/wire/otlp/traces-json.ts'
import { openShared, type Shared } from '../store/shipping/collectors.ts'
import { shippedSpans } from '../store/shipping/shipped-spans.ts'
import { POSTGRES, sharedPostgres } from '../store/postgres/temp-postgres.ts'
import { memorySpans } from '../support/memory-spans.ts'
import { span, spanIdOf, traceIdOf } from '../support/spans.ts'
import { NOW_MS, makeServer } from './test-server.ts'
import { atOnce } from '../support/at-once.ts'

// Jaeger's two HTTP APIs over the real span stores: shapes as of stored answers, parameters in both spellings.

const GOLDEN = resolve(import.meta.dirname, '../../../shared/golden')
const NOW_NS = BigInt(NOW_MS) * 1_000_000n
const UPGRADE = '945c777c1329507dc44b3d4f4893652b'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

type Json = Readonly<Record<string, unknown>>

/** Of the running test; undefined: in SQLite. */
let shared: Shared | undefined

const serverWith = (...spans: readonly Span[]) => limitedServerWith({}, ...spans)

async function limitedServerWith(
  { answerBytesMax = 1_000_000, ...limits }: Parameters<typeof memorySpans>[0] & { readonly answerBytesMax?: number },
  ...spans: readonly Span[]
) {
  const { spans: sink, reader, put, commit } = shared === undefined ? memorySpans(limits) : shippedSpans(shared, limits)
  await put(spans, NOW_MS)
  const server = await makeServer({ traces: tracesOver(reader, answerBytesMax) })
  closers.push(() => server.app.close())
  return {
    ...server,
    sink,
    commit,
    get: async (url: string, ...params: readonly (readonly [string, string])[]) => {
      const query = new URLSearchParams(params.map(([name, value]): [string, string] => [name, value])).toString()
      const answer = await server.app.inject(query === '' ? url : `${url}?${query}`)
      return { status: answer.statusCode, type: answer.headers['content-type'], json: answer.json<Json>() }
    },
  }
}

const at = (more: Partial<Span> & { readonly service?: string } = {}): Span =>
  span({ startNs: NOW_NS, endNs: NOW_NS + 2_000_000n, ...more })

describe.each(['SQLite', 'PostgreSQL'])('traces in %s', (database) => {
  if (database === 'PostgreSQL') {
    const postgres = sharedPostgres()
    beforeEach(async (context) => {
      if (POSTGRES === undefined) return context.skip('PostgreSQL is not installed')
      shared = await openShared(await postgres.options())
    })
    afterEach(() => {
      shared = undefined
    })
  }

  describe.skipIf(!existsSync(GOLDEN))('stored answers (skipped when they are not beside the project)', () => {
    const golden = (name: string): Json =>
      JSON.parse(readFileSync(resolve(GOLDEN, `query/${name}.json`), 'utf8')) as Json

    /** The stored upgrade came in over HTTP and was put into the store. */
    async function upgraded() {
      const { spans, app, clock } = await makeServer()
      clock.advance(3_600_000)
      const payload = readFileSync(resolve(GOLDEN, 'otlp/traces-upgrade.pb'))
      await app.inject({
        method: 'POST',
        url: '/v1/traces',
        headers: { 'content-type': 'application/x-protobuf' },
        payload,
      })
      await app.close()
      const server = await serverWith(...spans)
      server.clock.advance(3_600_000)
      return server
    }

    const bySpanId = (a: { spanID?: string; spanId?: string }, b: typeof a): number =>
      (a.spanID ?? a.spanId!) < (b.spanID ?? b.spanId!) ? -1 : 1

    test('the upgrade is shown as Jaeger shows it', async () => {
      const { get } = await upgraded()
      const wanted = golden('jaeger-legacy-trace') as { data: { spans: { spanID: string }[] }[] }
      // Ours are by start and then id: two of them start at one time.
      wanted.data[0]!.spans.sort(bySpanId)
      for (const url of [`/api/traces/${UPGRADE}`, `/api/traces?traceID=${UPGRADE}`]) {
        const { status, json } = await get(url)
        const got = json as unknown as typeof wanted
        got.data[0]!.spans.sort(bySpanId)
        expect([status, got]).toEqual([200, wanted])
      }
      const { json } = await get('/api/traces', ['service', 'hyperconverged-cluster-operator'])
      expect((json as unknown as typeof wanted).data[0]!.spans).toHaveLength(8)
    })

    test('the upgrade is shown as OTLP, byte for byte the numbers it came with', async () => {
      const { get } = await upgraded()
      type Spans = { spanId: string }[]
      const spansOf = (json: Json): Spans =>
        (json as { result: { resourceSpans: { scopeSpans: { spans: Spans }[] }[] } }).result.resourceSpans[0]!
          .scopeSpans[0]!.spans
      const wanted = golden('jaeger-v3-traces')
      spansOf(wanted).sort(bySpanId)
      const { status, json } = await get(`/api/v3/traces/${UPGRADE}`)
      spansOf(json).sort(bySpanId)
      expect([status, json]).toEqual([200, wanted])
      // And it is a request that can be sent again.
      const decoded = atOnce(
        decodeTracesJson(Buffer.from(JSON.stringify(json['result'])), { spansMax: 9, attributesMax: 999 }),
      )
      expect(decoded.spanCount).toBe(8)
    })

    test('its summary', async () => {
      const { get } = await upgraded()
      const { json } = await get(
        '/api/v3/trace-summaries',
        ['query.serviceName', 'hyperconverged-cluster-operator'],
        ['query.startTimeMin', '2026-08-20T09:00:00Z'],
        ['query.startTimeMax', '2026-08-20T13:00:00+02:00'],
      )
      expect(json).toEqual(golden('jaeger-v3-trace-summaries'))
    })

    test('nothing found', async () => {
      const { get } = await serverWith()
      expect(await get(`/api/traces/${UPGRADE}`)).toMatchObject({ status: 404, json: golden('jaeger-legacy-404') })
      expect(await get(`/api/v3/traces/${UPGRADE}`)).toMatchObject({ status: 404, json: golden('jaeger-v3-404') })
    })
  })

  describe('lists', () => {
    const spans = [
      at({ kind: 'server' }),
      at({ spanId: spanIdOf(2), parentSpanId: spanIdOf(1), service: 'virt', name: 'sync', kind: 'unspecified' }),
      at({ spanId: spanIdOf(3), parentSpanId: spanIdOf(1), service: 'virt', name: 'sync' }),
    ]

    test.each<[string, Json]>([
      ['/api/services', { data: ['hco', 'virt'], total: 2, limit: 0, offset: 0, errors: null }],
      ['/api/services/virt/operations', { data: ['sync'], total: 1, limit: 0, offset: 0, errors: null }],
      ['/api/services/none/operations', { data: [], total: 0, limit: 0, offset: 0, errors: null }],
      [
        '/api/operations?service=hco&spanKind=server',
        { data: [{ name: 'reconcile', spanKind: 'server' }], total: 1, limit: 0, offset: 0, errors: null },
      ],
      [
        '/api/dependencies?endTs=1787220000001&lookback=3600000',
        { data: [{ parent: 'hco', child: 'virt', callCount: 2 }], total: 0, limit: 0, offset: 0, errors: null },
      ],
      [
        '/api/dependencies?endTs=1787210000000&lookback=1000',
        { data: [], total: 0, limit: 0, offset: 0, errors: null },
      ],
      ['/api/v3/services', { services: ['hco', 'virt'] }],
      ['/api/v3/operations?service=virt', { operations: [{ name: 'sync', spanKind: 'internal' }] }],
      ['/api/v3/operations?service=hco&span_kind=client', { operations: [] }],
      [
        '/api/v3/dependencies?startTime=2026-08-20T09:00:00Z&end_time=2026-08-20T11:00:00Z',
        { dependencies: [{ parent: 'hco', child: 'virt', callCount: '2' }] },
      ],
    ])('%s', async (url, wanted) => {
      const { get } = await serverWith(...spans)
      expect(await get(url)).toEqual({ status: 200, type: 'application/json', json: wanted })
    })
  })

  describe('a search', () => {
    const traces = [
      at({ attributes: [{ key: 'a', value: 'x:y' }] }),
      at({
        traceId: traceIdOf(2),
        name: 'sync',
        endNs: NOW_NS + 2_000_000_000n,
        status: { code: 'error', message: 'no' },
      }),
      at({ traceId: traceIdOf(3), startNs: NOW_NS - 3_600_000_000_000n, endNs: NOW_NS }),
    ]
    const US = String(NOW_NS / 1000n)

    test.each<[string, readonly (readonly [string, string])[], readonly number[]]>([
      ['all of two days, newest first', [], [1, 2, 3]],
      ['an operation', [['operation', 'sync']], [2]],
      ['a tag with a colon', [['tag', 'a:x:y']], [1]],
      ['tags as JSON', [['tags', '{"error":"true","otel.status_description":"no"}']], [2]],
      [
        'a time',
        [
          ['start', US],
          ['end', US],
        ],
        [1, 2],
      ],
      [
        'durations',
        [
          ['minDuration', '1.5s'],
          ['maxDuration', '1h30m'],
        ],
        [2, 3],
      ],
      ['a limit', [['limit', '1']], [1]],
    ])('of the first API: %s', async (_what, params, wanted) => {
      const { get } = await serverWith(...traces)
      const { json } = await get('/api/traces', ['service', 'hco'], ...params)
      expect((json as { data: { traceID: string }[] }).data.map(({ traceID }) => Number(`0x${traceID}`))).toEqual(
        wanted,
      )
    })

    const range = [
      ['query.startTimeMin', '2026-08-20T08:00:00Z'],
      ['query.start_time_max', '2026-08-20T10:00:00.000000001Z'],
    ] as const
    test.each<[string, readonly (readonly [string, string])[], readonly number[]]>([
      ['any service', [], [1, 2, 3]],
      [
        'a service',
        [
          ['query.service_name', 'hco'],
          ['query.operationName', 'sync'],
        ],
        [2],
      ],
      ['attributes', [['query.attributes', '{"a":"x:y"}']], [1]],
      [
        'durations',
        [
          ['query.duration_min', '1s'],
          ['query.durationMax', '2s'],
        ],
        [2],
      ],
      ['a depth', [['query.num_traces', '2']], [1, 2]],
      ['nothing', [['query.serviceName', 'none']], []],
    ])('of the third API: %s', async (_what, params, wanted) => {
      const { get } = await serverWith(...traces)
      const { json } = await get('/api/v3/trace-summaries', ...range, ...params)
      expect((json as { summaries: { traceId: string }[] }).summaries.map((one) => Number(`0x${one.traceId}`))).toEqual(
        wanted,
      )
      const { status, json: found } = await get('/api/v3/traces', ...range, ...params)
      expect(status).toBe(wanted.length === 0 ? 404 : 200)
      if (wanted.length > 0) expect(JSON.stringify(found).match(/"spanId"/g)).toHaveLength(wanted.length)
    })

    test('of traces by their ids tells which are not there', async () => {
      const { get } = await serverWith(...traces)
      const { status, json } = await get('/api/traces', ['traceID', '2'], ['traceID', 'ABC'])
      expect(status).toBe(200)
      expect(json['data']).toHaveLength(1)
      expect(json['errors']).toEqual([{ code: 404, msg: 'trace not found', traceID: traceIdOf(0xabc) }])
    })
  })

  test.each([
    ['/api/traces', 'service'],
    ['/api/traces?service=a&start=x', 'start'],
    ['/api/traces?service=a&minDuration=5', 'minDuration'],
    ['/api/traces?service=a&minDuration=2s&maxDuration=1s', 'maxDuration'],
    ['/api/traces?service=a&limit=-1', 'limit'],
    ['/api/traces?service=a&tag=x', 'tag'],
    ['/api/traces?service=a&tags=[1]', 'tags'],
    ['/api/traces/xyz', 'traceID'],
    ['/api/operations', 'service'],
    ['/api/dependencies?endTs=now', 'endTs'],
    ['/api/v3/operations', 'service'],
    ['/api/v3/operations?service=a&spanKind=odd', 'spanKind'],
    ['/api/v3/traces?query.startTimeMin=2026-08-20T10:00:00Z', 'query.startTimeMax'],
    [
      '/api/v3/traces?query.startTimeMin=2026-08-20T10:00:00Z&query.startTimeMax=2026-08-20T10:00:00Z',
      'query.startTimeMin',
    ],
    ['/api/v3/trace-summaries?query.startTimeMin=2026-13-20T10:00:00Z', 'query.startTimeMin'],
    ['/api/v3/traces?query.filter=x', 'query.filter'],
    ['/api/v3/traces/1?startTime=yesterday', 'startTime'],
  ])('%s is refused for its parameter', async (url, name) => {
    const { get } = await serverWith()
    const { status, json } = await get(url)
    expect(status).toBe(400)
    const message = url.startsWith('/api/v3/')
      ? (json as { error: { httpCode: number; message: string } }).error
      : (json as { errors: { code: number; msg: string }[] }).errors[0]
    expect(JSON.stringify(message)).toContain(`malformed parameter ${name}:`)
    expect(JSON.stringify(message)).toContain('400')
  })

  test('a span shows all that was said of it', async () => {
    const { get } = await serverWith(
      at({
        traceState: 'v=1',
        flags: 257,
        kind: 'unspecified',
        status: { code: 'ok', message: '' },
        attributes: [
          { key: 'big', value: 2n ** 60n },
          { key: 'float', value: 0.25 },
          { key: 'nan', value: NaN },
          { key: 'bytes', value: Uint8Array.of(0, 255) },
          { key: 'list', value: ['a', 1] },
          { key: 'map', value: { entries: [{ key: 'k', value: true }] } },
          { key: 'none', value: undefined },
        ],
        links: [{ traceId: traceIdOf(9), spanId: spanIdOf(9), traceState: '', attributes: [] }],
        dropped: { attributes: 1, events: 0, links: 2 },
      }),
    )
    const { json } = await get('/api/traces/1')
    const [shown] = (json as { data: { spans: Json[] }[] }).data[0]!.spans
    expect(shown).toMatchObject({
      flags: 257,
      references: [{ refType: 'FOLLOWS_FROM', traceID: traceIdOf(9), spanID: spanIdOf(9) }],
      tags: [
        { key: 'otel.scope.name', type: 'string', value: 'test' },
        { key: 'otel.scope.version', type: 'string', value: '1' },
        { key: 'big', type: 'int64', value: '1152921504606846976' },
        { key: 'float', type: 'float64', value: 0.25 },
        { key: 'nan', type: 'float64', value: 'NaN' },
        { key: 'bytes', type: 'binary', value: 'AP8=' },
        { key: 'list', type: 'string', value: '["a",1]' },
        { key: 'map', type: 'string', value: '{"k":true}' },
        { key: 'none', type: 'string', value: '' },
        { key: 'otel.status_code', type: 'string', value: 'OK' },
        { key: 'w3c.tracestate', type: 'string', value: 'v=1' },
      ],
    })
    const text = JSON.stringify((await get('/api/v3/traces/1')).json)
    for (const part of [
      '{"key":"big","value":{"intValue":"1152921504606846976"}}',
      '{"key":"nan","value":{"doubleValue":"NaN"}}',
      '{"key":"none","value":{}}',
      '"droppedAttributesCount":1',
      '"droppedLinksCount":2',
      '"flags":257',
    ]) {
      expect(text).toContain(part)
    }
  })

  test('a trace whose spans were refused shows it in both generations', async () => {
    const [first, second] = [at(), at({ spanId: spanIdOf(2), startNs: NOW_NS + 1n, service: 'virt' })]
    const { get, sink, commit } = await limitedServerWith({ spansPerTraceMax: 2 }, first, second)
    const warnings = async () => {
      const [legacy, v3] = [await get(`/api/traces/${traceIdOf(1)}`), await get(`/api/v3/traces/${traceIdOf(1)}`)]
      const count = JSON.stringify(v3.json).split('"key":"@jaeger@warnings"').length - 1
      return [(legacy.json['data'] as Json[])[0]!['warnings'], count]
    }
    expect(await warnings()).toEqual([null, 0])
    expect(sink.putSpans([at({ spanId: spanIdOf(3) })], NOW_MS)).toHaveLength(1)
    await commit()
    expect(await warnings()).toEqual([[expect.stringContaining('store.trace-spans-max')], 1])
  })

  test('an answer beyond the limit is an error in both shapes that names it, and a smaller one is not', async () => {
    const large = { attributes: [{ key: 'text', value: 'x'.repeat(1000) }] }
    const spans = Array.from({ length: 20 }, (_, i) =>
      at({ traceId: traceIdOf(i < 19 ? 1 : 2), spanId: spanIdOf(i + 1), ...large }),
    )
    const { get } = await limitedServerWith({ answerBytesMax: 10_000 }, ...spans)
    const words = 'the answer has more than 10000 bytes, the value of query.response-bytes-max'
    expect(await get(`/api/traces/${traceIdOf(1)}`)).toMatchObject({
      status: 422,
      json: { errors: [{ code: 422, msg: expect.stringContaining(words) as string }] },
    })
    expect(await get(`/api/v3/traces/${traceIdOf(1)}`)).toMatchObject({
      status: 422,
      json: { error: { httpCode: 422, message: expect.stringContaining(words) as string } },
    })
    expect((await get(`/api/traces/${traceIdOf(2)}`)).status).toBe(200)
    expect((await get('/api/traces', ['service', 'hco'])).status).toBe(422)
  })

  test('our own faults are told in the same shapes', async () => {
    const failure = new FleetError('query_limit', 'too many traces were checked', { hint: 'ask for less' })
    const fail = () => Promise.reject(failure)
    const { app } = await makeServer({
      traces: { services: fail, operations: fail, answer: fail, dependencies: fail },
    })
    closers.push(() => app.close())
    expect((await app.inject('/api/services')).json()).toEqual({
      ...{ data: null, total: 0, limit: 0, offset: 0 },
      errors: [{ code: 422, msg: 'too many traces were checked (ask for less)' }],
    })
    expect((await app.inject('/api/v3/services')).json()).toEqual({
      error: { httpCode: 422, message: 'too many traces were checked (ask for less)' },
    })
  })
})
