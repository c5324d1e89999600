import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { installRouteTable } from '../../src/api/server/route-config.ts'
import { DEFAULT_FARO_OPTIONS } from '../../src/api/ingest/faro.ts'
import type { ThreadFault } from '../../src/model/server-fault.ts'
import { makeServer, type TestServer } from './test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await makeServer({ faro: DEFAULT_FARO_OPTIONS })
})
afterAll(() => server.app.close())

/** Who may use what, and of which clusters. A route that is not here was added without a thought about who may use it. */
const ROUTES = `
GET,HEAD                      viewer  text        none      /
GET,HEAD                      public  text        none      /-/healthy
POST,PUT                      admin   text        fleet     /-/quit
GET,HEAD                      public  text        none      /-/ready
POST,PUT                      admin   text        fleet     /-/reload
GET,HEAD                      viewer  text        none      /adoption
GET,HEAD                      viewer  text        none      /adoption/*
GET,HEAD                      viewer  text        none      /alerts
GET,HEAD                      viewer  text        none      /alerts/*
GET                           viewer  own         clusters  /api/adoption/v1/behind
GET                           viewer  own         clusters  /api/adoption/v1/older-than
GET                           viewer  own         clusters  /api/adoption/v1/operators
GET                           viewer  own         clusters  /api/adoption/v1/share
GET                           viewer  own         clusters  /api/adoption/v1/spread
GET                           viewer  own         clusters  /api/adoption/v1/usage
GET                           viewer  own         clusters  /api/adoption/v1/workloads
GET                           viewer  own         none      /api/dashboards/v1
GET                           viewer  own         clusters  /api/dashboards/v1/:name
GET                           viewer  jaeger      clusters  /api/dependencies
GET                           viewer  own         clusters  /api/fleet/v1/alerts
GET                           viewer  own         clusters  /api/fleet/v1/alerts/:fingerprint
DELETE,POST                   responder  own         clusters  /api/fleet/v1/alerts/:fingerprint/acknowledge
GET                           viewer  own         clusters  /api/fleet/v1/alerts/history
GET                           viewer  own         clusters  /api/fleet/v1/alerts/strip
GET                           viewer  own         clusters  /api/fleet/v1/audit
GET                           viewer  own         clusters  /api/fleet/v1/bundles/alerts/:fingerprint
GET                           viewer  own         clusters  /api/fleet/v1/bundles/rollouts/:version
GET                           viewer  own         clusters  /api/fleet/v1/bundles/upgrades/:id
GET                           viewer  own         clusters  /api/fleet/v1/clusters
GET                           viewer  own         clusters  /api/fleet/v1/clusters/:cluster
GET                           viewer  own         clusters  /api/fleet/v1/clusters/:cluster/changes
GET                           admin   own         clusters  /api/fleet/v1/clusters/:cluster/stored
GET                           viewer  own         clusters  /api/fleet/v1/configuration
DELETE,PUT                    responder  own         fleet     /api/fleet/v1/configuration/baseline
GET                           viewer  own         clusters  /api/fleet/v1/configuration/baseline/replay
GET                           viewer  own         clusters  /api/fleet/v1/configuration/clusters/:cluster
GET                           viewer  own         clusters  /api/fleet/v1/configuration/settings/:setting
POST                          responder  own         clusters  /api/fleet/v1/decommissions
GET                           viewer  own         clusters  /api/fleet/v1/decommissions
DELETE                        responder  own         clusters  /api/fleet/v1/decommissions/:id
GET                           viewer  own         clusters  /api/fleet/v1/deliveries
GET                           viewer  own         clusters  /api/fleet/v1/deliveries/:id
GET                           viewer  own         clusters  /api/fleet/v1/deprecated-apis
GET                           viewer  own         clusters  /api/fleet/v1/edges
GET                           viewer  own         clusters  /api/fleet/v1/edges/compare
GET                           viewer  own         clusters  /api/fleet/v1/edges/runs
GET,POST                      admin   own         clusters  /api/fleet/v1/erasures
POST                          admin   own         clusters  /api/fleet/v1/erasures/:id/allow
GET                           viewer  own         fleet     /api/fleet/v1/events
DELETE                        admin   own         fleet     /api/fleet/v1/external-alerts
GET                           viewer  own         fleet     /api/fleet/v1/external-alerts
GET                           viewer  own         clusters  /api/fleet/v1/gates
GET                           viewer  own         clusters  /api/fleet/v1/gates/:gate
GET                           viewer  own         clusters  /api/fleet/v1/kvm-stack
GET                           viewer  own         clusters  /api/fleet/v1/logs
GET                           viewer  own         none      /api/fleet/v1/metrics
GET                           viewer  own         clusters  /api/fleet/v1/modifications
GET                           viewer  own         clusters  /api/fleet/v1/now
GET                           viewer  own         clusters  /api/fleet/v1/patches
GET                           viewer  own         clusters  /api/fleet/v1/patches/:key
POST                          viewer  own         clusters  /api/fleet/v1/plans
DELETE                        admin   own         fleet     /api/fleet/v1/processes/:name
GET                           viewer  own         clusters  /api/fleet/v1/readiness
POST                          responder  own         clusters  /api/fleet/v1/readiness/acceptances
GET                           viewer  own         clusters  /api/fleet/v1/readiness/acceptances
DELETE                        responder  own         clusters  /api/fleet/v1/readiness/acceptances/:id
GET                           viewer  own         clusters  /api/fleet/v1/readiness/hazards
GET                           viewer  own         fleet     /api/fleet/v1/receivers
GET                           viewer  own         clusters  /api/fleet/v1/rollouts
GET                           viewer  own         clusters  /api/fleet/v1/rollouts/:version
POST                          viewer  own         clusters  /api/fleet/v1/rollouts/:version/gate
GET                           viewer  own         fleet     /api/fleet/v1/routes
POST                          viewer  own         fleet     /api/fleet/v1/routes/test
POST                          viewer  own         clusters  /api/fleet/v1/rules/replay
GET                           viewer  own         none      /api/fleet/v1/rules/tests
POST                          responder  own         clusters  /api/fleet/v1/silences
GET                           viewer  own         clusters  /api/fleet/v1/silences
DELETE,PUT                    responder  own         clusters  /api/fleet/v1/silences/:id
GET                           viewer  own         clusters  /api/fleet/v1/silences/:id
POST                          viewer  own         clusters  /api/fleet/v1/silences/preview
GET                           viewer  own         clusters  /api/fleet/v1/stranded
GET                           viewer  own         clusters  /api/fleet/v1/stuck
GET                           viewer  own         clusters  /api/fleet/v1/unjoined
GET                           viewer  own         clusters  /api/fleet/v1/update-graph
GET                           viewer  own         none      /api/fleet/v1/update-graph/imports
DELETE,PUT                    admin   own         fleet     /api/fleet/v1/update-graph/imports/:name
GET                           viewer  own         clusters  /api/fleet/v1/upgrades
GET                           viewer  own         clusters  /api/fleet/v1/upgrades/:id
GET                           viewer  own         clusters  /api/fleet/v1/upgrades/:id/detail
GET                           viewer  own         none      /api/lint
GET                           viewer  own         none      /api/openapi.json
GET                           viewer  jaeger      clusters  /api/operations
GET                           viewer  own         clusters  /api/runbooks/v1/outcomes
GET                           viewer  own         clusters  /api/runbooks/v1/outcomes/:name
GET                           viewer  own         clusters  /api/runbooks/v1/pages
GET                           viewer  own         clusters  /api/runbooks/v1/pages/:name
GET                           viewer  own         none      /api/runbooks/v1/pages/:name/source
GET                           viewer  own         clusters  /api/runbooks/v1/reviews/alerts/:fingerprint/:activeAtMs
GET                           viewer  own         clusters  /api/runbooks/v1/reviews/upgrades/:id
POST                          responder  own         clusters  /api/runbooks/v1/work/:fingerprint/:activeAtMs
GET                           viewer  own         clusters  /api/runbooks/v1/work/:fingerprint/:activeAtMs
GET                           viewer  jaeger      clusters  /api/services
GET                           viewer  jaeger      clusters  /api/services/:service/operations
GET                           viewer  jaeger      clusters  /api/traces
GET                           viewer  jaeger      clusters  /api/traces/:traceId
GET                           viewer  own         clusters  /api/ui/v1/settings
GET                           viewer  own         none      /api/upgrades_info/graph
OPTIONS                       public  prometheus  none      /api/v1/*
POST,PUT                      admin   prometheus  fleet     /api/v1/admin/tsdb/clean_tombstones
POST,PUT                      admin   prometheus  fleet     /api/v1/admin/tsdb/delete_series
POST,PUT                      admin   prometheus  fleet     /api/v1/admin/tsdb/snapshot
GET                           viewer  prometheus  fleet     /api/v1/alertmanagers
GET                           viewer  prometheus  clusters  /api/v1/alerts
GET,POST                      viewer  prometheus  clusters  /api/v1/explain
GET                           viewer  prometheus  none      /api/v1/features
GET,POST                      viewer  prometheus  clusters  /api/v1/format_query
GET                           viewer  prometheus  clusters  /api/v1/label/:name/values
GET,POST                      viewer  prometheus  clusters  /api/v1/labels
GET                           viewer  prometheus  clusters  /api/v1/metadata
GET                           viewer  prometheus  none      /api/v1/notifications
GET                           viewer  prometheus  none      /api/v1/notifications/live
POST                          ingest  otlp        fleet     /api/v1/otlp/v1/metrics
GET,POST                      viewer  prometheus  clusters  /api/v1/parse_query
GET,POST                      viewer  prometheus  clusters  /api/v1/query
GET,POST                      viewer  prometheus  clusters  /api/v1/query_exemplars
GET,POST                      viewer  prometheus  clusters  /api/v1/query_range
GET                           viewer  prometheus  clusters  /api/v1/rules
GET                           viewer  prometheus  clusters  /api/v1/scrape_pools
GET,POST                      viewer  prometheus  clusters  /api/v1/series
GET                           viewer  prometheus  none      /api/v1/status/buildinfo
GET                           viewer  prometheus  fleet     /api/v1/status/config
GET                           viewer  prometheus  fleet     /api/v1/status/flags
GET                           viewer  prometheus  none      /api/v1/status/runtimeinfo
GET                           viewer  prometheus  fleet     /api/v1/status/tsdb
GET                           viewer  prometheus  none      /api/v1/status/walreplay
GET                           viewer  prometheus  clusters  /api/v1/targets
GET                           viewer  prometheus  clusters  /api/v1/targets/metadata
POST                          ingest  text        fleet     /api/v1/write
POST                          reporter  alertmanager  clusters  /api/v2/alerts
GET                           viewer  alertmanager  clusters  /api/v2/alerts
GET                           viewer  alertmanager  clusters  /api/v2/alerts/groups
GET                           viewer  alertmanager  clusters  /api/v2/receivers
DELETE                        responder  alertmanager  clusters  /api/v2/silence/:silenceID
GET                           viewer  alertmanager  clusters  /api/v2/silence/:silenceID
POST                          responder  alertmanager  clusters  /api/v2/silences
GET                           viewer  alertmanager  clusters  /api/v2/silences
GET                           viewer  alertmanager  clusters  /api/v2/status
GET                           viewer  jaeger_v3   clusters  /api/v3/dependencies
GET                           viewer  jaeger_v3   clusters  /api/v3/operations
GET                           viewer  jaeger_v3   clusters  /api/v3/services
GET                           viewer  jaeger_v3   clusters  /api/v3/trace-summaries
GET                           viewer  jaeger_v3   clusters  /api/v3/traces
GET                           viewer  jaeger_v3   clusters  /api/v3/traces/:traceId
GET,HEAD                      public  text        none      /assets/*
OPTIONS,POST                  public  text        none      /collect
GET                           viewer  own         fleet     /debug/forward
GET                           viewer  own         fleet     /debug/ingest
GET                           viewer  own         fleet     /debug/notify
GET                           viewer  own         fleet     /debug/processes
GET                           viewer  own         fleet     /debug/rules
GET                           viewer  own         fleet     /debug/series
GET,HEAD                      viewer  text        none      /docs
GET,HEAD                      viewer  text        none      /docs/*
GET,HEAD                      viewer  text        none      /explore
GET,HEAD                      viewer  text        none      /explore/*
GET                           viewer  text        clusters  /federate
GET,HEAD                      viewer  text        none      /fleet
GET,HEAD                      viewer  text        none      /fleet/*
GET                           viewer  text        none      /graph
GET,HEAD                      public  text        none      /icon.svg
GET                           viewer  text        fleet     /metrics
GET                           viewer  text        none      /query
GET,HEAD                      viewer  text        clusters  /rb/:name
GET                           public  text        none      /sign-in
POST                          ingest  otlp        fleet     /v1/logs
POST                          ingest  otlp        fleet     /v1/metrics
POST                          ingest  otlp        fleet     /v1/traces
`

test('every route says who may use it, and this is the list', () => {
  const byUrl = new Map<string, { methods: string[]; rest: string }>()
  for (const { url, method, access, dialect, scope, isWrongMethod } of server.app.routeTable) {
    if (isWrongMethod) continue
    // Reading and changing may be for different people.
    const key = `${url} ${access}`
    const entry = byUrl.get(key) ?? {
      methods: [],
      rest: `${access.padEnd(6)}  ${dialect.padEnd(10)}  ${scope.padEnd(8)}  ${url}`,
    }
    entry.methods.push(method)
    byUrl.set(key, entry)
  }
  const lines = [...byUrl]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { methods, rest }]) => {
      return `${methods.sort().join(',').padEnd(28)}  ${rest}`
    })
  expect(`\n${lines.join('\n')}\n`).toBe(ROUTES)
})

test.each([
  [{}, 'declares who may use it'],
  [{ access: 'viewer' as const }, 'declares the format of its errors'],
  [{ access: 'viewer' as const, dialect: 'own' as const }, 'declares what it shows of the fleet'],
  [{ access: 'reporter' as const, dialect: 'own' as const }, 'declares what it shows of the fleet'],
])('a route with config %j stops the start', (config, message) => {
  const app = Fastify()
  installRouteTable(app)
  expect(() => app.get('/secret', { config }, () => 'secret')).toThrow(message)
})

describe('unknown paths and methods', () => {
  test.each([
    ['GET', '/api/v1/nothing'],
    ['GET', '/api/nothing'],
    ['GET', '/nothing'],
    ['POST', '/nothing'],
    ['GET', '/assets/gone.js'],
    ['GET', '/.env'],
    ['GET', '/index.htm'],
  ] as const)('%s %s is 404 as text, never the page', async (method, url) => {
    const answer = await server.app.inject({ method, url })
    expect([answer.statusCode, answer.headers['content-type'], answer.body]).toEqual([
      404,
      'text/plain; charset=utf-8',
      '404 page not found\n',
    ])
    expect(answer.headers['cache-control']).toBe('no-store')
  })

  test.each([
    ['PUT', '/api/v1/query', 'GET, POST'],
    ['DELETE', '/api/v1/series', 'GET, POST'],
    ['HEAD', '/api/v1/query', 'GET, POST'],
    ['GET', '/api/v1/write', 'POST'],
    ['HEAD', '/api/v1/write', 'POST'],
    ['POST', '/api/v1/label/job/values', 'GET'],
    ['POST', '/api/v1/rules', 'GET'],
    ['POST', '/-/healthy', 'GET, HEAD'],
    ['DELETE', '/rb/KubeVirtCRModified', 'GET, HEAD'],
    ['GET', '/collect', 'OPTIONS, POST'],
    ['GET', '/v1/metrics', 'POST'],
  ] as const)('%s %s is 405 and names the methods', async (method, url, allow) => {
    const answer = await server.app.inject({
      method,
      url,
      ...(method === 'HEAD' || method === 'GET' ? {} : { payload: 'x' }),
    })
    expect([answer.statusCode, answer.headers.allow]).toEqual([405, allow])
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8')
  })

  test.each(['/%ff', '/rb/%', '/api/v1/label/%c0%af/values'])('the bad path %s is 400', async (url) => {
    const answer = await server.app.inject({ method: 'GET', url })
    expect(answer.statusCode).toBe(400)
  })
})

test('connections live longer than the pause between two scrapes, and a request must arrive in time', () => {
  expect(server.app.server.keepAliveTimeout).toBeGreaterThanOrEqual(65_000)
  expect(server.app.server.requestTimeout).toBe(120_000)
})

test('requests are counted by route pattern, whatever the path', async () => {
  await server.app.inject('/api/v1/label/one/values')
  await server.app.inject('/api/v1/label/two/values')
  await server.app.inject('/no/such/path')
  const text = (await server.app.inject('/metrics')).body
  expect(text).toContain('daytwo_http_requests_total{route="/api/v1/label/:name/values",method="GET",status="200"} 2')
  expect(text).toMatch(/daytwo_http_requests_total\{route="none",method="GET",status="404"\} \d+/)
  expect(text).not.toContain('/no/such/path')
})

test('pages come with headers that keep them to themselves', async () => {
  const { headers } = await server.app.inject('/')
  expect(headers['content-security-policy']).toBe(
    "default-src 'none';script-src 'self';style-src 'self';img-src 'self';font-src 'self';connect-src 'self';" +
      "base-uri 'none';form-action 'self';frame-ancestors 'none'",
  )
  expect(headers['x-content-type-options']).toBe('nosniff')
  expect(headers['strict-transport-security']).toBeUndefined()
})

test('data opened as a page may do nothing, also when it is an error', async () => {
  for (const url of ['/api/v1/query?query=1', '/api/v1/query?query=', '/api/fleet/v1/now']) {
    const { headers } = await server.app.inject(url)
    expect(headers['content-security-policy'], url).toBe("default-src 'none';frame-ancestors 'none'")
    expect(headers['x-content-type-options'], url).toBe('nosniff')
    expect(headers['cross-origin-resource-policy'], url).toBe('same-origin')
  }
  // What no route declared is answered like a page.
  expect((await server.app.inject('/no/such/path')).headers['x-frame-options']).toBe('SAMEORIGIN')
})

test('a worker that does not serve is named by both probes; one in a crash loop only while it is down', async () => {
  let threads: readonly ThreadFault[] = []
  const server = await makeServer({
    faults: () => ({ storage: undefined, damage: undefined, failingRules: 0, threads }),
  })
  const probes = async () =>
    Promise.all(
      ['/-/healthy', '/-/ready'].map(async (url) => {
        const answer = await server.app.inject(url)
        return [answer.statusCode, answer.body]
      }),
    )
  expect((await probes()).map(([status]) => status)).toEqual([200, 200])
  const nowMs = server.clock.nowMs()
  const hung = { thread: 'query-worker', state: 'hung', isServing: false, sinceMs: nowMs - 17_000 } as const
  const loop = { thread: 'ingest-worker', state: 'crash_loop', isServing: false, sinceMs: nowMs, failures: 4 } as const
  threads = [
    { ...hung, failures: 0, cause: 'it does not answer' },
    { ...loop, cause: 'out of memory', nextStartMs: nowMs + 8000 },
  ]
  const text =
    'the query worker has not answered for 17s; the ingest worker is in a crash loop (4 failures; out of memory) and is restarted in 8s\n'
  expect(await probes()).toEqual([
    [503, text],
    [503, text],
  ])
  // Requests that need no such thread are answered.
  expect((await server.app.inject('/api/ui/v1/settings')).statusCode).toBe(200)
  threads = [{ ...loop, isServing: true, cause: 'out of memory' }]
  expect((await probes()).map(([status]) => status)).toEqual([200, 200])
  await server.app.close()
})

test('until the server is ready the API answers 503 and says why, and health answers', async () => {
  let readiness = 'replaying the log'
  const starting = await makeServer({ readiness: () => readiness })
  const status = async (url: string) => (await starting.app.inject(url)).statusCode
  const answer = await starting.app.inject('/api/v1/query?query=1')
  expect([answer.statusCode, answer.headers['retry-after'], answer.json()]).toEqual([
    503,
    '5',
    { status: 'error', errorType: 'unavailable', error: 'replaying the log' },
  ])
  expect([await status('/-/healthy'), await status('/-/ready')]).toEqual([200, 503])
  readiness = 'ready'
  expect([await status('/-/ready'), await status('/api/v1/labels')]).toEqual([200, 200])
  await starting.app.close()
})
