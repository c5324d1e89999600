import { expect, test } from 'vitest'
import { FleetError } from '../../../src/base/errors.ts'
import type { Principal } from '../../../src/model/token.ts'
import { encodeTracesJson, otlpSpan, tracesOf } from '../../support/otlp-traces.ts'
import { spanIdOf } from '../../support/spans.ts'
import { failingOtlp, NOW_MS, makeServer, type TestServer } from '../test-server.ts'

const NOW_NS = BigInt(NOW_MS) * 1_000_000n
const JSON_TYPE = { 'content-type': 'application/json' }

function body(...starts: readonly bigint[]): string {
  const spans = starts.map((startNs, i) => otlpSpan({ spanId: spanIdOf(i + 1), startNs, endNs: startNs }))
  return encodeTracesJson(tracesOf({ 'service.name': 'hco' }, ...spans))
}

async function send({ app }: TestServer, payload: string, headers: Readonly<Record<string, string>> = {}) {
  const answer = await app.inject({ method: 'POST', url: '/v1/traces', headers: { ...JSON_TYPE, ...headers }, payload })
  return { status: answer.statusCode, type: answer.headers['content-type'], text: answer.body, headers: answer.headers }
}

test('spans are taken without a word', async () => {
  const server = await makeServer()
  expect(await send(server, body(NOW_NS))).toMatchObject({ status: 200, type: 'application/json', text: '{}' })
  expect(server.spans).toHaveLength(1)
  await server.app.close()
})

test('what was refused is a partial success, and is counted', async () => {
  const server = await makeServer()
  const answer = await send(server, body(NOW_NS, 0n))
  expect(JSON.parse(answer.text)).toEqual({
    partialSuccess: {
      rejectedSpans: '1',
      errorMessage: expect.stringMatching(/^refused 1 of 2 spans: bad_timestamp \(1\)/) as string,
    },
  })
  const metrics = (await server.app.inject('/metrics')).body
  expect(metrics).toContain('daytwo_ingest_requests_total{format="otlp_traces",outcome="refused"} 1')
  expect(metrics).toContain('daytwo_ingest_samples_in_total{format="otlp_traces"} 2')
  expect(metrics).toContain('daytwo_ingest_samples_out_total{format="otlp_traces"} 1')
  expect(metrics).toContain('daytwo_ingest_samples_refused_total{format="otlp_traces",reason="bad_timestamp"} 1')
  expect((await server.app.inject('/debug/ingest')).body).toContain('bad_timestamp')
  await server.app.close()
})

test.each([
  [new FleetError('overloaded', 'the log cannot keep up'), 503, 14, '5'],
  [new Error('a bug'), 500, 13, undefined],
])('our own fault: %s', async (failure, status, code, retryAfter) => {
  const server = await makeServer({ writeOtlp: failingOtlp(failure) })
  const answer = await send(server, body(NOW_NS))
  expect([answer.status, answer.headers['retry-after']]).toEqual([status, retryAfter])
  expect(JSON.parse(answer.text)).toMatchObject({ code })
  await server.app.close()
})

test('a token is needed, its role is looked at, and its cluster is stamped', async () => {
  const principals: Readonly<Record<string, Principal>> = {
    sender: { name: 's', role: 'ingest', cluster: 'east' },
    person: { name: 'p', role: 'viewer' },
  }
  const server = await makeServer({ requiresToken: true, authenticate: (token) => Promise.resolve(principals[token]) })
  const as = (token: string) => send(server, body(NOW_NS), { authorization: `Bearer ${token}` })
  expect((await send(server, body(NOW_NS))).status).toBe(401)
  expect((await as('person')).status).toBe(403)
  expect((await as('sender')).status).toBe(200)
  expect(server.spans.map(({ resource }) => resource.cluster)).toEqual(['east'])
  await server.app.close()
})
