import { EventEmitter, once } from 'node:events'
import { gunzipSync } from 'node:zlib'
import { Value } from 'typebox/value'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { FleetError } from '../../../src/base/errors.ts'
import { PrometheusError, QueryAnswer, SeriesList, TextList } from '../../../src/contract/prometheus.ts'
import { Labels } from '../../../src/model/labels.ts'
import { answersOver } from '../../../src/api/prometheus/query-answers.ts'
import { createLocalEngine } from '../../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../../src/promql/engine-options.ts'
import { MemoryQueryable } from '../../support/memory-queryable.ts'
import { NOW_MS, NotingEngine, form, makeServer, type TestServer } from '../test-server.ts'

const NOW = NOW_MS / 1000

/** `up` of two jobs for ten minutes at 15 s, and values that are hard to write. */
function makeQueryable(): MemoryQueryable {
  const queryable = new MemoryQueryable()
  for (const job of ['a', 'b']) {
    const labels = Labels.of({ __name__: 'up', job, cluster: `c-${job}` })
    for (let ago = 600; ago >= 0; ago -= 15) queryable.append(labels, NOW_MS - ago * 1000, 1)
  }
  const odd = { nan: NaN, inf: Infinity, ninf: -Infinity, small: 1.5e-7, big: 1e21, exact: 0.1 }
  for (const [kind, value] of Object.entries(odd)) {
    queryable.append(Labels.of({ __name__: 'odd', kind }), NOW_MS, value)
  }
  queryable.append(Labels.of({ __name__: 'texts', 'dot.name': 'a"b\\c\n', ünï: '💥' }), NOW_MS, 1)
  return queryable
}

describe('with the real engine', () => {
  let server: TestServer
  beforeAll(async () => {
    let ticks = 0
    const query = createLocalEngine({
      queryable: makeQueryable(),
      options: DEFAULT_ENGINE_OPTIONS,
      nowMs: () => NOW_MS + ticks++, // every look at the clock costs a millisecond, so that a timeout of none is over at once
    })
    server = await makeServer({ query })
  })
  afterAll(() => server.app.close())

  const get = async (path: string, fields: Readonly<Record<string, string>>) => {
    const answer = await server.app.inject(`/api/v1/${path}?${new URLSearchParams(fields).toString()}`)
    return { status: answer.statusCode, type: answer.headers['content-type'], body: answer.json<unknown>() }
  }
  const data = async (path: string, fields: Readonly<Record<string, string>>): Promise<unknown> => {
    const { status, type, body } = await get(path, fields)
    expect([status, type]).toEqual([200, 'application/json'])
    expect(Value.Check(QueryAnswer, body) || Value.Check(TextList, body) || Value.Check(SeriesList, body)).toBe(true)
    return (body as { data: unknown }).data
  }

  test('an instant vector, with the time it was asked for', async () => {
    expect(await data('query', { query: 'up{job="a"}', time: String(NOW - 0.5) })).toEqual({
      resultType: 'vector',
      result: [{ metric: { __name__: 'up', cluster: 'c-a', job: 'a' }, value: [NOW - 0.5, '1'] }],
    })
  })

  test('without a time, now', async () => {
    expect(await data('query', { query: 'time()' })).toEqual({ resultType: 'scalar', result: [NOW, String(NOW)] })
  })

  test('values are texts, as Go writes them', async () => {
    const answer = (await data('query', { query: 'odd' })) as {
      result: { metric: { kind: string }; value: [number, string] }[]
    }
    expect(Object.fromEntries(answer.result.map(({ metric, value }) => [metric.kind, value[1]]))).toEqual({
      nan: 'NaN',
      inf: '+Inf',
      ninf: '-Inf',
      small: '1.5e-07',
      big: '1e+21',
      exact: '0.1',
    })
  })

  test('any text survives in names and values', async () => {
    const answer = (await data('query', { query: 'texts' })) as { result: { metric: Record<string, string> }[] }
    expect(answer.result[0]!.metric).toEqual({ __name__: 'texts', 'dot.name': 'a"b\\c\n', ünï: '💥' })
  })

  test('a string, an instant matrix, and nothing', async () => {
    expect(await data('query', { query: '"x"' })).toEqual({ resultType: 'string', result: [NOW, 'x'] })
    expect(await data('query', { query: 'up{job="a"}[30s]' })).toMatchObject({
      resultType: 'matrix',
      result: [
        {
          values: [
            [NOW - 15, '1'],
            [NOW, '1'],
          ],
        },
      ],
    })
    expect(await data('query', { query: 'nothing' })).toEqual({ resultType: 'vector', result: [] })
  })

  test('a range, inclusive at both ends; a scalar becomes a series without labels', async () => {
    const range = { start: String(NOW - 60), end: String(NOW), step: '30s' }
    expect(await data('query_range', { query: 'sum(up)', ...range })).toEqual({
      resultType: 'matrix',
      result: [
        {
          metric: {},
          values: [
            [NOW - 60, '2'],
            [NOW - 30, '2'],
            [NOW, '2'],
          ],
        },
      ],
    })
    expect(await data('query_range', { query: '1', ...range })).toMatchObject({ result: [{ metric: {} }] })
    expect(await data('query_range', { query: 'nothing', ...range })).toEqual({ resultType: 'matrix', result: [] })
  })

  test('11,001 points are fine', async () => {
    const answer = (await data('query_range', { query: '1', start: '0', end: '11000', step: '1' })) as {
      result: { values: unknown[] }[]
    }
    expect(answer.result[0]!.values).toHaveLength(11_001)
  })

  test.each(['true', 'all', 'x'])('stats=%s tells samples and timings', async (stats) => {
    expect(await data('query', { query: 'up', stats })).toMatchObject({
      stats: {
        samples: { totalQueryableSamples: expect.any(Number) as unknown, peakSamples: expect.any(Number) as unknown },
        timings: {
          evalTotalTime: expect.any(Number) as unknown,
          resultSortTime: expect.any(Number) as unknown,
          queryPreparationTime: expect.any(Number) as unknown,
          innerEvalTime: expect.any(Number) as unknown,
          execQueueTime: expect.any(Number) as unknown,
          execTotalTime: expect.any(Number) as unknown,
        },
      },
    })
  })

  test('an answer beyond the limit is an error that names it', async () => {
    const engine = createLocalEngine({ queryable: makeQueryable(), options: DEFAULT_ENGINE_OPTIONS, nowMs: () => 0 })
    const { app } = await makeServer({ answers: answersOver(engine, 2000) })
    const status = async (path: string, query: Readonly<Record<string, string>>) => {
      const answer = await app.inject(`/api/v1/${path}?${new URLSearchParams(query).toString()}`)
      return [answer.statusCode, answer.body.includes('more than 2000 bytes, the value of query.response-bytes-max')]
    }
    const steps = { start: String(NOW - 300), end: String(NOW), step: '1' }
    expect(await status('query', { query: 'up' })).toEqual([200, false])
    expect(await status('query_range', { query: 'up', ...steps })).toEqual([422, true])
    const many = Array.from({ length: 200 }, (_, i) => `label_replace(up, "l", "${i}", "", "")`).join(' or ')
    expect(await status('query', { query: many })).toEqual([422, true])
    await app.close()
  })

  test('stats=all has the samples of each step', async () => {
    const range = { start: String(NOW - 30), end: String(NOW), step: '15' }
    expect(await data('query_range', { query: 'up', ...range, stats: 'all' })).toMatchObject({
      stats: {
        samples: {
          totalQueryableSamplesPerStep: [
            [NOW - 30, 2],
            [NOW - 15, 2],
            [NOW, 2],
          ],
          totalQueryableSamples: 6,
        },
      },
    })
    expect(await data('query', { query: 'up', stats: 'all' })).toMatchObject({
      stats: { samples: { totalQueryableSamplesPerStep: [[NOW, 2]] } },
    })
    expect(JSON.stringify(await data('query', { query: 'up', stats: 'true' }))).not.toContain('PerStep')
  })

  test('an unknown value of stats is told', async () => {
    const warnings = ['unknown value "x" of parameter "stats", want "true" or "all"']
    expect((await get('query', { query: '1', stats: 'x' })).body).toMatchObject({ warnings })
    expect((await get('query_range', { query: '1', ...range, stats: 'x' })).body).toMatchObject({ warnings })
    expect((await get('query', { query: '1', stats: 'all' })).body).not.toHaveProperty('warnings')
  })

  const range = { start: '0', end: '60', step: '15' }
  test.each([
    ['query', { query: 'up{' }, 400, 'bad_data', /^invalid parameter "query": 1:\d+: parse error: /],
    [
      'query',
      { query: '' },
      400,
      'bad_data',
      'invalid parameter "query": 1:1: parse error: no expression found in input',
    ],
    ['query', {}, 400, 'bad_data', 'invalid parameter "query": 1:1: parse error: no expression found in input'],
    ['query', { query: 'foo(' }, 400, 'bad_data', /^invalid parameter "query": 1:\d+: parse error: /],
    [
      'query',
      { query: 'up', time: 'foo' },
      400,
      'bad_data',
      'invalid parameter "time": invalid time value for \'time\': cannot parse "foo" to a valid timestamp',
    ],
    [
      'query',
      { query: 'up', timeout: 'foo' },
      400,
      'bad_data',
      'invalid parameter "timeout": cannot parse "foo" to a valid duration',
    ],
    [
      'query',
      { query: 'up', lookback_delta: 'foo' },
      400,
      'bad_data',
      'error parsing lookback delta duration: cannot parse "foo" to a valid duration',
    ],
    ['query', { query: 'up', limit: '-1' }, 400, 'bad_data', 'invalid parameter "limit": limit must be non-negative'],
    ['query', { query: 'up', timeout: '0' }, 503, 'timeout', /./],
    ['query', { query: 'up * on() up' }, 422, 'execution', /many-to-many|found duplicate series/],
    ['query_range', { ...range, query: '(' }, 400, 'bad_data', /^invalid parameter "query": 1:\d+: parse error: /],
    [
      'query_range',
      { ...range, query: '"x"' },
      400,
      'bad_data',
      'invalid parameter "query": invalid expression type "string" for range query, must be Scalar or instant Vector',
    ],
    [
      'query_range',
      { ...range, query: 'up[1m]' },
      400,
      'bad_data',
      'invalid parameter "query": invalid expression type "range vector" for range query, must be Scalar or instant Vector',
    ],
    [
      'query_range',
      { ...range, start: '' },
      400,
      'bad_data',
      'invalid parameter "start": cannot parse "" to a valid timestamp',
    ],
    [
      'query_range',
      { ...range, end: 'x' },
      400,
      'bad_data',
      'invalid parameter "end": cannot parse "x" to a valid timestamp',
    ],
    [
      'query_range',
      { ...range, end: '-1' },
      400,
      'bad_data',
      'invalid parameter "end": end timestamp must not be before start time',
    ],
    [
      'query_range',
      { ...range, step: '0' },
      400,
      'bad_data',
      'invalid parameter "step": zero or negative query resolution step widths are not accepted. Try a positive integer',
    ],
    [
      'query_range',
      { ...range, step: '-1' },
      400,
      'bad_data',
      'invalid parameter "step": zero or negative query resolution step widths are not accepted. Try a positive integer',
    ],
    [
      'query_range',
      { ...range, step: 'x' },
      400,
      'bad_data',
      'invalid parameter "step": cannot parse "x" to a valid duration',
    ],
    [
      'query_range',
      { ...range, end: '11001', step: '1' },
      400,
      'bad_data',
      'exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query resolution (?step=XX)',
    ],
    ['format_query', { query: '(' }, 400, 'bad_data', /^invalid parameter "query": 1:\d+: parse error: /],
    ['series', {}, 400, 'bad_data', 'no match[] parameter provided'],
    [
      'series',
      { 'match[]': '{job=~".*"}' },
      400,
      'bad_data',
      'invalid parameter "match[]": match[] must contain at least one non-empty matcher',
    ],
    ['series', { 'match[]': 'up{' }, 400, 'bad_data', /^invalid parameter "match\[\]": 1:\d+: parse error: /],
    ['series', { 'match[]': 'rate(up[1m])' }, 400, 'bad_data', /^invalid parameter "match\[\]": /],
    ['series', { 'match[]': '{a=~"("}' }, 400, 'bad_data', /^invalid parameter "match\[\]": /],
    [
      'series',
      { 'match[]': 'up', start: 'x' },
      400,
      'bad_data',
      'invalid parameter "start": invalid time value for \'start\': cannot parse "x" to a valid timestamp',
    ],
    ['labels', { 'match[]': '{a=""}' }, 400, 'bad_data', 'match[] must contain at least one non-empty matcher'],
    ['label/job/values', { 'match[]': 'up{' }, 400, 'bad_data', /^1:\d+: parse error: /],
    ['labels', { limit: 'x' }, 400, 'bad_data', 'invalid parameter "limit": limit must be a number'],
    ['label/U__a_/values', {}, 400, 'bad_data', 'invalid label name: "U__a_"'],
  ] as [string, Record<string, string>, number, string, string | RegExp][])(
    '%s with %j is %i %s',
    async (path, fields, status, errorType, error) => {
      const got = await get(path, fields)
      expect(got).toMatchObject({ status, type: 'application/json', body: { status: 'error', errorType } })
      expect(Value.Check(PrometheusError, got.body)).toBe(true)
      const message = (got.body as PrometheusError).error
      if (typeof error === 'string') expect(message).toBe(error)
      else expect(message).toMatch(error)
    },
  )

  test('series, names and values, with an end a year ahead as promtool asks', async () => {
    const range = { start: String(NOW - 31_536_000.1234567), end: String(NOW + 31_536_000.1234567) }
    expect(await data('series', { 'match[]': 'up', ...range })).toEqual([
      { __name__: 'up', cluster: 'c-a', job: 'a' },
      { __name__: 'up', cluster: 'c-b', job: 'b' },
    ])
    expect(await data('labels', { 'match[]': 'up', ...range })).toEqual(['__name__', 'cluster', 'job'])
    expect(await data('label/job/values', range)).toEqual(['a', 'b'])
    expect(await data('label/nothing/values', {})).toEqual([])
    expect(await data('label/U__dot_2e_name/values', {})).toEqual(['a"b\\c\n'])
    expect(await data('series', { 'match[]': 'up', end: '0' })).toEqual([])
  })

  test('a limit truncates and says so; zero is none', async () => {
    const warnings = ['results truncated due to limit']
    const [query, series, values] = [
      await get('query', { query: 'up', limit: '1' }),
      await get('series', { 'match[]': 'up', limit: '1' }),
      await get('label/job/values', { limit: '1' }),
    ]
    expect(query.body).toMatchObject({ data: { result: [{}] }, warnings })
    expect(series.body).toMatchObject({ data: [{}], warnings })
    expect(values.body).toEqual({ status: 'success', data: ['a'], warnings })
    expect((await get('query', { query: 'up', limit: '0' })).body).not.toHaveProperty('warnings')
    expect((await get('query', { query: 'up', limit: '2' })).body).not.toHaveProperty('warnings')
    expect((await get('query', { query: '1', limit: '1' })).body).not.toHaveProperty('warnings')
  })

  test('a query is formatted', async () => {
    expect((await get('format_query', { query: 'sum  by(job)(up)' })).body).toEqual({
      status: 'success',
      data: 'sum by (job) (up)',
    })
  })
})

describe('what the engine is asked', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await makeServer()
  })
  afterAll(() => server.app.close())
  beforeEach(() => {
    server.engine.instants.length = 0
    server.engine.ranges.length = 0
    server.engine.reads.length = 0
    server.engine.failure = undefined
  })

  test('a form and a query string are one, the form first; unknown parameters are ignored', async () => {
    await server.app.inject({
      method: 'POST',
      url: '/api/v1/query?query=from_url&time=5&step=15',
      ...form([['query', 'from_form']]),
    })
    expect(server.engine.instants).toEqual([{ expr: 'from_form', timeMs: 5000 }])
  })

  test.each([
    ['text/plain', 'query=from_body'],
    ['application/json', ''],
    ['application/json', '{"query":"from_body"}'],
  ])('a body of type %s is not read', async (type, payload) => {
    const answer = await server.app.inject({
      method: 'POST',
      url: '/api/v1/query?query=from_url',
      headers: { 'content-type': type },
      payload,
    })
    expect([answer.statusCode, server.engine.instants[0]?.expr]).toEqual([200, 'from_url'])
  })

  test('a form above its limit is 413', async () => {
    const answer = await server.app.inject({
      method: 'POST',
      url: '/api/v1/query',
      ...form([['query', 'x'.repeat(11 * 2 ** 20)]]),
    })
    expect([answer.statusCode, answer.json<PrometheusError>().errorType]).toEqual([413, 'bad_data'])
  })

  test('step, lookback and timeout arrive in milliseconds', async () => {
    const fields = { query: 'up', start: '1.5', end: '100', step: '1m', lookback_delta: '90', timeout: '0.25' }
    await server.app.inject({ method: 'POST', url: '/api/v1/query_range', ...form(Object.entries(fields)) })
    expect(server.engine.ranges).toEqual([
      { expr: 'up', startMs: 1500, endMs: 100_000, stepMs: 60_000, lookbackMs: 90_000, timeoutMs: 250 },
    ])
  })

  test('all match[] of form and URL are selectors; without times all of time is meant', async () => {
    await server.app.inject({
      method: 'POST',
      url: '/api/v1/series?match[]=up',
      ...form([
        ['match[]', '{a="1"}'],
        ['match[]', 'down'],
      ]),
    })
    expect(server.engine.reads).toEqual([
      {
        what: 'series',
        range: { fromMs: -8.64e15, toMs: 8.64e15 },
        selectors: [
          [{ name: 'a', op: '=', value: '1' }],
          [{ name: '__name__', op: '=', value: 'down' }],
          [{ name: '__name__', op: '=', value: 'up' }],
        ],
      },
    ])
  })

  test('notes travel with a good answer', async () => {
    const { result } = server.engine
    server.engine.result = { ...result, warnings: ['w'], infos: ['i'] }
    const answer = await server.app.inject('/api/v1/query?query=up')
    server.engine.result = result
    expect(answer.json()).toMatchObject({ status: 'success', warnings: ['w'], infos: ['i'] })
  })

  test('a large answer leaves in pieces and is whole, compressed or not', async () => {
    const { result } = server.engine
    const timesMs = Float64Array.from({ length: 11_001 }, (_, i) => i * 1000)
    const series = ['a', 'b', 'c', 'd', 'e'].map((job, i) => ({
      labels: Labels.of({ job }),
      timesMs,
      values: timesMs.map((timeMs) => timeMs * i),
    }))
    server.engine.result = { ...result, value: { type: 'matrix', series }, warnings: ['w'] }
    const url = '/api/v1/query_range?query=up&start=0&end=11000&step=1'
    const plain = await server.app.inject(url)
    const zipped = await server.app.inject({ url, headers: { 'accept-encoding': 'gzip' } })
    server.engine.labelSets = Array.from({ length: 60_000 }, (_, i) => Labels.of({ i: String(i) }))
    const list = await server.app.inject('/api/v1/series?match[]=up')
    server.engine.result = result
    server.engine.labelSets = []

    expect([plain.headers['content-length'], plain.headers['content-type']]).toEqual([undefined, 'application/json'])
    const answer = plain.json<{
      data: { result: { metric: unknown; values: [number, string][] }[] }
      warnings: unknown
    }>()
    expect(answer.warnings).toEqual(['w'])
    expect(answer.data.result.map(({ metric, values }) => [metric, values.length, values.at(-1)])).toEqual(
      series.map(({ labels, values }) => [labels.toObject(), 11_001, [11_000, String(values.at(-1))]]),
    )
    expect(gunzipSync(zipped.rawPayload).toString()).toBe(plain.body)
    expect(list.json<{ data: unknown[] }>().data).toHaveLength(60_000)
  })

  test.each([
    [new FleetError('query_limit', 'too many samples'), 422, 'execution', 'too many samples'],
    [new FleetError('query_timeout', 'took too long'), 503, 'timeout', 'took too long'],
    [new FleetError('query_canceled', 'gone'), 499, 'canceled', 'gone'],
    [new FleetError('storage_failed', 'disk'), 503, 'unavailable', 'disk'],
    [new TypeError('x is undefined'), 500, 'internal', 'internal error; the server log has the details'],
  ])('%s is told as Prometheus tells it', async (failure, status, errorType, error) => {
    server.engine.failure = failure
    const answer = await server.app.inject('/api/v1/query?query=up')
    expect([answer.statusCode, answer.json()]).toEqual([status, { status: 'error', errorType, error }])
  })
})

test('a query is given up when the client goes away', async () => {
  const events = new EventEmitter()
  const [asked, aborted] = [once(events, 'asked'), once(events, 'aborted')]
  const { app } = await makeServer({
    query: Object.assign(new NotingEngine(), {
      instant: (_query: unknown, signal?: AbortSignal) =>
        new Promise<never>((_resolve, reject) => {
          signal?.addEventListener('abort', () => {
            reject(new FleetError('query_canceled', 'the client went away'))
            events.emit('aborted')
          })
          events.emit('asked')
        }),
    }),
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const controller = new AbortController()
  const answer = fetch(`${url}/api/v1/query?query=up`, { signal: controller.signal }).catch(() => 'gone')
  await asked
  controller.abort()
  await aborted
  expect(await answer).toBe('gone')
  await app.close()
})
