import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCookies } from '../../../src/api/server/session-cookie.ts'
import { redirectTarget } from '../../../src/api/server/sign-in-address.ts'
import type { Principal, Role } from '../../../src/model/token.ts'
import { makeServer, type TestServer } from '../test-server.ts'

// Somebody in a browser who is not let in: what they read, and how they give another token.

const ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const NAME = '<b>"prague"</b>'
const principalOf = (token: string): Principal | undefined =>
  ['ingest', 'viewer', 'responder', 'admin'].includes(token) ? { role: token as Role, name: NAME } : undefined

let app: TestServer['app']
beforeAll(async () => {
  const authenticate = (token: string) => Promise.resolve(principalOf(token))
  app = (await makeServer({ requiresToken: true, authenticate })).app
})
afterAll(() => app.close())

const open = (url: string, token?: string, more: Readonly<Record<string, string>> = {}) =>
  app.inject({
    url,
    headers: { accept: ACCEPT, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...more },
  })

describe('a browser that is not let in is shown a page', () => {
  test.each(['/', '/alerts/0123456789abcdef', '/rb/KubeVirtCRModified'])('%s without a token', async (url) => {
    const answer = await open(url)
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([401, 'text/html; charset=utf-8'])
    expect(answer.headers['www-authenticate']).toContain('Basic realm="daytwo", charset="UTF-8"')
    expect(answer.headers['content-security-policy']).toContain("style-src 'self'")
    expect(answer.body).toContain('Sign in to Daytwo')
    expect(answer.body).toContain('enter your token as the password')
    expect(answer.body).not.toContain('<script')
  })

  test('with a token of a cluster, which way leads to another one', async () => {
    const answer = await open('/alerts?q=<x>', 'ingest')
    expect(answer.statusCode).toBe(403)
    expect(answer.body).toContain('This page needs another role')
    expect(answer.body).toContain('&lt;b&gt;')
    expect(answer.body).not.toContain('<b>')
    expect(answer.body).toMatch(/href="\/sign-in\?to=%2Falerts%3Fq%3D[^"<>]*"/)
  })

  test('an address that is none leads on; a program still gets its line of text', async () => {
    const answer = await open('/fleeet')
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
    expect(answer.body).toContain('There is no page at this address')
    expect((await open('/api/v1/nothing')).body).toBe('404 page not found\n')
    expect((await app.inject('/')).headers['content-type']).toBe('text/plain; charset=utf-8')
  })
})

test.each([{ 'x-requested-with': 'daytwo' }, { 'sec-fetch-mode': 'cors' }, { 'sec-fetch-mode': 'same-origin' }])(
  'what the script of a page asks (%j) does not open the window for passwords',
  async (headers) => {
    const answer = await app.inject({ url: '/api/fleet/v1/alerts', headers })
    expect([answer.statusCode, answer.headers['www-authenticate']]).toEqual([401, 'Bearer realm="daytwo"'])
  },
)

describe('/sign-in', () => {
  test.each([
    [undefined, 'viewer', 401],
    ['wrong', 'viewer', 401],
    ['ingest', 'viewer', 401],
    ['viewer', 'viewer', 302],
    ['viewer', 'responder', 401],
    ['responder', 'responder', 302],
    ['admin', 'viewer', 302],
    ['viewer', 'nonsense', 302],
    ['ingest', 'ingest', 401],
  ])('with the token %j for the role %s: %i', async (token, role, status) => {
    const answer = await open(`/sign-in?role=${role}&to=${encodeURIComponent('/alerts?q=a b')}`, token)
    expect(answer.statusCode).toBe(status)
    if (status === 302) expect(answer.headers.location).toBe('/alerts?q=a%20b')
    else expect(answer.headers['www-authenticate']).toContain('Basic realm="daytwo", charset="UTF-8"')
  })

  test('a server without tokens leads on', async () => {
    const { app: openApp } = await makeServer()
    expect((await openApp.inject('/sign-in?to=/fleet')).headers.location).toBe('/fleet')
    await openApp.close()
  })

  test.each([
    ['', '/'],
    ['/fleet/clusters/a?at=2026-08-20T10:00Z', '/fleet/clusters/a?at=2026-08-20T10:00Z'],
    ['https://evil.example/', '/'],
    ['//evil.example/', '/'],
    ['/\\evil.example/', '/'],
    ['/\t/evil.example/', '/'],
    ['/.//evil.example', '/'],
    ['javascript:alert(1)', '/'],
    ['/sign-in?to=/', '/'],
    ['/sign-in/start', '/'],
    [`/${'a'.repeat(2000)}`, '/'],
  ])('asked to go on to %j it leads to %s', (to, place) => {
    expect(redirectTarget(to)).toBe(place)
  })
})

test('where people sign in there are three more routes, which need no role', async () => {
  const refuse = () => Promise.reject(new Error('this test signs nobody in'))
  const { app: signing } = await makeServer({
    requiresToken: true,
    signIn: {
      provider: { name: 'Example ID', begin: refuse, complete: refuse, signOutAddress: () => undefined },
      sessions: { find: () => undefined, rotate: refuse, start: refuse, end: refuse },
      cookies: createCookies(true),
    },
  })
  const known = new Set(app.routeTable.map(({ method, url }) => `${method} ${url}`))
  const more = signing.routeTable.filter(
    ({ method, url, isWrongMethod }) => !isWrongMethod && !known.has(`${method} ${url}`),
  )
  expect(more.map(({ method, url, access }) => `${access} ${method} ${url}`)).toEqual([
    'public GET /sign-in/start',
    'public GET /sign-in/callback',
    'public POST /api/ui/v1/sign-out',
  ])
  // Without a session there is nothing to end, and the browser is led on all the same.
  expect((await signing.inject({ method: 'POST', url: '/api/ui/v1/sign-out' })).json()).toEqual({ to: '/sign-in' })
  await signing.close()
})
