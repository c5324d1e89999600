import { writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { App } from '../../src/app.ts'
import { silentLog } from '../../src/base/log.ts'
import { readConfig } from '../../src/config/config.ts'
import { reservePort } from '../../src/runtime/reserve-port.ts'
import { hashToken } from '../../src/runtime/token-index.ts'
import { daytwo } from '../cli/run.ts'
import { launchBrowser } from '../support/browser.ts'
import { builtApp } from '../support/built-app.ts'
import { cookieClient, type CookieClient } from '../support/cookie-client.ts'
import { FakeClock } from '../support/fake-clock.ts'
import {
  CLIENT_ID,
  CLIENT_SECRET,
  startRealProvider,
  throughProvider,
  type RealProvider,
} from '../support/openid-provider.ts'
import { openFactsInMode } from '../support/mode.ts'
import { NO_CONTENT } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'

// People sign in at a real OpenID provider, at the server as it ships.

const PAGE = { accept: 'text/html,application/xhtml+xml' }
const MINUTE_MS = 60_000

let folder: ReturnType<typeof tempDir>
let startApp: Awaited<ReturnType<typeof builtApp>>['startApp']
let provider: RealProvider
let app: App
let clock: FakeClock
let url: string

// One server and one provider for all tests: each signs in with a client of its own.
beforeAll(async () => {
  ;({ startApp } = await builtApp())
  folder = tempDir('sign-in')
  const port = await reservePort('127.0.0.1')
  url = `http://127.0.0.1:${port}`
  provider = await startRealProvider(url)
  provider.groups.set('ada', ['sre', 'chess'])
  provider.groups.set('bob', ['guests'])
  clock = new FakeClock(Date.now())
  const facts = await openFactsInMode(join(folder.path, 'data'))
  const record = { role: 'admin', name: 'root', hash: hashToken('root'), createdAtMs: 0 } as const
  await facts.tokens.add(record, { atMs: 0, by: 'test', action: 'token.add', detail: '{}' })
  await facts.close()
  await start()
})
afterAll(async () => {
  await app.stop()
  await provider.close()
  folder.remove()
})

async function start(options: Record<string, string> = {}): Promise<void> {
  const secret = join(folder.path, 'secret')
  writeFileSync(secret, `${CLIENT_SECRET}\n`)
  const entries = Object.entries({
    listen: new URL(url).host,
    data: join(folder.path, 'data'),
    'own-metrics': 'false',
    ...{ rules: NO_CONTENT, runbooks: NO_CONTENT, dashboards: NO_CONTENT },
    'oidc.issuer': provider.issuer,
    'oidc.name': 'Example ID',
    'oidc.client-id': CLIENT_ID,
    'oidc.client-secret-file': secret,
    'oidc.scopes': 'email,groups',
    'auth.roles': 'sre=responder,guests=viewer',
    ...options,
  })
  app = await startApp({ config: readConfig(new Map(entries), undefined, {}), clock, log: silentLog, isDemo: false })
}

/** Stops the server and starts it on the same data. */
async function restart(options: Record<string, string> = {}): Promise<void> {
  await app.stop()
  await start(options)
}

const isCallback = (next: URL): boolean => next.pathname === '/sign-in/callback'

/** Signs in, and answers where the server leads. */
async function signIn(client: CookieClient, login = 'ada', to = '/alerts'): Promise<string | null> {
  const begin = `${url}/sign-in/start?to=${encodeURIComponent(to)}`
  const back = await throughProvider(client, begin, login, isCallback)
  const answer = await client.request(back.href, { headers: PAGE })
  expect([answer.status, await answer.text()]).toEqual([302, ''])
  return answer.headers.get('location')
}

const sessionOf = (client: CookieClient): string | undefined => client.jar.get(url)?.get('daytwo-session')
const status = async (client: CookieClient, path = '/api/v1/labels') => (await client.request(`${url}${path}`)).status

interface Settings {
  readonly signedIn?: { readonly name: string; readonly role: string; readonly via: string }
}

async function who(client: CookieClient): Promise<Settings['signedIn'] | number> {
  const answer = await client.request(`${url}/api/ui/v1/settings`)
  return answer.status === 200 ? ((await answer.json()) as Settings).signedIn : answer.status
}

/** What a browser that opens an address is asked for. Not by `fetch`, which is no navigation. */
function challengeOf(path: string): Promise<readonly unknown[]> {
  return new Promise((resolve, reject) => {
    get(`${url}${path}`, { headers: PAGE }, (answer) => {
      answer.resume()
      resolve([answer.statusCode, answer.headers['www-authenticate']])
    }).on('error', reject)
  })
}

async function audit(): Promise<readonly string[]> {
  const headers = { authorization: 'Bearer root' }
  const answer = await fetch(`${url}/api/fleet/v1/audit`, { headers })
  const { entries } = (await answer.json()) as { entries: { action: string; by: string }[] }
  return entries.map(({ action, by }) => `${action} ${by}`).reverse()
}

describe('signing in', () => {
  test('leads back to the page that was opened, with the role of the person’s groups, and is in the audit', async () => {
    const client = cookieClient()
    const page = await client.request(`${url}/alerts?q=a`, { headers: PAGE })
    expect([page.status, page.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="daytwo"'])
    const html = await page.text()
    expect(html).toContain('Sign in with Example ID')
    const link = /class="button" href="([^"]+)"/.exec(html)?.[1] ?? ''
    expect(link).toBe('/sign-in/start?to=%2Falerts%3Fq%3Da')
    const back = await throughProvider(client, `${url}${link}`, 'ada', isCallback)
    const answer = await client.request(back.href)
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/alerts?q=a'])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await who(client)).toEqual({ name: 'ada@example.com', role: 'responder', via: 'session' })
    expect([await status(client), await status(client, '/alerts')]).toEqual([200, 200])
    const reload = await client.request(`${url}/-/reload`, { method: 'POST' })
    expect([reload.status, await reload.text()]).toEqual([
      403,
      'person "ada@example.com" has role responder, this needs admin\n',
    ])
    expect((await audit()).at(-1)).toBe('session.start ada@example.com')
  })

  test('sets cookies that no script reads, and a secret that nobody knew before', async () => {
    const client = cookieClient()
    const begun = await client.request(`${url}/sign-in/start`)
    const [flow] = begun.headers.getSetCookie()
    expect(flow).toMatch(/^daytwo-sign-in=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/)
    // Session fixation: what an attacker has put there is worth nothing, before and after.
    client.jar.get(url)!.set('daytwo-session', 'planted')
    const back = await throughProvider(client, `${url}/sign-in/start`, 'ada', isCallback)
    const answer = await client.request(back.href)
    const [session, cleared] = answer.headers.getSetCookie()
    expect(session).toMatch(/^daytwo-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
    expect(cleared).toMatch(/^daytwo-sign-in=; .*Max-Age=0$/)
    const planted = cookieClient()
    await planted.request(`${url}/-/healthy`)
    planted.jar.get(url)!.set('daytwo-session', 'planted')
    expect([await status(planted), await status(client)]).toEqual([401, 200])
  })

  test('again ends the session that the browser had', async () => {
    const client = cookieClient()
    await signIn(client)
    const earlier = sessionOf(client)!
    await signIn(client, 'bob')
    expect(await who(client)).toMatchObject({ name: 'bob@example.com', role: 'viewer' })
    client.jar.get(url)!.set('daytwo-session', earlier)
    expect(await status(client)).toBe(401)
  })

  test.each(['https://evil.example/', '//evil.example', '/\\evil.example', '/.//evil.example', '/sign-in/start', 'x'])(
    'to %j leads to the own first page',
    async (to) => {
      expect(await signIn(cookieClient(), 'ada', to)).toBe('/')
    },
  )

  test('does not work with the response of somebody else’s: login CSRF', async () => {
    const attacker = cookieClient()
    const theirs = await throughProvider(attacker, `${url}/sign-in/start`, 'bob', isCallback)
    const victim = cookieClient()
    const without = await victim.request(theirs.href, { headers: PAGE })
    expect([without.status, without.headers.getSetCookie()]).toEqual([403, []])
    expect(await without.text()).toContain('This sign-in was not started in this browser')
    // Also when the victim has begun one.
    await victim.request(`${url}/sign-in/start`)
    const begun = await victim.request(theirs.href, { headers: PAGE })
    expect([begun.status, begun.headers.getSetCookie(), await status(victim)]).toEqual([403, [], 401])
  })

  test('without a group that has a role is refused, with the reason and another way', async () => {
    const client = cookieClient()
    const back = await throughProvider(client, `${url}/sign-in/start`, 'eve', isCallback)
    const answer = await client.request(back.href, { headers: PAGE })
    const html = await answer.text()
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, []])
    expect(html).toContain('Sign-in failed')
    expect(html).toContain('&quot;eve@example.com&quot; is in none of the groups that have a role here.')
    expect(html).toContain('Got no groups;')
    expect(html).toContain('Sign in with Example ID')
  })

  test('is not needed for who has a token, whether the provider is there or not', async () => {
    // Started without its provider, it serves all the same.
    await restart({ 'oidc.issuer': `http://127.0.0.1:${await reservePort('127.0.0.1')}` })
    const headers = { authorization: 'Bearer root' }
    expect((await fetch(`${url}/api/v1/labels`, { headers })).status).toBe(200)
    expect(await challengeOf('/alerts')).toEqual([401, 'Bearer realm="daytwo"'])
    expect(await challengeOf('/sign-in?with=token&to=%2Falerts')).toEqual([
      401,
      expect.stringContaining('Basic') as string,
    ])
    const basic = { authorization: `Basic ${Buffer.from('x:root').toString('base64')}` }
    const led = await fetch(`${url}/sign-in?with=token&to=%2Falerts`, {
      headers: { ...PAGE, ...basic },
      redirect: 'manual',
    })
    expect([led.status, led.headers.get('location')]).toEqual([302, '/alerts'])
    const begun = await fetch(`${url}/sign-in/start`, { headers: PAGE })
    expect([begun.status, await begun.text()]).toEqual([503, expect.stringContaining('cannot be reached') as string])
    await restart()
  })
})

describe('a session', () => {
  test('goes on after a restart, with the role that the options then give', async () => {
    const client = cookieClient()
    await signIn(client)
    await restart({ 'auth.roles': 'sre=admin' })
    expect(await who(client)).toMatchObject({ name: 'ada@example.com', role: 'admin' })
    await restart({ 'auth.roles': 'guests=viewer' })
    expect(await who(client)).toBe(401)
    await restart()
  })

  test('has a new secret after a quarter of an hour, and the old one is worth nothing a minute later', async () => {
    const client = cookieClient()
    await signIn(client)
    const first = sessionOf(client)!
    expect(await status(client)).toBe(200)
    expect(sessionOf(client)).toBe(first)
    clock.advance(15 * MINUTE_MS)
    // Nothing that others may store carries a secret.
    await client.request(`${url}/icon.svg`)
    await client.request(`${url}/-/healthy`)
    expect(sessionOf(client)).toBe(first)
    const renewed = await client.request(`${url}/api/v1/labels`)
    expect(renewed.headers.get('cache-control')).toBe('no-store')
    const second = sessionOf(client)!
    expect(second).not.toBe(first)
    expect(await status(client)).toBe(200)
    clock.advance(MINUTE_MS)
    const old = cookieClient()
    await old.request(`${url}/-/healthy`)
    old.jar.get(url)!.set('daytwo-session', first)
    expect([await status(old), await status(client)]).toEqual([401, 200])
  })

  test('that nobody uses is over after an hour, and an open event stream ends with it', async () => {
    const client = cookieClient()
    await signIn(client)
    const events = await client.request(`${url}/api/fleet/v1/events`)
    expect(events.status).toBe(200)
    const ended = events.text()
    for (let minutes = 0; minutes < 61; minutes++) {
      clock.advance(MINUTE_MS)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(await ended).toContain(': listening')
    expect(await status(client)).toBe(401)
  })

  test('ends when the person signs out, here and at the provider', async () => {
    const client = cookieClient()
    await signIn(client)
    const secret = sessionOf(client)!
    const answer = await client.request(`${url}/api/ui/v1/sign-out`, { method: 'POST' })
    const { to } = (await answer.json()) as { to: string }
    expect(answer.headers.getSetCookie()[0]).toMatch(/^daytwo-session=; .*Max-Age=0$/)
    expect([await status(client), sessionOf(client)]).toEqual([401, undefined])
    client.jar.get(url)!.set('daytwo-session', secret)
    expect(await status(client)).toBe(401)
    const { origin, searchParams } = new URL(to)
    expect([origin, searchParams.get('post_logout_redirect_uri'), searchParams.get('client_id')]).toEqual([
      provider.issuer,
      `${url}/sign-in`,
      CLIENT_ID,
    ])
    // The provider asks whether it is meant, and leads back.
    const asked = await client.request(to)
    expect([asked.status, await asked.text()]).toEqual([200, expect.stringContaining('logout') as string])
    expect((await audit()).slice(-2)).toEqual(['session.start ada@example.com', 'session.end ada@example.com'])
  })

  test('ends within seconds when a person is signed out on the command line, with an open event stream', async () => {
    const [client, other] = [cookieClient(), cookieClient()]
    await signIn(client)
    await signIn(other, 'bob')
    const ended = (await client.request(`${url}/api/fleet/v1/events`)).text()
    const listed = await daytwo('session', 'list', '--data', join(folder.path, 'data'))
    expect(listed.stdout).toMatch(/ ada@example\.com +sre\n/)
    const ran = await daytwo('session', 'end', 'ada@example.com', '--data', join(folder.path, 'data'))
    expect(ran).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^\d+ sessions of ada@example\.com ended/) as string,
    })
    await expect
      .poll(async () => {
        clock.advance(1000)
        return status(client)
      })
      .toBe(401)
    for (let seconds = 0; seconds < 61; seconds++) {
      clock.advance(1000)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(await ended).toContain(': listening')
    expect(await status(other)).toBe(200)
    expect((await audit()).at(-1)).toMatch(/^session\.end command line \(/)
  })

  test('is not ended, and changes nothing, for a page of another origin', async () => {
    const client = cookieClient()
    await signIn(client)
    const foreign = { origin: 'https://evil.example', 'content-type': 'application/json' }
    for (const path of ['/api/ui/v1/sign-out', '/api/fleet/v1/silences']) {
      const answer = await client.request(`${url}${path}`, { method: 'POST', headers: foreign, body: '{}' })
      expect([path, answer.status]).toEqual([path, 403])
    }
    expect(await status(client)).toBe(200)
  })

  test('counts before a password that the browser repeats, and a Bearer token before both', async () => {
    const client = cookieClient()
    await signIn(client)
    const as = async (authorization: string) => {
      const answer = await client.request(`${url}/api/ui/v1/settings`, { headers: { authorization } })
      return answer.status === 200 ? ((await answer.json()) as Settings).signedIn?.name : answer.status
    }
    const basic = (password: string) => `Basic ${Buffer.from(`x:${password}`).toString('base64')}`
    expect(await as(basic('root'))).toBe('ada@example.com')
    expect(await as(basic('long gone'))).toBe('ada@example.com')
    expect([await as('Bearer root'), await as('Bearer unknown')]).toEqual(['root', 401])
  })
})

describe('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser.close()
  })

  async function passLogin(page: Page, login: string): Promise<void> {
    await page.locator('input[name=login]').fill(login)
    await page.locator('input[name=password]').fill('any')
    await page.locator('button[type=submit]').click()
    await page.locator('button[type=submit]').click()
  }

  test('the button leads to the provider and back to the page; the masthead says who it is; signing out ends it', async () => {
    const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage()
    await page.goto(`${url}/fleet/upgrades`)
    await page.getByRole('heading', { name: 'Sign in to Daytwo' }).waitFor()
    await page.getByRole('link', { name: 'Sign in with Example ID' }).click()
    await passLogin(page, 'ada')
    await page.waitForURL(`${url}/fleet/upgrades`)
    await page.getByRole('button', { name: 'Signed in as ada@example.com: account' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('ada@example.com (responder)').waitFor()
    await dialog.getByRole('button', { name: 'Sign out' }).click()
    // The provider's own question whether it is meant.
    await page.locator('button[name=logout]').click()
    await page.waitForURL(`${url}/sign-in**`)
    await page.getByRole('link', { name: 'Sign in with Example ID' }).waitFor()
    await page.goto(`${url}/alerts`)
    await page.getByRole('heading', { name: 'Sign in to Daytwo' }).waitFor()
    await page.context().close()
  })
})
