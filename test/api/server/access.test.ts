import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tokenOf } from '../../../src/api/server/identify.ts'
import { DEFAULT_FARO_OPTIONS } from '../../../src/api/ingest/faro.ts'
import { FleetError } from '../../../src/base/errors.ts'
import type { Principal, Role } from '../../../src/model/token.ts'
import { makeServer, type TestServer } from '../test-server.ts'

const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

test.each([
  [undefined, undefined],
  ['', undefined],
  ['Bearer abc', 'abc'],
  ['bearer   abc  ', 'abc'],
  ['Bearer', undefined],
  ['Bearer a b', undefined],
  [basic('anybody', 'abc'), 'abc'],
  [basic('', 'a:b'), 'a:b'],
  [`Basic ${Buffer.from('no-colon').toString('base64')}`, undefined],
  ['Basic !!!', undefined],
  ['Digest username="x"', undefined],
])('the token of %j is %j', (header, token) => {
  expect(tokenOf(header)).toBe(token)
})

const hashed = (token: string) => createHash('sha256').update(token).digest('hex')
const PRINCIPALS = new Map<string, Principal>(
  (['ingest', 'viewer', 'responder', 'admin'] as Role[]).map((role) => [hashed(role), { role, name: `the ${role}` }]),
)
const authenticate = (token: string) => Promise.resolve(PRINCIPALS.get(hashed(token)))

describe('with tokens', () => {
  let app: TestServer['app']
  beforeAll(async () => {
    app = (await makeServer({ requiresToken: true, authenticate, faro: DEFAULT_FARO_OPTIONS })).app
  })
  afterAll(() => app.close())

  // Rows are routes, columns are who asks: nobody, a wrong token, then one token of each role.
  test.each([
    ['GET', '/-/healthy', [200, 200, 200, 200, 200, 200]],
    ['GET', '/-/ready', [200, 200, 200, 200, 200, 200]],
    ['GET', '/icon.svg', [200, 200, 200, 200, 200, 200]],
    ['GET', '/', [401, 401, 403, 200, 200, 200]],
    ['GET', '/rb/KubeVirtCRModified', [401, 401, 403, 200, 200, 200]],
    ['GET', '/metrics', [401, 401, 403, 200, 200, 200]],
    ['GET', '/api/v1/query?query=1', [401, 401, 403, 200, 200, 200]],
    ['GET', '/api/v1/labels', [401, 401, 403, 200, 200, 200]],
    ['GET', '/api/v1/rules', [401, 401, 403, 200, 200, 200]],
    ['GET', '/api/fleet/v1/alerts', [401, 401, 403, 200, 200, 200]],
    ['GET', '/api/runbooks/v1/pages', [401, 401, 403, 200, 200, 200]],
    ['GET', '/api/ui/v1/settings', [401, 401, 403, 200, 200, 200]],
    ['POST', '/api/v1/write', [401, 401, 400, 403, 403, 400]],
    ['OPTIONS', '/api/v1/query', [204, 204, 204, 204, 204, 204]],
    ['POST', '/collect', [400, 400, 400, 400, 400, 400]],
    ['GET', '/nothing', [404, 404, 404, 404, 404, 404]],
  ] as const)('%s %s', async (method, url, statuses) => {
    const got: number[] = []
    for (const token of [undefined, 'wrong', 'ingest', 'viewer', 'responder', 'admin']) {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
      got.push((await app.inject({ method, url, headers })).statusCode)
    }
    expect(got).toEqual(statuses)
  })

  test('a password of Basic auth is a token, whoever the user', async () => {
    const status = async (authorization: string) =>
      (await app.inject({ url: '/api/v1/labels', headers: { authorization } })).statusCode
    expect([await status(basic('prometheus', 'viewer')), await status(basic('viewer', 'wrong'))]).toEqual([200, 401])
  })

  test.each([
    ['/api/v1/labels', { status: 'error', errorType: 'unauthorized', error: 'this needs a token' }],
    [
      '/api/ui/v1/settings',
      expect.objectContaining({ code: 'unauthenticated', error: 'this needs a token' }) as unknown,
    ],
  ])('%s without a token says in its own words what it wants, and asks for both schemes', async (url, body) => {
    const answer = await app.inject(url)
    expect(answer.statusCode).toBe(401)
    expect(answer.json()).toEqual(body)
    expect(answer.headers['www-authenticate']).toEqual([
      'Basic realm="daytwo", charset="UTF-8"',
      'Bearer realm="daytwo"',
    ])
  })

  test('what a forbidden token is told holds its name and role, not the token', async () => {
    const answer = await app.inject({ url: '/api/v1/labels', headers: { authorization: 'Bearer ingest' } })
    expect(answer.json()).toEqual({
      status: 'error',
      errorType: 'unauthorized',
      error: 'token "the ingest" has role ingest, this needs viewer',
    })
  })
})

describe('an open server', () => {
  let named: TestServer['app']
  beforeAll(async () => {
    named = (await makeServer({ settings: { externalUrl: 'http://daytwo.example:4318' } })).app
  })
  afterAll(() => named.close())

  test.each([
    ['127.0.0.1:4318', 200],
    ['localhost:4318', 200],
    ['LOCALHOST.', 200],
    ['daytwo.localhost:4318', 200],
    ['[::1]:4318', 200],
    ['127.1.2.3', 200],
    ['daytwo.example:4318', 200],
    ['evil.example', 403],
    ['evil.example:4318', 403],
    ['127.0.0.1.evil.example', 403],
    ['localhost.evil.example', 403],
    ['10.0.0.7:4318', 403],
  ])('asked as %s answers %i', async (host, status) => {
    expect((await named.inject({ url: '/api/v1/labels', headers: { host } })).statusCode).toBe(status)
  })

  test('honours a token that is there, so that it stamps its cluster', async () => {
    const clusters: (string | undefined)[] = []
    const { app } = await makeServer({
      authenticate: (token) =>
        Promise.resolve(token === 'prague' ? { role: 'ingest', name: 'prague', cluster: 'prague-1' } : undefined),
      write: (_body, cluster) => {
        clusters.push(cluster)
        return Promise.reject(new FleetError('overloaded', 'not this time'))
      },
    })
    for (const token of ['prague', 'unknown', undefined]) {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
      await app.inject({ method: 'POST', url: '/api/v1/write', headers, payload: Buffer.from('x') })
    }
    expect(clusters).toEqual(['prague-1', undefined, undefined])
    await app.close()
  })
})

test('with * pages of any origin may use the query routes, and bring a token as everybody', async () => {
  const settings = { corsOrigins: ['*'] }
  const authenticate = (token: string) =>
    Promise.resolve(token === 'secret' ? { role: 'viewer' as const, name: 'x' } : undefined)
  const { app } = await makeServer({ settings, requiresToken: true, authenticate })
  const ask = async (url: string, headers: Record<string, string>) => {
    const answer = await app.inject({ method: 'POST', url, headers: { origin: 'https://any.example', ...headers } })
    return [answer.statusCode, answer.headers['access-control-allow-origin']]
  }
  expect(await ask('/api/v1/labels', { authorization: 'Bearer secret' })).toEqual([200, '*'])
  expect(await ask('/api/v1/labels', {})).toEqual([401, '*'])
  expect(await ask('/api/v1/write', { authorization: 'Bearer secret' })).toEqual([403, undefined])
  await app.close()
})

describe('pages of other origins', () => {
  let app: TestServer['app']
  beforeAll(async () => {
    const settings = { corsOrigins: ['https://perses.example'], externalUrl: 'https://daytwo.example' }
    app = (await makeServer({ faro: DEFAULT_FARO_OPTIONS, settings })).app
  })
  afterAll(() => app.close())

  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  test.each([
    ['no origin: not a browser', 'POST', '/api/v1/query', {}, 200],
    ['own origin', 'POST', '/api/v1/query', { origin: 'http://127.0.0.1:4318', host: '127.0.0.1:4318' }, 200],
    ['own origin behind TLS', 'POST', '/api/v1/query', { origin: 'https://daytwo.example', host: '127.0.0.1' }, 200],
    [
      'the same host, another port',
      'POST',
      '/api/v1/query',
      { origin: 'http://127.0.0.1:8080', host: '127.0.0.1:4318' },
      403,
    ],
    ['a foreign page', 'POST', '/api/v1/query', { origin: 'https://evil.example' }, 403],
    ['a foreign page without a name', 'POST', '/api/v1/query', { origin: 'null' }, 403],
    ['a foreign page, says the browser', 'POST', '/api/v1/query', { 'sec-fetch-site': 'cross-site' }, 403],
    ['a page of the same site, says the browser', 'POST', '/-/reload', { 'sec-fetch-site': 'same-site' }, 403],
    ['a page that no browser knows', 'POST', '/-/reload', { 'sec-fetch-site': 'elsewhere' }, 403],
    ['the own page, says the browser', 'POST', '/-/reload', { 'sec-fetch-site': 'same-origin' }, 200],
    ['the user, says the browser', 'POST', '/-/reload', { 'sec-fetch-site': 'none' }, 200],
    ['a configured page', 'POST', '/api/v1/query', { origin: 'https://perses.example' }, 200],
    ['a configured page that writes', 'POST', '/api/v1/write', { origin: 'https://perses.example' }, 403],
    ['a foreign page that writes', 'POST', '/api/v1/write', { origin: 'https://evil.example' }, 403],
    [
      'a foreign page that reads: the browser keeps the answer',
      'GET',
      '/api/v1/labels',
      { origin: 'https://evil.example' },
      200,
    ],
    ['a foreign page that reports an error', 'POST', '/collect', { origin: 'https://shop.example' }, 400],
    [
      'a configured page that tries a method that is not there',
      'PUT',
      '/api/v1/labels',
      { origin: 'https://perses.example' },
      405,
    ],
  ] as const)('%s', async (_what, method, url, headers, status) => {
    const payload = method === 'POST' && url === '/api/v1/query' ? 'query=1' : undefined
    const answer = await app.inject({
      method,
      url,
      headers: { ...(payload === undefined ? {} : form), ...headers },
      ...(payload === undefined ? {} : { payload }),
    })
    expect(answer.statusCode).toBe(status)
  })

  test('only configured origins may read answers', async () => {
    const allowed = async (origin: string, method: 'GET' | 'OPTIONS') => {
      const answer = await app.inject({ method, url: '/api/v1/labels', headers: { origin } })
      return [answer.statusCode, answer.headers['access-control-allow-origin'], answer.headers.vary]
    }
    expect(await allowed('https://perses.example', 'GET')).toEqual([
      200,
      'https://perses.example',
      expect.stringContaining('Origin'),
    ])
    expect(await allowed('https://perses.example', 'OPTIONS')).toEqual([204, 'https://perses.example', 'Origin'])
    expect(await allowed('https://evil.example', 'GET')).toEqual([200, undefined, expect.stringContaining('Origin')])
    expect(await allowed('https://evil.example', 'OPTIONS')).toEqual([204, undefined, 'Origin'])
  })
})

describe('a request with the Origin of another page', () => {
  const tokens: Readonly<Record<string, Principal>> = {
    viewer: { role: 'viewer', name: 'perses' },
    ingest: { role: 'ingest', name: 'prague' },
  }
  const authenticate = (token: string) => Promise.resolve(tokens[token])
  const foreign = { origin: 'https://perses.example', 'sec-fetch-site': 'cross-site' }
  let [closed, open]: TestServer['app'][] = []
  beforeAll(async () => {
    closed = (await makeServer({ requiresToken: true, authenticate })).app
    open = (await makeServer({ authenticate })).app
  })
  afterAll(async () => {
    await closed?.close()
    await open?.close()
  })

  // Only what a browser sends by itself can be forged.
  test.each([
    ['a Bearer token, as through the proxy of Perses', 'Bearer viewer', 200, 200],
    ['a Bearer token, written in another case', 'bearer viewer', 200, 200],
    ['a Bearer token that may not read', 'Bearer ingest', 403, 200],
    ['an unknown Bearer token', 'Bearer guessed', 401, 200],
    ['the password of Basic auth, which a browser repeats', basic('perses', 'viewer'), 403, 403],
    ['no token', undefined, 403, 403],
  ])('and with %s', async (_what, authorization, statusClosed, statusOpen) => {
    const asked = {
      method: 'POST' as const,
      url: '/api/v1/query',
      headers: {
        ...foreign,
        'content-type': 'application/x-www-form-urlencoded',
        ...(authorization === undefined ? {} : { authorization }),
      },
      payload: 'query=1',
    }
    expect((await closed!.inject(asked)).statusCode).toBe(statusClosed)
    expect((await open!.inject(asked)).statusCode).toBe(statusOpen)
  })
})
