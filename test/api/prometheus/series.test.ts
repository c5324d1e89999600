import { Value } from 'typebox/value'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { TIME_MAX_MS, TIME_MIN_MS } from '../../../src/api/prometheus/params.ts'
import { ExemplarList, MetadataMap } from '../../../src/contract/prometheus.ts'
import { Labels } from '../../../src/model/labels.ts'
import type { QueryEngine } from '../../../src/promql/query-engine.ts'
import { NOW_MS, NotingEngine, form, makeServer, type TestServer } from '../test-server.ts'

const FOUND: Awaited<ReturnType<QueryEngine['exemplars']>> = [
  {
    labels: Labels.of({ __name__: 'rpc_seconds_bucket', le: '0.5' }),
    exemplars: [
      { labels: Labels.of({ trace_id: 'abc', span_id: '"x"' }), value: 0.25, timeMs: NOW_MS + 1 },
      { labels: Labels.EMPTY, value: Infinity, timeMs: NOW_MS + 2000 },
    ],
  },
]
const KNOWN: Awaited<ReturnType<QueryEngine['metadata']>> = [
  { name: 'kubevirt_info', metadata: [{ type: 'gauge', help: 'Version\ninformation.', unit: '' }] },
  {
    name: 'rpc_seconds',
    metadata: [
      { type: 'histogram', help: 'New words.', unit: 'seconds' },
      { type: 'histogram', help: 'Old words.', unit: '' },
    ],
  },
]

/** Answers what this file holds, and notes what it was asked. */
class KnowingEngine extends NotingEngine {
  override async exemplars(selectors: unknown, range: unknown): ReturnType<QueryEngine['exemplars']> {
    await super.exemplars(selectors, range)
    return FOUND
  }

  override async metadata(name?: string): ReturnType<QueryEngine['metadata']> {
    await super.metadata(name)
    return KNOWN.filter((family) => name === undefined || family.name === name)
  }
}

const engine = new KnowingEngine()
let server: TestServer
beforeAll(async () => {
  server = await makeServer({ query: engine })
})
beforeEach(() => {
  engine.reads.length = 0
})
afterAll(() => server.app.close())

const get = async (url: string) => {
  const answer = await server.app.inject(`/api/v1/${url}`)
  return { status: answer.statusCode, body: answer.json<unknown>() }
}

describe('/api/v1/query_exemplars', () => {
  test('answers series with their exemplars', async () => {
    const { status, body } = await get('query_exemplars?query=rpc_seconds_bucket')
    expect([status, ...Value.Errors(ExemplarList, body)]).toEqual([200])
    expect(body).toEqual({
      status: 'success',
      data: [
        {
          seriesLabels: { __name__: 'rpc_seconds_bucket', le: '0.5' },
          exemplars: [
            { labels: { trace_id: 'abc', span_id: '"x"' }, value: '0.25', timestamp: NOW_MS / 1000 + 0.001 },
            { labels: {}, value: '+Inf', timestamp: NOW_MS / 1000 + 2 },
          ],
        },
      ],
    })
  })

  test('asks for all selectors of the expression, for all of time when not told otherwise', async () => {
    const query = 'histogram_quantile(0.9, sum by (le) (rate(a_bucket{job="x"}[5m]))) > on () b offset 5m'
    await server.app.inject({ method: 'POST', url: '/api/v1/query_exemplars', ...form([['query', query]]) })
    const matcher = (name: string) => ({ name: '__name__', op: '=', value: name })
    expect(engine.reads).toEqual([
      {
        what: 'exemplars',
        selectors: [[{ name: 'job', op: '=', value: 'x' }, matcher('a_bucket')], [matcher('b')]],
        range: { fromMs: TIME_MIN_MS, toMs: TIME_MAX_MS },
      },
    ])
    engine.reads.length = 0
    await get('query_exemplars?query=up&start=1.5&end=2026-08-20T10:00:00Z')
    expect(engine.reads).toMatchObject([{ range: { fromMs: 1500, toMs: NOW_MS } }])
  })

  test('an expression without a selector has none', async () => {
    expect(await get('query_exemplars?query=1')).toEqual({ status: 200, body: { status: 'success', data: [] } })
    expect(engine.reads).toEqual([])
  })

  test.each([
    ['query=up{', /^1:\d+: parse error: /],
    ['', /^1:1: parse error: no expression found in input$/],
    ['query=up&start=2&end=1', /^end timestamp must not be before start timestamp$/],
    ['query=up&start=x', /^invalid parameter "start": invalid time value for 'start': cannot parse "x"/],
  ])('%s is refused', async (search, error) => {
    expect(await get(`query_exemplars?${search}`)).toEqual({
      status: 400,
      body: { status: 'error', errorType: 'bad_data', error: expect.stringMatching(error) as string },
    })
  })
})

describe('/api/v1/metadata', () => {
  const data = async (search: string): Promise<Record<string, { help: string }[]>> => {
    const { status, body } = await get(`metadata${search}`)
    expect([status, ...Value.Errors(MetadataMap, body)]).toEqual([200])
    return (body as { data: Record<string, { help: string }[]> }).data
  }

  test('answers what senders say, the newest first', async () => {
    expect(await data('')).toEqual({
      kubevirt_info: [{ type: 'gauge', help: 'Version\ninformation.', unit: '' }],
      rpc_seconds: [
        { type: 'histogram', help: 'New words.', unit: 'seconds' },
        { type: 'histogram', help: 'Old words.', unit: '' },
      ],
    })
  })

  test.each([
    ['?metric=kubevirt_info', ['kubevirt_info 1']],
    ['?metric=nothing', []],
    ['?limit=1', ['kubevirt_info 1']],
    ['?limit=0', []],
    ['?limit=-1', ['kubevirt_info 1', 'rpc_seconds 2']],
    ['?limit_per_metric=1', ['kubevirt_info 1', 'rpc_seconds 1']],
    ['?limit_per_metric=0', ['kubevirt_info 1', 'rpc_seconds 2']],
    ['?metric=rpc_seconds&limit=5&limit_per_metric=1', ['rpc_seconds 1']],
  ])('%s', async (search, want) => {
    expect(Object.entries(await data(search)).map(([name, known]) => `${name} ${known.length}`)).toEqual(want)
  })

  test.each(['limit', 'limit_per_metric'])('%s must be a number', async (name) => {
    expect(await get(`metadata?${name}=many`)).toEqual({
      status: 400,
      body: { status: 'error', errorType: 'bad_data', error: `${name} must be a number` },
    })
  })
})
