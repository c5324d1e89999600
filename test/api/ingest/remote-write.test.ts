import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { FleetError } from '../../../src/base/errors.ts'
import { Labels } from '../../../src/model/labels.ts'
import { encodeWriteRequest } from '../../../src/wire/remote-write-encode.ts'
import { encodeWriteRequestV2 } from '../../../src/wire/remote-write-v2-encode.ts'
import { encodeSnappy } from '../../../src/wire/snappy.ts'
import { NOW_MS, makeServer, type TestServer } from '../test-server.ts'

const HEADERS = {
  'content-type': 'application/x-protobuf',
  'content-encoding': 'snappy',
  'x-prometheus-remote-write-version': '0.1.0',
}

function body(...samples: readonly (readonly [timeMs: number, value: number])[]): Buffer {
  const labels = Labels.of({ __name__: 'up', cluster: 'a', job: 'x' })
  const series = samples.map(([timeMs, value]) => ({ labels, samples: [{ timeMs, value }] }))
  return Buffer.from(encodeSnappy(encodeWriteRequest(series)))
}

let server: TestServer
const open: TestServer[] = []
beforeEach(async () => {
  server = await makeServer({ settings: { bodyBytesMax: 4096 } })
  open.push(server)
})
afterAll(async () => {
  for (const { app } of open) await app.close()
})

const send = async (payload: Buffer, headers: Record<string, string> = HEADERS) => {
  const answer = await server.app.inject({ method: 'POST', url: '/api/v1/write', headers, payload })
  return { status: answer.statusCode, text: answer.body, headers: answer.headers }
}

test('good samples are taken and acknowledged without a word', async () => {
  expect(await send(body([NOW_MS, 1]))).toMatchObject({ status: 204, text: '' })
  expect(server.appender.seriesCount).toBe(1)
})

test('a request is counted by what became of its samples', async () => {
  await send(body([NOW_MS, 1]))
  await send(body([NOW_MS, 2], [NOW_MS + 3_600_000, 1]))
  const metrics = (await server.app.inject('/metrics')).body
  expect(metrics).toContain('daytwo_ingest_requests_total{format="remote_write",outcome="taken"} 1')
  expect(metrics).toContain('daytwo_ingest_requests_total{format="remote_write",outcome="refused"} 1')
  expect(metrics).toContain('daytwo_ingest_samples_in_total{format="remote_write"} 3')
  expect(metrics).toContain('daytwo_ingest_samples_out_total{format="remote_write"} 1')
  expect(metrics).toContain('daytwo_ingest_samples_refused_total{format="remote_write",reason="duplicate_sample"} 1')
  expect(metrics).toContain('daytwo_ingest_samples_refused_total{format="remote_write",reason="too_far_ahead"} 1')
})

describe('what is refused', () => {
  test.each([
    ['not snappy', Buffer.from('hello'), 400, /snappy/],
    ['snappy of something else', Buffer.from(encodeSnappy(Buffer.from([0xff, 0xff]))), 400, /protobuf|remote write/i],
    ['nothing', Buffer.alloc(0), 400, /./],
    ['a body above the limit', Buffer.alloc(5000), 413, /./],
    ['a second value at one time', body([NOW_MS, 1], [NOW_MS, 2]), 400, /duplicate sample for timestamp/],
  ])('%s', async (_what, payload, status, text) => {
    const answer = await send(payload)
    expect(answer).toMatchObject({ status, headers: { 'content-type': 'text/plain; charset=utf-8' } })
    expect(answer.text).toMatch(text)
    expect(Buffer.byteLength(answer.text)).toBeLessThanOrEqual(1025)
  })

  test.each([
    [{ 'content-type': 'application/json' }],
    [{ 'content-type': 'text/plain' }],
    [{ 'content-type': 'application/json;proto=io.prometheus.write.v2.Request' }],
    [{ 'content-type': 'application/x-protobuf; proto=other' }],
    [{ 'content-encoding': 'gzip' }],
    [{ 'content-encoding': 'zstd' }],
  ])('%j is 415, even for garbage above the limit', async (headers) => {
    const answer = await send(Buffer.alloc(5000), { ...HEADERS, ...headers })
    expect(answer.status).toBe(415)
    expect(answer.text).toContain(Object.values(headers)[0])
    expect(server.appender.seriesCount).toBe(0)
  })

  test.each([
    [{}],
    [{ 'content-type': 'application/x-protobuf' }],
    [{ 'content-type': 'application/x-protobuf;proto=prometheus.WriteRequest', 'content-encoding': 'SNAPPY' }],
    [{ 'content-type': 'application/x-protobuf; charset=binary' }],
  ])('%j is good enough', async (headers: Record<string, string>) => {
    expect((await send(body([NOW_MS, 1]), headers)).status).toBe(204)
  })
})

describe('remote write 2.0', () => {
  const TYPE = 'application/x-protobuf;proto=io.prometheus.write.v2.Request'
  const V2 = { ...HEADERS, 'content-type': TYPE, 'x-prometheus-remote-write-version': '2.0.0' }
  const bodyV2 = (...samples: readonly (readonly [timeMs: number, value: number])[]): Buffer => {
    const labels = Labels.of({ __name__: 'up', cluster: 'a', job: 'x' })
    const series = samples.map(([timeMs, value]) => ({ labels, samples: [{ timeMs, value }] }))
    return Buffer.from(encodeSnappy(encodeWriteRequestV2(series)))
  }
  /** What the answer says was written: samples, histograms, exemplars. */
  const written = (headers: Record<string, unknown>): unknown[] =>
    ['samples', 'histograms', 'exemplars'].map((what) => headers[`x-prometheus-remote-write-${what}-written`])

  test.each([
    ['all good', bodyV2([NOW_MS, 1], [NOW_MS + 1, 1]), V2, 204, '2'],
    ['partly good', bodyV2([NOW_MS, 1], [NOW_MS, 2]), V2, 400, '1'],
    ['a body of 1.0', body([NOW_MS, 1]), V2, 400, '0'],
    ['not snappy', Buffer.from('hello'), V2, 400, '0'],
    ['a body above the limit', Buffer.alloc(5000), V2, 413, '0'],
    ['another encoding', Buffer.alloc(10), { ...V2, 'content-encoding': 'gzip' }, 415, '0'],
    ['a content type in capitals', bodyV2([NOW_MS, 1]), { ...V2, 'content-type': TYPE.toUpperCase() }, 204, '1'],
  ])('says what was written: %s', async (_what, payload, headers, status, samples) => {
    const answer = await send(payload, headers)
    expect([answer.status, ...written(answer.headers)]).toEqual([status, samples, '0', '0'])
    expect(answer.text === '').toBe(status === 204)
  })

  test('says it when the fault is ours, and when the sender is not let in', async () => {
    const write = (): Promise<never> => Promise.reject(new FleetError('overloaded', 'the queue is full'))
    const request = { method: 'POST', url: '/api/v1/write', headers: V2, payload: bodyV2([NOW_MS, 1]) } as const
    for (const [status, overrides] of [
      [503, { write }],
      [401, { requiresToken: true }],
    ] as const) {
      const broken = await makeServer(overrides)
      const answer = await broken.app.inject(request)
      expect([answer.statusCode, ...written(answer.headers)]).toEqual([status, '0', '0', '0'])
      await broken.app.close()
    }
  })

  test('says nothing of it to 1.0, whose senders would take it for 2.0', async () => {
    for (const payload of [body([NOW_MS, 1]), body([NOW_MS, 2]), Buffer.from('hello')]) {
      expect(written((await send(payload)).headers)).toEqual([undefined, undefined, undefined])
    }
  })

  test('a body of 2.0 announced as 1.0 is a 400 that names it', async () => {
    const answer = await send(bodyV2([NOW_MS, 1]))
    expect(answer).toMatchObject({ status: 400 })
    expect(answer.text).toContain('a request of remote write 2.0')
  })

  test('is counted apart', async () => {
    await send(bodyV2([NOW_MS, 1], [NOW_MS, 2]), V2)
    const metrics = (await server.app.inject('/metrics')).body
    expect(metrics).toContain('daytwo_ingest_requests_total{format="remote_write_2",outcome="refused"} 1')
    expect(metrics).toContain('daytwo_ingest_samples_out_total{format="remote_write_2"} 1')
  })
})

test.each([
  [new FleetError('overloaded', 'the queue is full'), 'the queue is full\n'],
  [new FleetError('storage_full', 'the disk is full', { hint: 'make room' }), 'the disk is full (make room)\n'],
])('our own fault is 503 with a time to try again: %s', async (failure, text) => {
  const broken = await makeServer({ write: () => Promise.reject(failure) })
  const answer = await broken.app.inject({ method: 'POST', url: '/api/v1/write', headers: HEADERS, payload: 'x' })
  expect([answer.statusCode, answer.headers['retry-after'], answer.body]).toEqual([503, '5', text])
  expect((await broken.app.inject('/metrics')).body).toContain(
    'daytwo_ingest_requests_total{format="remote_write",outcome="failed"} 1',
  )
  await broken.app.close()
})

test('a connection is kept after an answer that did not wait for the body', async () => {
  const url = new URL(await server.app.listen({ host: '127.0.0.1', port: 0 }))
  const socket = connect(Number(url.port), '127.0.0.1')
  await once(socket, 'connect')
  const good = body([NOW_MS, 1])
  const request = (type: string, payload: Buffer) =>
    Buffer.concat([
      Buffer.from(
        `POST /api/v1/write HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: ${type}\r\n` +
          `Content-Length: ${payload.length}\r\n\r\n`,
      ),
      payload,
    ])
  let text = ''
  socket.setEncoding('utf8')
  const answered = new Promise<string>((resolved) => {
    socket.on('data', (chunk: string) => {
      text += chunk
      if (text.includes(' 204 ')) resolved(text)
    })
  })
  socket.write(Buffer.concat([request('text/plain', Buffer.alloc(2000)), request('application/x-protobuf', good)]))
  expect(await answered).toMatch(/^HTTP\/1\.1 415 [\s\S]*HTTP\/1\.1 204 /)
  socket.destroy()
})

const CAPTURED = resolve(import.meta.dirname, '../../../../shared/golden')
describe.skipIf(!existsSync(CAPTURED))(
  'bytes of a real Prometheus and of the golden set (skipped: no ../shared)',
  () => {
    test.each([
      ['captured/prom-2.42-rw1-samples.snappy', [204, 400]],
      ['captured/prom-2.42-rw1-metadata.snappy', [204]],
      ['rw/v1-samples.snappy', [204]],
      ['rw/v1-metadata-only.snappy', [204]],
      ['rw/empty.snappy', [204]],
      ['rw/v1-bad-labels.snappy', [400]],
      ['rw/bad-framed.snappy', [400]],
      ['rw/bad-length.snappy', [400]],
      ['rw/bad-raw.pb', [400]],
    ])('%s', async (file, statuses) => {
      expect(statuses).toContain((await send(readFileSync(resolve(CAPTURED, file)))).status)
    })
  },
)
