import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Value } from 'typebox/value'
import { ExplainAnswer } from '../../../src/contract/explain.ts'
import type { PrometheusError } from '../../../src/contract/prometheus.ts'
import { Labels } from '../../../src/model/labels.ts'
import { createLocalEngine } from '../../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../../src/promql/engine-options.ts'
import { MemoryQueryable } from '../../support/memory-queryable.ts'
import { form, makeServer, NOW_MS, type TestServer } from '../test-server.ts'

const queryable = new MemoryQueryable()
for (let i = 0; i < 20; i++) queryable.append(Labels.of({ __name__: 'm_total', i: '1' }), NOW_MS - i * 15_000, 20 - i)

let server: TestServer
beforeAll(async () => {
  const engine = createLocalEngine({ queryable, options: DEFAULT_ENGINE_OPTIONS, nowMs: () => performance.now() })
  server = await makeServer({ query: engine, explain: (asked, signal) => engine.explain(asked, signal) })
})
afterAll(() => server.app.close())

async function explained(fields: Record<string, string>): Promise<ExplainAnswer['data']> {
  const url = `/api/v1/explain?${new URLSearchParams(fields).toString()}`
  const got = await server.app.inject(url)
  expect(got.statusCode, got.body).toBe(200)
  const posted = await server.app.inject({ method: 'POST', url: '/api/v1/explain', ...form(Object.entries(fields)) })
  for (const answer of [got, posted]) expect([...Value.Errors(ExplainAnswer, answer.json())]).toEqual([])
  const { data } = got.json<ExplainAnswer>()
  const again = posted.json<ExplainAnswer>().data
  expect([again.query, again.steps, again.samplesRead]).toEqual([data.query, data.steps, data.samplesRead])
  return data
}

describe('/api/v1/explain', () => {
  test('tells of an instant query, now by default', async () => {
    expect(await explained({ query: 'sum(rate(m_total[1m]))' })).toMatchObject({
      query: 'sum(rate(m_total[1m]))',
      startMs: NOW_MS,
      endMs: NOW_MS,
      steps: 1,
      samplesRead: 4,
      root: { kind: 'aggregate', children: [{ text: 'rate(m_total[1m])' }] },
    })
    expect(await explained({ query: 'm_total', time: '5' })).toMatchObject({
      startMs: 5000,
      root: { result: { series: 0 } },
    })
  })

  test('tells of a range query', async () => {
    const range = { start: String(NOW_MS / 1000 - 60), end: String(NOW_MS / 1000), step: '15' }
    expect(await explained({ query: '1 + m_total', ...range })).toMatchObject({
      stepMs: 15_000,
      steps: 5,
      root: { result: { type: 'vector', series: 1, samples: 5, steps: 5 } },
    })
  })

  test.each([
    [{ query: 'sum(' }, 400, 'bad_data', /^invalid parameter "query": .*parse error/],
    [{ query: 'm_total', start: '1' }, 400, 'bad_data', /^invalid parameter "end"/],
    [{ query: 'm_total', time: 'x' }, 400, 'bad_data', /^invalid parameter "time"/],
    [{ query: 'm_total + on () group_left () m_total * 0', timeout: 'x' }, 400, 'bad_data', /"timeout"/],
  ])('refuses %j', async (fields: Record<string, string>, status, errorType, message) => {
    const answer = await server.app.inject(`/api/v1/explain?${new URLSearchParams(fields).toString()}`)
    const { error, ...rest } = answer.json<PrometheusError>()
    expect([answer.statusCode, rest]).toEqual([status, { status: 'error', errorType }])
    expect(error).toMatch(message)
  })
})
