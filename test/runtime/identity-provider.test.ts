import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { silentLog } from '../../src/base/log.ts'
import { createOwnMetrics } from '../../src/base/metrics.ts'
import {
  startIdentityProvider,
  type IdentityProviderOptions,
  type OpenIdProvider,
} from '../../src/runtime/identity-provider.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { startForgedProvider, type ForgedProvider } from '../support/forged-provider.ts'

// What a provider may say, and what it must not. The whole way with a real one: test/e2e/sign-in.test.ts.

let forged: ForgedProvider
let clock: FakeClock
const running: OpenIdProvider[] = []

beforeEach(async () => {
  forged = await startForgedProvider()
  forged.claims = { email: 'ada@example.com', groups: ['sre', 'chess'] }
  clock = new FakeClock(Date.now())
})
afterEach(async () => {
  for (const provider of running.splice(0)) provider.stop()
  await forged.close()
})

async function start(options: Partial<IdentityProviderOptions> = {}): Promise<OpenIdProvider> {
  const provider = await startIdentityProvider({
    options: {
      name: 'Example ID',
      issuer: forged.issuer,
      clientId: 'daytwo',
      scopes: ['profile'],
      nameClaim: 'email',
      groupsClaim: 'groups',
      roles: [{ group: 'sre', role: 'responder' }],
      externalUrl: 'https://daytwo.example',
      ...options,
    },
    ...{ clock, metrics: createOwnMetrics('0.0.0-test'), log: silentLog },
  })
  running.push(provider)
  return provider
}

/** Signs in as the forged provider says. */
async function signIn(provider: OpenIdProvider, to = '/alerts') {
  const { address, state } = await provider.begin(to, false)
  return provider.complete(forged.authorize(address).search, state)
}

test('a sign-in asks for a code with PKCE, state and nonce, and leads to who and where', async () => {
  const provider = await start()
  const { address, state } = await provider.begin('/alerts?q=1', false)
  const { pathname, searchParams } = new URL(address)
  expect(pathname).toBe('/auth')
  expect(Object.fromEntries(searchParams)).toEqual({
    client_id: 'daytwo',
    redirect_uri: 'https://daytwo.example/sign-in/callback',
    response_type: 'code',
    scope: 'openid profile',
    code_challenge: expect.stringMatching(/^[\w-]{43}$/) as string,
    code_challenge_method: 'S256',
    state: expect.stringMatching(/^[\w-]{43}$/) as string,
    nonce: expect.stringMatching(/^[\w-]{43}$/) as string,
  })
  expect(await provider.complete(forged.authorize(address).search, state)).toEqual({
    person: { key: `${forged.issuer} 1`, name: 'ada@example.com', groups: ['sre'] },
    to: '/alerts?q=1',
  })
  expect(new URL((await provider.begin('/', true)).address).searchParams.get('prompt')).toBe('login')
})

test.each([
  [{ email: undefined }, 'the subject', '1'],
  [{ email: '' }, 'the subject', '1'],
  [{ email: 42 }, 'the subject', '1'],
  [{ email: 'daytwo' }, 'the subject: nobody is the server itself', '1'],
  [{ email: ` ${'a'.repeat(300)}` }, 'cut', 'a'.repeat(200)],
])('of a person with the claims %j the name is %s', async (claims, _what, name) => {
  Object.assign(forged.claims, claims)
  forged.userinfo = { sub: '1' }
  expect((await signIn(await start())).person.name).toBe(name)
})

test('what the ID token lacks comes from userinfo, of the same subject', async () => {
  forged.claims = {}
  forged.userinfo = { sub: '1', email: 'ada@example.com', groups: 'sre' }
  const provider = await start()
  expect((await signIn(provider)).person).toMatchObject({ name: 'ada@example.com', groups: ['sre'] })
  forged.userinfo = { sub: '2', email: 'ada@example.com', groups: ['sre'] }
  await expect(signIn(provider)).rejects.toMatchObject({ code: 'forbidden' })
})

test.each([
  [['chess'], 'got chess'],
  [[], 'got no groups'],
  [{ sre: true }, 'got no groups'],
  [[['sre']], 'got no groups'],
])('who is in groups %j is not let in, and reads why', async (groups, hint) => {
  forged.claims['groups'] = groups
  await expect(signIn(await start())).rejects.toMatchObject({
    code: 'forbidden',
    message: '"ada@example.com" is in none of the groups that have a role here',
    hint: expect.stringContaining(hint) as string,
  })
})

const nowSeconds = (): number => Math.floor(Date.now() / 1000)

describe('an ID token', () => {
  test.each([
    ['of another audience', () => ({ aud: 'other' }), {}],
    ['of another issuer', () => ({ iss: 'https://evil.example' }), {}],
    ['with another nonce', () => ({ nonce: 'x' }), {}],
    ['without a nonce', () => ({ nonce: undefined }), {}],
    ['without a subject', () => ({ sub: undefined }), {}],
    ['that is over', () => ({ iat: nowSeconds() - 600, exp: nowSeconds() - 90 }), {}],
    ['that is not yet valid', () => ({ nbf: nowSeconds() + 90 }), {}],
    ['that is not signed', () => ({}), { alg: 'none' }],
    ['signed with the client’s secret', () => ({}), { alg: 'HS256' }],
    ['of an unknown key', () => ({}), { kid: 'k2' }],
    ['signed by somebody else', () => ({}), { signedBy: 'somebody else' }],
  ])('%s is refused', async (_what, claims, header) => {
    Object.assign(forged.claims, claims())
    forged.header = header
    await expect(signIn(await start())).rejects.toMatchObject({ code: 'forbidden' })
  })

  test.each([
    ['ended', () => ({ iat: nowSeconds() - 600, exp: nowSeconds() - 30 })],
    ['will begin', () => ({ nbf: nowSeconds() + 30 })],
  ])('that by this clock %s half a minute off is taken: clocks differ', async (_what, claims) => {
    Object.assign(forged.claims, claims())
    expect((await signIn(await start())).person.name).toBe('ada@example.com')
  })
})

describe('a response', () => {
  const REFUSED = { code: 'forbidden', message: expect.stringContaining('not started in this browser') as string }

  test('counts only in the browser that began, with its own state, once and within ten minutes', async () => {
    const provider = await start()
    const { address, state } = await provider.begin('/', false)
    const { search } = forged.authorize(address)
    await expect(provider.complete(search, undefined)).rejects.toMatchObject(REFUSED)
    await expect(provider.complete(search, `x${state}`)).rejects.toMatchObject(REFUSED)
    // Login CSRF: the response of an attacker's sign-in in the browser of somebody who has begun one.
    const attacker = await provider.begin('/', false)
    const theirs = forged.authorize(attacker.address).search
    await expect(provider.complete(theirs, state)).rejects.toMatchObject({ code: 'forbidden' })
    await provider.complete(search, state)
    await expect(provider.complete(search, state)).rejects.toMatchObject({ code: 'forbidden' })
    const late = await provider.begin('/', false)
    clock.advance(600_000)
    await expect(provider.complete(forged.authorize(late.address).search, late.state)).rejects.toMatchObject(REFUSED)
    // Sealed by another process: before a restart.
    await expect((await start()).complete(search, state)).rejects.toMatchObject(REFUSED)
  })

  test('with a code that belongs to another sign-in is refused, by PKCE', async () => {
    const provider = await start()
    const [one, two] = [await provider.begin('/', false), await provider.begin('/', false)]
    const stolen = new URLSearchParams(forged.authorize(one.address).search).get('code') ?? ''
    const state = new URL(two.address).searchParams.get('state') ?? ''
    const search = `?${new URLSearchParams({ code: stolen, state, iss: forged.issuer }).toString()}`
    await expect(provider.complete(search, two.state)).rejects.toMatchObject({
      code: 'forbidden',
      message: 'Example ID did not sign you in: invalid_grant',
    })
  })

  test('that is a refusal is said as such', async () => {
    const provider = await start()
    const { address, state } = await provider.begin('/', false)
    const own = new URL(address).searchParams.get('state') ?? ''
    const search = `?error=access_denied&error_description=not+you&state=${own}&iss=${encodeURIComponent(forged.issuer)}`
    await expect(provider.complete(search, state)).rejects.toMatchObject({
      code: 'forbidden',
      message: 'Example ID did not sign you in: access_denied, not you',
    })
  })
})

describe('a provider that cannot be reached', () => {
  test('is asked again by itself, and says so to who signs in', async () => {
    forged.isDown = true
    const provider = await start()
    await expect(provider.begin('/', false)).rejects.toMatchObject({
      code: 'not_ready',
      message: expect.stringContaining(`Example ID (${forged.issuer}) cannot be reached`) as string,
    })
    expect(provider.signOutAddress()).toBeUndefined()
    forged.isDown = false
    const before = forged.asked.get('/.well-known/openid-configuration') ?? 0
    await expect
      .poll(() => {
        clock.advance(5000)
        return forged.asked.get('/.well-known/openid-configuration')
      })
      .toBeGreaterThan(before)
    expect((await signIn(provider)).to).toBe('/alerts')
  })

  test('in the middle of a sign-in is a failure that can be tried again, and no refusal', async () => {
    const provider = await start()
    const { address, state } = await provider.begin('/', false)
    const { search } = forged.authorize(address)
    forged.isDown = true
    await expect(provider.complete(search, state)).rejects.toMatchObject({ code: 'not_ready' })
  })

  test('is known from before: metadata is read each hour, and the old one serves meanwhile', async () => {
    const provider = await start()
    await provider.begin('/', false)
    const reads = (): number => forged.asked.get('/.well-known/openid-configuration') ?? 0
    const before = reads()
    await provider.begin('/', false)
    expect(reads()).toBe(before)
    clock.advance(3_600_000)
    forged.isDown = true
    expect((await provider.begin('/', false)).address).toContain('/auth')
    expect(reads()).toBeGreaterThan(before)
  })
})
