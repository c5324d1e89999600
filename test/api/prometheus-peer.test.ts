import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { federateOver } from '../../src/api/prometheus/federate.ts'
import { createLocalEngine } from '../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../src/promql/engine-options.ts'
import { Labels } from '../../src/model/labels.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { MemoryQueryable } from '../support/memory-queryable.ts'
import { findPeer, requirePeer } from '../support/peers.ts'
import { startPrometheus, type RunningPrometheus } from '../support/prometheus.ts'
import { postWrite, writeBody } from '../support/remote-write.ts'
import { makeServer, type TestServer } from './test-server.ts'

// The same requests to a real Prometheus and to this API over the same samples: status, type and body are the same. What
// Prometheus 3 answers otherwise than the 2.42 that is at hand, and what is meant to differ, is not among them.

let prometheus: RunningPrometheus | undefined
let server: TestServer | undefined
beforeAll(async () => {
  const path = findPeer('prometheus')
  if (path === undefined) return
  prometheus = await startPrometheus({ path, targets: [], isReceiver: true })
  // A real Prometheus has a clock of its own, so the samples are of now.
  const nowMs = Math.floor(Date.now() / 1000) * 1000
  const samples = [
    [{ __name__: 'up', job: 'a', instance: 'i1' }, 1],
    [{ __name__: 'up', job: 'b' }, 0.000001],
    [{ __name__: 'large', job: 'a"b\\c\n' }, 123456789.5],
    [{ __name__: 'not_a_number', instance: 'i1' }, NaN],
  ] as const
  const queryable = new MemoryQueryable()
  for (const [labels, value] of samples) queryable.append(Labels.of(labels), nowMs - 1000, value)
  const body = writeBody(samples.map(([labels, value]) => ({ labels, samples: [{ timeMs: nowMs - 1000, value }] })))
  expect((await postWrite(prometheus.url, body)).status).toBe(204)
  const engine = createLocalEngine({ queryable, options: DEFAULT_ENGINE_OPTIONS, nowMs: () => nowMs })
  server = await makeServer({
    clock: new FakeClock(nowMs),
    query: engine,
    federate: federateOver(engine, 1_000_000),
    settings: { corsOrigins: ['*'] },
  })
})
afterAll(async () => {
  await prometheus?.stop()
  await server?.app.close()
})

interface Answer {
  readonly status: number
  readonly type: string | null
  readonly origin: string | null
  readonly body: unknown
}

const bodyOf = (text: string, type: string | null): unknown => (type === 'application/json' ? JSON.parse(text) : text)
/** Pages are let in to the API alone. */
const headersOf = (url: string): Record<string, string> =>
  url.startsWith('/api/') ? { origin: 'https://perses.example' } : {}

async function theirs(method: string, url: string): Promise<Answer> {
  const answer = await fetch(`${prometheus!.url}${url}`, { method, headers: headersOf(url) })
  const type = answer.headers.get('content-type')
  const origin = answer.headers.get('access-control-allow-origin')
  return { status: answer.status, type, origin, body: bodyOf(await answer.text(), type) }
}

async function ours(method: string, url: string): Promise<Answer> {
  const { statusCode, headers, body } = await server!.app.inject({
    method: method as 'GET',
    url,
    headers: headersOf(url),
  })
  const type = headers['content-type']?.toString() ?? null
  const origin = headers['access-control-allow-origin']?.toString() ?? null
  return { status: statusCode, type, origin, body: bodyOf(body, type) }
}

const LONG = 'kubevirt_hyperconverged_operator_health_status{cluster="prague-prod-01",namespace="openshift-cnv"}'

describe('/api/v1/format_query', () => {
  test.for([
    'sum  by(job)(up)',
    LONG,
    `sum by (cluster) (rate(${LONG}[5m]))`,
    `topk(3, ${LONG})`,
    `label_replace(${LONG}, "a", "$1", "b", "(.*)")`,
    `${LONG} > bool on (cluster) group_left (team) up{job="a"}`,
    `-(${LONG} + 1)`,
    `-${LONG}`,
    `max_over_time(rate(${LONG}[5m])[1h:1m] offset 1d)`,
    `sum(max_over_time(up[1h:1m])) + ${LONG}`,
    `count_values("x", ${LONG}) or (${LONG} and ${LONG})`,
    `histogram_quantile(0.9, sum by (le) (rate(${LONG}[5m]))) > 1 and on() vector(1)`,
    `quantile by (a) (scalar(up), ${LONG} @ end() offset -5m)`,
  ])('%s', async (query, context) => {
    requirePeer('prometheus', context)
    const url = `/api/v1/format_query?query=${encodeURIComponent(query)}`
    expect(await ours('GET', url)).toEqual(await theirs('GET', url))
  })
})

describe('answers and refusals', () => {
  test.for([
    'GET /api/v1/query?query=up&time=1',
    'GET /api/v1/query?query=1%2B1&time=1.5',
    'GET /api/v1/query?query=%22x%22&time=2026-08-20T10:00:00Z',
    'GET /api/v1/query?query=foo(up)',
    'GET /api/v1/query?query=sum(up',
    'GET /api/v1/query',
    'GET /api/v1/query?query=up&timeout=x',
    'GET /api/v1/query_range?query=up&start=1&end=2&step=1&timeout=x',
    'GET /api/v1/query_range?query=up&start=0&end=11001&step=1',
    'GET /api/v1/query_range?query=up&start=2&end=1&step=1',
    'GET /api/v1/query_range?query=up&start=1&end=2&step=0',
    'GET /api/v1/series',
    'GET /api/v1/series?match[]=up',
    'GET /api/v1/series?match[]=up&match[]=large&start=5&end=99999999999',
    'GET /api/v1/series?match[]=up&start=5&end=1',
    'GET /api/v1/series?match[]={a=""}',
    'GET /api/v1/labels',
    'GET /api/v1/labels?match[]=up&match[]=not_a_number',
    'GET /api/v1/labels?match[]={a=""}',
    'GET /api/v1/labels?start=5&end=1',
    'GET /api/v1/label/job/values',
    'GET /api/v1/label/job/values?match[]={instance="i1"}',
    'GET /api/v1/label/job/values?match[]={a=""}',
    'GET /api/v1/label/job/values?match[]=up{',
    'GET /api/v1/label/nothing/values',
    'GET /api/v1/query_exemplars?query=up',
    'GET /api/v1/query_exemplars?query=up{',
    'GET /api/v1/query_exemplars?query=up&start=2&end=1',
    'GET /api/v1/metadata',
    'GET /api/v1/metadata?limit=x',
    'GET /api/v1/targets/metadata?metric=x',
    'GET /api/v1/targets/metadata?match_target={',
    'GET /api/v1/targets/metadata?limit=x',
    'GET /api/v1/alertmanagers',
    'GET /api/v1/status/walreplay',
    'GET /api/v1/rules',
    'GET /api/v1/rules?type=x',
    'GET /api/v1/alerts',
    'GET /api/v1/nothing',
    'POST /api/v1/rules',
    'PUT /api/v1/query',
    'HEAD /api/v1/query?query=1',
    'OPTIONS /api/v1/query',
    'OPTIONS /api/v1/none',
    'POST /api/v1/admin/tsdb/snapshot',
    'PUT /api/v1/admin/tsdb/delete_series?match[]=up',
    'GET /api/v1/admin/tsdb/snapshot',
    'PUT /-/quit',
    'POST /federate',
    'GET /federate?match[]=up{',
  ])('%s', async (request, context) => {
    requirePeer('prometheus', context)
    const [method, url] = request.split(' ') as [string, string]
    const [mine, real] = [await ours(method, url), await theirs(method, url)]
    expect(mine).toEqual(real)
  })

  test('federation', async (context) => {
    requirePeer('prometheus', context)
    const url = '/federate?match[]=up&match[]=large&match[]=not_a_number&match[]={instance="i1"}'
    const [mine, real] = [await ours('GET', url), await theirs('GET', url)]
    expect([mine.status, mine.body]).toEqual([real.status, real.body])
    expect(mine.type).toBe(`${real.type ?? ''}; escaping=underscores`)
  })
})
