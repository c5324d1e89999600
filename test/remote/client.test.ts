import { createServer, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AnsweredSeries, AnswerFrame, AnswerShape } from '../../src/remote/answer-reader.ts'
import { FAILURES_MAX, PAUSE_MS } from '../../src/remote/breaker.ts'
import { RemoteClient, type RemoteRequest } from '../../src/remote/client.ts'
import { RemoteCounters } from '../../src/remote/counters.ts'
import { createHttpClient } from '../../src/remote/http.ts'
import { REMOTE_STORE_DEFAULTS, type RemoteStoreOptions } from '../../src/remote/options.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { FakeStore } from './fake-store.ts'

const PATH = '/api/v1/query'
let fake: FakeStore
let clock: FakeClock
let counters: RemoteCounters
const clients: RemoteClient[] = []

beforeEach(async () => {
  fake = await new FakeStore().start()
  clock = new FakeClock(1000)
  counters = new RemoteCounters()
})
afterEach(async () => {
  for (const client of clients.splice(0)) client.close()
  await fake.stop()
})

function clientOf(options: Partial<RemoteStoreOptions> = {}, onReturn?: () => void): RemoteClient {
  const all = { ...REMOTE_STORE_DEFAULTS, url: fake.url, ...options }
  const client = new RemoteClient({
    ...{
      http: createHttpClient(all),
      options: all,
      nowMs: () => clock.nowMs(),
      after: clock.after.bind(clock),
      counters,
    },
    ...(onReturn === undefined ? {} : { onReturn }),
  })
  clients.push(client)
  return client
}

function answer(text: string | Uint8Array, status = 200, headers: Readonly<Record<string, string>> = {}): void {
  fake.answers.set(PATH, (_, response) => {
    response.writeHead(status, headers)
    response.end(text)
  })
}

interface Read {
  readonly series: readonly AnsweredSeries[]
  readonly frame: AnswerFrame
}

async function read(
  client: RemoteClient,
  request: Partial<RemoteRequest> = {},
  limits: Partial<Pick<AnswerShape, 'seriesMax' | 'samplesMax'>> = {},
): Promise<Read> {
  const series: AnsweredSeries[] = []
  const frame = await client.read(
    { method: 'POST', path: PATH, params: new URLSearchParams({ query: 'up' }), lane: 'requests', ...request },
    { list: 'result', seriesMax: 10, samplesMax: 100, ...limits, items: { series: (one) => series.push(one) } },
  )
  return { series, frame }
}

const matrix = (series: number, samples: number): string =>
  JSON.stringify({
    status: 'success',
    data: {
      resultType: 'matrix',
      result: Array.from({ length: series }, (_, i) => ({
        metric: { __name__: 'up', i: String(i) },
        values: Array.from({ length: samples }, (__, s) => [1_787_220_000 + s / 10, String(s / 4)]),
      })),
    },
    warnings: ['careful'],
  })

describe('an answer', () => {
  test('is read into columns, compressed too', async () => {
    for (const [body, headers] of [
      [matrix(2, 3), {}],
      [gzipSync(matrix(2, 3)), { 'content-encoding': 'gzip' }],
    ] as const) {
      answer(body, 200, headers)
      const { series, frame } = await read(clientOf())
      expect(series.map(({ labels }) => labels.toString())).toEqual(['up{i="0"}', 'up{i="1"}'])
      expect(series[1]).toMatchObject({
        timesMs: Float64Array.of(1_787_220_000_000, 1_787_220_000_100, 1_787_220_000_200),
        values: Float64Array.of(0, 0.25, 0.5),
      })
      expect(frame.warnings).toEqual(['careful'])
    }
    expect(counters.totals()).toMatchObject({ requests: { ok: 2 }, bytesRead: matrix(2, 3).length * 2 })
  })

  test.each([
    ['series', { seriesMax: 2 }, {}, 3, 1, 'has more than 2 series'],
    ['samples', { samplesMax: 5 }, {}, 3, 2, 'has more than 5 samples, the value of query.samples-max'],
    ['bytes', {}, { answerBytesMax: 300 }, 3, 20, 'longer than 300 bytes, the value of store.metrics-answer-bytes-max'],
  ])('with more %s than the limit ends the query', async (_, limits, options, series, samples, message) => {
    answer(matrix(series, samples))
    const failure = read(clientOf(options), {}, limits)
    await expect(failure).rejects.toMatchObject({
      code: 'query_limit',
      message: expect.stringContaining(message) as string,
    })
    const within = await read(clientOf(), {}, { seriesMax: series, samplesMax: series * samples })
    expect(within.series).toHaveLength(series)
  })

  test.each([
    ['a page', '<html>Not here</html>'],
    ['nothing', ''],
    ['half of it', matrix(2, 3).slice(0, 150)],
    ['without success', '{"status":"odd","data":{}}'],
    ['a point without a value', matrix(1, 1).replace(',"0"]', ']')],
    ['a value that is not a number', matrix(1, 1).replace('"0"]', '"x"]')],
    ['a label that is a list', matrix(1, 1).replace('"up"', '["up"]')],
    ['a series without labels', matrix(1, 1).replace('"metric"', '"labels"')],
  ])('that is %s', async (_, body) => {
    answer(body)
    await expect(read(clientOf())).rejects.toMatchObject({
      code: 'remote_unavailable',
      message: expect.stringContaining('its answer cannot be read') as string,
    })
  })

  test('whose connection breaks', async () => {
    fake.answers.set(PATH, (_, response) => {
      response.writeHead(200, { 'content-length': '1000' })
      response.write(matrix(1, 1), () => response.destroy())
    })
    await expect(read(clientOf())).rejects.toMatchObject({ code: 'remote_unavailable' })
  })
})

test.each([
  [
    400,
    '{"status":"error","errorType":"bad_data","error":"unknown function"}',
    'query_execution',
    'answered 400: unknown function',
  ],
  [
    422,
    '{"status":"error","errorType":"execution","error":"many-to-many"}',
    'query_execution',
    'answered 422: many-to-many',
  ],
  [
    422,
    '{"status":"error","errorType":"execution","error":"query processing would load too many samples into memory"}',
    'query_limit',
    'too many samples',
  ],
  [
    422,
    '{"status":"error","errorType":"422","error":"the number of matching timeseries exceeds 30000; see -search.maxUniqueTimeseries"}',
    'query_limit',
    'exceeds 30000',
  ],
  [
    422,
    '{"status":"error","errorType":"execution","error":"the query hit the limit (err-mimir-max-series-per-query)"}',
    'query_limit',
    'err-mimir',
  ],
  [503, '{"status":"error","errorType":"timeout","error":"query timed out"}', 'query_timeout', 'query timed out'],
  [503, '{"status":"error","errorType":"canceled","error":"context canceled"}', 'query_canceled', 'context canceled'],
  [503, 'no healthy upstream', 'remote_unavailable', 'answered 503: no healthy upstream'],
  [504, '', 'query_timeout', 'answered 504'],
  [429, 'slow down', 'overloaded', 'answered 429: slow down'],
  [413, '', 'query_limit', 'answered 413'],
  [401, 'who?', 'remote_unavailable', 'answered 401: who?'],
  [500, '', 'remote_unavailable', 'answered 500'],
])('an answer with status %i %s', async (status, body, code, message) => {
  answer(body, status)
  await expect(read(clientOf())).rejects.toMatchObject({ code, message: expect.stringContaining(message) as string })
  await expect(read(clientOf())).rejects.toThrow(`the metrics store at ${fake.url}`)
  expect(counters.totals().requests).toEqual({ [code]: 2 })
})

describe('headers', () => {
  test('are sent, and read again after they were refused', async () => {
    let token = 'old'
    fake.answers.set(PATH, ({ headers }, response) => {
      response.statusCode = headers.authorization === 'Bearer new' ? 200 : 401
      response.end(matrix(1, 1))
    })
    let known = { authorization: 'Bearer old', 'x-scope-orgid': 'team' }
    const headers = (wereRefused: boolean) => {
      if (wereRefused) known = { ...known, authorization: `Bearer ${token}` }
      return known
    }
    const client = clientOf({ headers })
    await expect(read(client)).rejects.toMatchObject({
      code: 'remote_unavailable',
      hint: expect.stringContaining('headers') as string,
    })
    expect(fake.requests).toHaveLength(1)
    token = 'new'
    expect((await read(client)).series).toHaveLength(1)
    expect(fake.requests.at(-1)!.headers).toMatchObject({ authorization: 'Bearer new', 'x-scope-orgid': 'team' })
  })
})

describe('a slow answer', () => {
  /** Resolves when the connection of the request is closed. */
  function hang(write: (response: ServerResponse) => void = () => undefined): Promise<void> {
    return new Promise((resolve) => {
      fake.answers.set(PATH, (_, response) => {
        response.on('close', resolve)
        write(response)
      })
    })
  }
  const arrived = async (): Promise<void> => {
    while (fake.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
  }

  test('ends at the time limit, also in its middle, and closes the connection', async () => {
    const closed = hang((response) => response.write(matrix(1, 1).slice(0, 40)))
    const reading = read(clientOf({ timeoutMs: 3000 }), { timeoutMs: 10_000 })
    const failed = expect(reading).rejects.toMatchObject({
      code: 'query_timeout',
      message: expect.stringContaining('within 3000 ms') as string,
    })
    await arrived()
    clock.advance(2999)
    clock.advance(1)
    await failed
    await closed
  })

  test('ends when its caller leaves: by a signal, or by the flag of another thread', async () => {
    const client = clientOf()
    const controller = new AbortController()
    let closed = hang()
    let failed = expect(read(client, { signal: controller.signal })).rejects.toMatchObject({ code: 'query_canceled' })
    await arrived()
    controller.abort()
    await failed
    await closed
    const flag = { aborted: false }
    fake.requests.length = 0
    closed = hang()
    failed = expect(read(client, { signal: flag })).rejects.toMatchObject({ code: 'query_canceled' })
    await arrived()
    clock.advance(100)
    flag.aborted = true
    clock.advance(100)
    await failed
    await closed
    await expect(read(client, { signal: { aborted: true } })).rejects.toMatchObject({ code: 'query_canceled' })
  })

  test('takes a place, others wait, and too many are refused', async () => {
    const closed = hang()
    const client = clientOf({ concurrencyMax: 1, waitingMax: 1, timeoutMs: 1000 })
    const first = expect(read(client)).rejects.toMatchObject({ code: 'query_timeout' })
    const second = expect(read(client)).rejects.toMatchObject({ code: 'query_timeout' })
    await arrived()
    expect([client.running, client.waiting]).toEqual([1, 1])
    await expect(read(client)).rejects.toMatchObject({ code: 'overloaded' })
    // Rules have places of their own.
    const rule = expect(read(client, { lane: 'rules' })).rejects.toMatchObject({ code: 'query_timeout' })
    while (fake.requests.length < 2) await new Promise((resolve) => setImmediate(resolve))
    clock.advance(1000)
    await Promise.all([first, second, rule, closed])
    expect([client.running, client.waiting]).toEqual([0, 0])
  })
})

describe('a store that fails', () => {
  test('several times in a row is not asked again at once, and is tested after a pause', async () => {
    const returns: string[] = []
    const client = clientOf({}, () => returns.push('again'))
    answer('', 502)
    for (let i = 0; i < FAILURES_MAX; i++) {
      expect(client.fault).toBeUndefined()
      await expect(read(client)).rejects.toThrow('answered 502')
    }
    expect(client.fault).toContain('answered 502')
    await expect(read(client)).rejects.toMatchObject({
      code: 'remote_unavailable',
      message: expect.stringContaining(`failed ${FAILURES_MAX} times in a row`) as string,
      hint: expect.stringContaining('in 1 s') as string,
    })
    expect(fake.requests).toHaveLength(FAILURES_MAX)
    clock.advance(PAUSE_MS - 1)
    await expect(read(client)).rejects.toThrow('in a row')
    clock.advance(1)
    await expect(read(client)).rejects.toThrow('answered 502')
    // The pause is twice as long.
    clock.advance(PAUSE_MS)
    await expect(read(client)).rejects.toThrow('in a row')
    clock.advance(PAUSE_MS)
    answer(matrix(1, 1))
    const both = await Promise.allSettled([read(client), read(client)])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(returns).toEqual(['again'])
    expect(client.fault).toBeUndefined()
    await read(client)
  })

  test('answers that name a fault of the query do not count', async () => {
    const client = clientOf()
    answer('{"status":"error","error":"bad"}', 422)
    for (let i = 0; i < FAILURES_MAX + 1; i++)
      await expect(read(client)).rejects.toMatchObject({ code: 'query_execution' })
    expect(client.fault).toBeUndefined()
  })

  test('is there although it does not have an address', async () => {
    const client = clientOf()
    answer('404 page not found', 404)
    for (let i = 0; i < FAILURES_MAX + 1; i++) await expect(read(client)).rejects.toThrow('answered 404')
    expect(client.fault).toBeUndefined()
  })

  test('is named with what to check', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    taken.close()
    await once(taken, 'close')
    await fake.stop()
    await expect(read(clientOf())).rejects.toMatchObject({
      code: 'remote_unavailable',
      hint: 'check that the metrics store runs and can be reached from here',
    })
    await fake.start()
  })
})
