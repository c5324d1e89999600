import { isDeepStrictEqual } from 'node:util'
import { FleetError } from '../../../src/base/errors.ts'
import { silentLog } from '../../../src/base/log.ts'
import { createOwnMetrics } from '../../../src/base/metrics.ts'
import { startIdentityProvider } from '../../../src/runtime/identity-provider.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { startForgedProvider } from '../../support/forged-provider.ts'
import { mutatedJson, mutatedText, pick, type Random } from '../mutate.ts'
import { oneByOne, type Target } from '../target.ts'

/** One response of an identity provider, and what the browser brings back. */
interface Response {
  readonly claims: Readonly<Record<string, unknown>>
  readonly header: Readonly<Record<string, unknown>>
  readonly userinfo: Readonly<Record<string, unknown>>
  readonly refusal: { readonly status: number; readonly body: object } | undefined
  /** Changes the query string, or the cookie; absent: they come back as they were sent. */
  readonly changes: { readonly search?: number; readonly cookie?: number }
}

const CLAIMS = { email: 'ada@example.com', groups: ['sre', 'chess'] }
const USERINFO = { sub: '1', ...CLAIMS }
/** Of these claims only the right value may sign a person in. */
const DECIDING = ['iss', 'aud', 'nonce']
const ODD_CLAIMS = [...DECIDING, 'sub', 'exp', 'iat', 'nbf', 'azp', 'at_hash', 'auth_time', 'acr']
const ODD_VALUES = [
  ...[undefined, null, true, '', 'daytwo ', 'x', 0, -1, 1e308, 1.5, 4_102_444_800, [], ['x'], {}, 'x'.repeat(5000)],
  ...['https://evil.example', ['evil', 'other'], '\0', '\u202e'],
]
/** None of them is signed by the provider with the algorithm that it has. */
const FORGED_HEADERS = [{ alg: 'none' }, { alg: 'HS256' }, { alg: 'RS256' }, { alg: 'es256' }, { signedBy: 'other' }]
const ODD_HEADERS = [
  { kid: 'x' },
  { kid: null },
  { typ: 'x' },
  { crit: ['x'] },
  { b64: false },
  { jku: 'http://a.invalid' },
]
const REFUSALS = [
  { error: 'invalid_grant', error_description: 'no' },
  { access_token: 'a', token_type: 'Bearer' },
]

const NAME_CHARS_MAX = 200
const ROLES = [{ group: 'sre', role: 'responder' }] as const

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

function responseOf(random: Random): Response {
  const changed = (value: object): Readonly<Record<string, unknown>> => {
    let record = recordOf(value)
    for (let i = random(3); i > 0; i--) record = recordOf(mutatedJson(random, record))
    return record
  }
  const odd = random(4) === 0 ? { [pick(random, ODD_CLAIMS)]: pick(random, ODD_VALUES) } : {}
  const isRefused = random(10) === 0
  return {
    claims: { ...(random(3) === 0 ? {} : changed(CLAIMS)), ...odd },
    header: random(8) === 0 ? pick(random, [...FORGED_HEADERS, ...ODD_HEADERS]) : {},
    userinfo: changed(USERINFO),
    refusal: isRefused
      ? { status: pick(random, [200, 204, 302, 400, 401, 429, 500, 503]), body: changed(pick(random, REFUSALS)) }
      : undefined,
    changes: {
      ...(random(8) === 0 && { search: random(2 ** 30) }),
      ...(random(8) === 0 && { cookie: random(2 ** 30) }),
    },
  }
}

function bytesOf(cookie: string): Buffer {
  return Buffer.from(cookie, 'base64url')
}

function isForged({ claims, header }: Response): boolean {
  return DECIDING.some((name) => name in claims) || FORGED_HEADERS.some((forged) => isDeepStrictEqual(forged, header))
}

const signIn: Target<Response> = {
  name: 'sign-in',
  claim:
    'A response of an identity provider signs in a person of a known group, or is refused; a forged one is refused.',
  inputs: { suite: 100, long: 40_000 },
  sessionInputs: 20_000,
  shares: { 'signed in': 0.1, forbidden: 0.2 },
  open: async () => {
    const forged = await startForgedProvider()
    const provider = await startIdentityProvider({
      options: {
        ...{ name: 'Example ID', issuer: forged.issuer, clientId: 'daytwo', scopes: ['profile'], roles: ROLES },
        ...{ nameClaim: 'email', groupsClaim: 'groups', externalUrl: 'https://daytwo.example' },
      },
      ...{ clock: new FakeClock(Date.now()), metrics: createOwnMetrics('0.0.0-test'), log: silentLog },
    })
    return {
      make: responseOf,
      check: oneByOne(async (response) => {
        const { changes, ...answers } = response
        Object.assign(forged, answers)
        const { address, state } = await provider.begin('/alerts', false)
        const sent = forged.authorize(address).search
        const [search, cookie] = [mutatedText(sent, changes.search), mutatedText(state, changes.cookie)]
        try {
          const { person, to } = await provider.complete(search, cookie)
          if (isForged(response)) throw new Error('it is forged and signs in')
          // Base64 has characters that mean nothing.
          if (!bytesOf(cookie).equals(bytesOf(state))) throw new Error('a sign-in of another browser signs in')
          if (to !== '/alerts') throw new Error(`it leads to ${to}`)
          const { key, name, groups } = person
          if (groups.join() !== 'sre') throw new Error(`signs in with the groups ${groups.join()}`)
          if (typeof name !== 'string' || name.length > NAME_CHARS_MAX) throw new Error(`the name is ${name}`)
          if (!key.startsWith(`${forged.issuer} `)) throw new Error(`the key is ${key}`)
          return 'signed in'
        } catch (thrown) {
          if (thrown instanceof FleetError) return thrown.code
          throw thrown
        }
      }),
      simpler: function* (input) {
        yield { ...input, refusal: undefined }
        yield { ...input, changes: {} }
        yield { ...input, header: {} }
        for (const part of ['claims', 'userinfo'] as const) {
          for (const name of Object.keys(input[part])) {
            const rest = Object.entries(input[part]).filter(([other]) => other !== name)
            yield { ...input, [part]: Object.fromEntries(rest) }
          }
        }
      },
      show: (input) => JSON.stringify(input),
      close: async () => {
        provider.stop()
        await forged.close()
      },
    }
  },
}

export const SIGN_IN = [signIn]
