import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEFAULT_FARO_OPTIONS } from '../../src/api/ingest/faro.ts'
import { isAllowed } from '../../src/model/token.ts'
import { makeServer, type TestServer } from '../api/test-server.ts'
import { builtApp } from '../support/built-app.ts'
import {
  clustersOf,
  playScopedFleet,
  SCOPES,
  tokenOf,
  TOKENS,
  wordsOf,
  writeContent,
  type ScopedServer,
  type ScopeName,
  type Team,
} from '../support/scoped-fleet.ts'
import { tempDir } from '../support/temp-dir.ts'
import { REQUESTS, UPGRADE_ID, type ScopedRequest } from '../support/scope-requests.ts'

// Every route of the server, with each role over each scope: what a team gets is what it would get if there were no other team.

let both: ScopedServer
let alone: ScopedServer
let routes: TestServer
const content = tempDir('scopes-content')
/** Upgrades of each team, by the server that has both. */
const upgrades: Record<Team, string[]> = { a: [], b: [] }

beforeAll(async () => {
  const { startApp } = await builtApp()
  routes = await makeServer({ faro: DEFAULT_FARO_OPTIONS })
  writeContent(content.path)
  both = await playScopedFleet(startApp, ['a', 'b'], content.path)
  alone = await playScopedFleet(startApp, ['a'], content.path)
  const { body } = await ask(both, tokenOf('admin', 'all'), 'GET', '/api/fleet/v1/upgrades?limit=1000')
  for (const { id, cluster } of (JSON.parse(body) as Upgrades).upgrades) {
    upgrades[clustersOf('a').includes(cluster) ? 'a' : 'b'].push(id)
  }
}, 300_000)
afterAll(async () => {
  await routes.app.close()
  await both.stop()
  await alone.stop()
  content.remove()
})

interface Upgrades {
  readonly upgrades: readonly { readonly id: string; readonly cluster: string }[]
}

interface Answer {
  readonly status: number
  readonly body: string
}

async function ask(
  { app }: ScopedServer,
  token: string | undefined,
  method: string,
  request: string | ScopedRequest,
): Promise<Answer> {
  const { path, body } = typeof request === 'string' ? { path: request, body: undefined } : request
  const response = await fetch(new URL(path, app.url), {
    method,
    redirect: 'manual',
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.text() }
}

interface Route {
  readonly method: string
  readonly url: string
  readonly access: Parameters<typeof isAllowed>[1]
  readonly scope: 'clusters' | 'fleet' | 'none'
}

function tableOf(): readonly Route[] {
  return routes.app.routeTable.filter(({ isWrongMethod }) => !isWrongMethod)
}

/** Requests with the ids that they contain, for each upgrade one. */
function requestsOf(route: Route, kind: 'reads' | 'outside', team: Team): readonly (string | ScopedRequest)[] {
  const all = REQUESTS[`${route.method} ${route.url}`]?.[kind]?.(both.ids[team]!, team) ?? []
  return all.flatMap((request): readonly (string | ScopedRequest)[] =>
    typeof request === 'string' && request.includes(UPGRADE_ID)
      ? upgrades[team].slice(0, 3).map((id) => request.replace(UPGRADE_ID, id))
      : [request],
  )
}

/** What another team's words are searched in: their own answers may repeat what was asked for. */
function leaks(body: string, request: string | ScopedRequest, team: Team): readonly string[] {
  const asked = decodeURIComponent(JSON.stringify(request))
  const { silence = '', fingerprint = '', decommission = '', traceId = '' } = both.ids[team] ?? {}
  const ids = [silence, fingerprint, decommission, traceId, ...upgrades[team]].filter((id) => id !== '')
  return [...wordsOf(team), ...ids].filter((word) => body.includes(word) && !asked.includes(word))
}

describe('the table of routes', () => {
  test('every route about clusters has requests, and no other', () => {
    const wanted = tableOf().flatMap(({ method, url, scope }) => (scope === 'clusters' ? [`${method} ${url}`] : []))
    const free = tableOf().flatMap(({ method, url, scope }) => (scope === 'none' ? [`${method} ${url}`] : []))
    expect(Object.keys(REQUESTS).filter((route) => !wanted.includes(route) && !free.includes(route))).toEqual([])
    expect(wanted.filter((route) => REQUESTS[route] === undefined)).toEqual([])
  })

  test('route x role x scope: who may ask, and who is refused', { timeout: 240_000 }, async () => {
    const unexpected: string[] = []
    let cells = 0
    const principals = [
      { token: undefined, role: undefined, scope: 'all' as ScopeName },
      ...TOKENS.flatMap((role) => SCOPES.map((scope) => ({ token: tokenOf(role, scope), role, scope }))),
    ]
    for (const route of tableOf()) {
      const { method, url, access, scope: shows } = route
      // Endless: it is only listened to.
      if (url === '/api/fleet/v1/events') continue
      const path = url.replaceAll(/:\w+/g, 'nothing').replace('*', 'nothing')
      for (const { token, role, scope } of principals) {
        const { status, body } = await ask(both, token, method, path)
        cells++
        const isPublic = access === 'public'
        const want = isPublic
          ? 'any'
          : role === undefined
            ? 401
            : !isAllowed(role, access) || (scope !== 'all' && shows === 'fleet')
              ? 403
              : 'allowed'
        const isRight = want === 'any' || (want === 'allowed' ? status !== 401 && status !== 403 : status === want)
        const isOwnRefusal = want === 'allowed' && url === '/-/quit' && status === 403
        if (!isRight && !isOwnRefusal) unexpected.push(`${method} ${url} ${role} ${scope}: ${status}, want ${want}`)
        // Prometheus answers 500 where its admin API is off.
        if (status >= 500 && status !== 503 && !url.startsWith('/api/v1/admin/'))
          unexpected.push(`${method} ${url} ${role} ${scope}: ${status}`)
        if (scope !== 'all' && leaks(body, path, 'b').length > 0) {
          unexpected.push(`${method} ${url} ${role} ${scope}: ${leaks(body, path, 'b').join(' ')}`)
        }
      }
    }
    expect(unexpected).toEqual([])
    // The reload among them took the groups of notifications.
    for (const server of [both, alone]) await server.app.runCycle()
    expect(cells).toBeGreaterThan(1300)
  })

  test('pages of a scope have no stream', async () => {
    for (const role of TOKENS) {
      const { status } = await ask(both, tokenOf(role, 'a'), 'GET', '/api/fleet/v1/events')
      expect(status).toBe(403)
    }
  })
})

/** Without what differs between two servers, and not by what is shown. */
function comparable(request: string | ScopedRequest, body: string, server: ScopedServer): unknown {
  // When samples move from memory to the disk is a matter of time.
  const ignored = JSON.stringify(request).includes('/stored') ? new Set([...IGNORED, ...MEASURED]) : IGNORED
  const ids = Object.entries(server.ids.a ?? {}).filter(([name]) => name === 'silence' || name === 'decommission')
  let text = body.replaceAll(server.app.url, 'URL').replaceAll(new URL(server.app.url).host, 'HOST')
  for (const [name, id] of ids) text = text.replaceAll(id as string, name)
  try {
    return JSON.parse(text, (key, value: unknown) => {
      if (Array.isArray(value)) return UNORDERED.has(key) ? inOrder(value) : value
      return ignored.has(key) ? undefined : value
    })
  } catch {
    return text.split('\n')
  }
}

/** Series, and notifications that were sent at one time: with a metrics store and PostgreSQL the order is another one each time. */
const UNORDERED: ReadonlySet<string> = new Set(['result', 'deliveries'])

function inOrder(list: readonly unknown[]): readonly unknown[] {
  return list.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
}

const MEASURED = ['count', 'bytes', 'oldestAt', 'newestAt']

/** Around the first character that is different. */
function differenceOf(got: unknown, want: unknown): string {
  const texts = [JSON.stringify(got), JSON.stringify(want)] as const
  let at = 0
  while (at < texts[0].length && texts[0][at] === texts[1][at]) at++
  return texts.map((text) => text.slice(Math.max(0, at - 150), at + 150)).join('\n  want ')
}

/** Durations of this machine, and numbers of rows of all teams. */
const IGNORED: ReadonlySet<string> = new Set([
  ...['evaluationTime', 'lastEvaluation', 'latencyMs', 'evalMs', 'ownMs', 'totalMs', 'readMs', 'uptime'],
  ...[
    'busyMs',
    'waitedMs',
    'isMatchKnown',
    'groupsKnown',
    'groupsMade',
    'repeats',
    'updatedAt',
    'digest',
    'id',
    'hash',
    'target',
    'detail',
  ],
  ...['caughtUpAt', 'externalUrl', 'signedIn', 'payload', 'nextCursor'],
])

describe('what a team is shown', () => {
  const reading = (route: Route): boolean => requestsOf(route, 'reads', 'a').length > 0

  test('no answer for team A has a word of team B', { timeout: 120_000 }, async () => {
    const found: string[] = []
    let answers = 0
    for (const route of tableOf().filter(reading)) {
      const role = TOKENS.find((one) => isAllowed(one, route.access))!
      for (const request of requestsOf(route, 'reads', 'a')) {
        const { status, body } = await ask(both, tokenOf(role, 'a'), route.method, request)
        const words = leaks(body, request, 'b')
        answers++
        if (status >= 400 && status !== 404) found.push(`${JSON.stringify(request)}: ${status} ${body}`)
        if (words.length > 0) found.push(`${JSON.stringify(request)}: ${words.join(' ')}`)
      }
    }
    expect(found).toEqual([])
    expect(answers).toBeGreaterThan(90)
  })

  test('every answer and count is that of a server without team B', { timeout: 120_000 }, async () => {
    const found: string[] = []
    for (const route of tableOf().filter(reading)) {
      const role = TOKENS.find((one) => isAllowed(one, route.access))!
      const ofFleet =
        /\/(fleet|adoption)\/v1/.test(route.url) && !/alerts|rules|audit|silences|deliveries|now/.test(route.url)
      for (const request of requestsOf(route, 'reads', 'a')) {
        const got = comparable(request, (await ask(both, tokenOf(role, 'a'), route.method, request)).body, both)
        const own = inOwn(request)
        // What is of no cluster is of no team: of these routes, nothing is. Regions of a past day are those of today.
        const isOfDays = JSON.stringify(request).includes('by=region')
        for (const scope of ofFleet && !isOfDays ? (['a', 'all'] as const) : (['a'] as const)) {
          const want = comparable(request, (await ask(alone, tokenOf(role, scope), route.method, own)).body, alone)
          if (JSON.stringify(got) !== JSON.stringify(want)) {
            found.push(`${scope} ${JSON.stringify(request)}: ${differenceOf(got, want)}`)
          }
        }
      }
    }
    expect(found).toEqual([])
  })

  test('a scope without clusters shows nothing of any team', { timeout: 120_000 }, async () => {
    const found: string[] = []
    for (const route of tableOf().filter(reading)) {
      const role = TOKENS.find((one) => isAllowed(one, route.access))!
      for (const request of requestsOf(route, 'reads', 'a')) {
        const { body } = await ask(both, tokenOf(role, 'empty'), route.method, request)
        const words = [...leaks(body, request, 'a'), ...leaks(body, request, 'b')]
        if (words.length > 0) found.push(`${JSON.stringify(request)}: ${words.join(' ')}`)
      }
    }
    expect(found).toEqual([])
  })

  test('all of it is shown to a role over all clusters', async () => {
    const list = await ask(both, tokenOf('viewer', 'all'), 'GET', '/api/fleet/v1/clusters')
    for (const team of ['a', 'b'] as const)
      for (const name of clustersOf(team).slice(0, 3)) expect(list.body).toContain(name)
    const labels = await ask(both, tokenOf('viewer', 'all'), 'GET', '/api/v1/label/__name__/values')
    expect(labels.body).toContain('shop_load:sum')
  })
})

/** A request with the ids of the other server in place of those of the first. */
function inOwn(request: string | ScopedRequest): string | ScopedRequest {
  let text = JSON.stringify(request)
  for (const name of ['silence', 'decommission'] as const) text = text.replaceAll(both.ids.a![name], alone.ids.a![name])
  return JSON.parse(text) as string | ScopedRequest
}

describe('what a team may change', () => {
  test('nothing of team B: it answers as what does not exist, or says which clusters are wanted', async () => {
    const found: string[] = []
    let answers = 0
    for (const route of tableOf().filter(({ scope }) => scope === 'clusters')) {
      for (const request of requestsOf(route, 'outside', 'b')) {
        for (const role of TOKENS.filter((one) => isAllowed(one, route.access))) {
          const { status, body } = await ask(both, tokenOf(role, 'a'), route.method, request)
          answers++
          const isRefused = [403, 404].includes(status)
          const isRead = route.method === 'GET' && status === 200
          if (!isRefused && !isRead) found.push(`${role} ${route.method} ${JSON.stringify(request)}: ${status} ${body}`)
          const words = leaks(body, request, 'b')
          if (words.length > 0) found.push(`${role} ${route.method} ${JSON.stringify(request)}: ${words.join(' ')}`)
        }
      }
    }
    expect(found).toEqual([])
    expect(answers).toBeGreaterThan(100)
  })

  test('an unknown cluster and one of team B get the same answer', async () => {
    const token = tokenOf('admin', 'a')
    for (const [method, path, body] of [
      ['GET', '/api/fleet/v1/clusters/NAME', undefined],
      ['GET', '/api/fleet/v1/clusters/NAME/changes', undefined],
      ['GET', '/api/fleet/v1/clusters/NAME/stored', undefined],
      ['GET', '/api/fleet/v1/upgrades?cluster=NAME', undefined],
      ['GET', '/api/fleet/v1/logs?cluster=NAME', undefined],
      ['GET', '/api/fleet/v1/alerts/history?cluster=NAME', undefined],
      ['POST', '/api/fleet/v1/decommissions', { clusters: ['NAME'], reason: 'gone' }],
      ['POST', '/api/fleet/v1/erasures', { cluster: 'NAME', confirm: 'NAME' }],
      ['POST', '/api/v2/alerts', [{ labels: { alertname: 'X', cluster: 'NAME' } }]],
    ] as const) {
      const answers = await Promise.all(
        ['b-shop', 'b-none', clustersOf('b')[0]!].map(async (name) => {
          const asked = {
            path: path.replace('NAME', name),
            body: JSON.parse(JSON.stringify(body ?? null).replaceAll('NAME', name)) as unknown,
          }
          const answer = await ask(both, token, method, asked.body === null ? asked.path : asked)
          return `${answer.status} ${answer.body.replaceAll(name, 'NAME')}`
        }),
      )
      expect(new Set(answers).size, `${method} ${path}: ${answers.join('\n')}`).toBe(1)
    }
  })

  test('a silence without a limit to clusters is refused with the reason, one of an own cluster is set and ended', async () => {
    const token = tokenOf('responder', 'a')
    const endsAtMs = both.clock.nowMs() + 600_000
    const silence = (matchers: readonly object[]) => {
      const all = [{ name: 'alertname', op: '=', value: 'Any' }, ...matchers]
      return { path: '/api/fleet/v1/silences', body: { matchers: all, endsAtMs, comment: 'mine' } }
    }
    const refused = await ask(both, token, 'POST', silence([]))
    expect([refused.status, refused.body]).toEqual([403, expect.stringContaining('no matcher that limits the silence')])
    const other = [{ name: 'cluster', op: '=~', value: 'a-shop|b-shop' }]
    expect((await ask(both, token, 'POST', silence(other))).status).toBe(403)
    const made = await ask(both, token, 'POST', silence([{ name: 'cluster', op: '=~', value: 'a-shop|a-gone' }]))
    expect(made.status).toBe(201)
    const { id } = JSON.parse(made.body) as { readonly id: string }
    expect((await ask(both, token, 'GET', `/api/v2/silence/${id}`)).status).toBe(200)
    expect((await ask(both, token, 'DELETE', `/api/fleet/v1/silences/${id}`)).status).toBe(200)
    expect((await ask(both, token, 'DELETE', `/api/fleet/v1/silences/${both.openSilence}`)).status).toBe(404)
  })

  test('an alert of an own cluster is acknowledged; a viewer may not', async () => {
    const path = `/api/fleet/v1/alerts/${both.ids.a!.fingerprint}/acknowledge`
    const asked = { path, body: { note: 'mine', by: 'ada' } }
    expect((await ask(both, tokenOf('viewer', 'a'), 'POST', asked)).status).toBe(403)
    expect((await ask(both, tokenOf('responder', 'a'), 'POST', asked)).status).toBe(200)
  })

  test('a scoped admin sends for no cluster, and the header names the scope without a count of the fleet', async () => {
    const write = await ask(both, tokenOf('admin', 'a'), 'POST', { path: '/v1/logs', body: { resourceLogs: [] } })
    expect([write.status, write.body]).toEqual([403, expect.stringContaining('this needs it over all clusters')])
    const settings = await ask(both, tokenOf('viewer', 'a'), 'GET', '/api/ui/v1/settings')
    const { signedIn } = JSON.parse(settings.body) as {
      readonly signedIn: { readonly clusters: number; readonly scopes: readonly { readonly clusters: string }[] }
    }
    expect(signedIn.clusters).toBe(3)
    expect(signedIn.scopes[0]!.clusters).toContain('cluster=a-shop')
  })
})

test('a cluster that joins a scope is shown from then on', async () => {
  const before = await ask(both, tokenOf('viewer', 'empty'), 'GET', '/api/fleet/v1/now')
  expect((JSON.parse(before.body) as { clusters: { total: number } }).clusters.total).toBe(0)
  const timeMs = both.clock.nowMs()
  const body = {
    resourceMetrics: [
      {
        resource: { attributes: [{ key: 'k8s.cluster.name', value: { stringValue: 'nothing-new' } }] },
        scopeMetrics: [
          {
            metrics: [
              {
                name: 'kubevirt_hco_system_health_status',
                gauge: { dataPoints: [{ timeUnixNano: `${timeMs}000000`, asInt: '0' }] },
              },
            ],
          },
        ],
      },
    ],
  }
  expect((await ask(both, tokenOf('admin', 'all'), 'POST', { path: '/v1/metrics', body })).status).toBe(200)
  both.clock.advance(30_000)
  await both.app.runCycle()
  const query = '/api/v1/query?query=count(kubevirt_hco_system_health_status)'
  expect((await ask(both, tokenOf('viewer', 'empty'), 'GET', query)).body).toContain('"1"')
  const after = await ask(both, tokenOf('viewer', 'empty'), 'GET', '/api/fleet/v1/clusters/nothing-new')
  expect(after.status).toBe(200)
})
