/**
 * Sign-in of people by OpenID Connect 1.0: authorization code flow with PKCE, state and nonce. The metadata of the provider
 * is read in the background and again after an hour; a provider that is down keeps nobody out who has a token or a session.
 * The state of a sign-in travels in a sealed cookie, so a response counts only in the browser that began the sign-in.
 */
import { readFileSync } from 'node:fs'
import type * as openid from 'openid-client'
import { SIGN_IN_SECONDS_MAX } from '../api/server/session-cookie.ts'
import type { IdentityProvider } from '../api/server/sign-in.ts'
import type { Clock } from '../base/clock.ts'
import { FleetError, messageOf } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { OwnMetrics } from '../base/metrics.ts'
import { ownValue } from '../base/own-value.ts'
import type { Person } from '../model/session.ts'
import { rolesOfGroups, type GroupRole } from '../model/token.ts'
import { createStateSeal } from './sealed-state.ts'

export interface IdentityProviderOptions {
  readonly name: string
  readonly issuer: string
  readonly clientId: string
  /** Absent: a public client, which has PKCE alone. */
  readonly clientSecretFile?: string
  readonly scopes: readonly string[]
  /** The claim with the person's name; the subject when it is absent. */
  readonly nameClaim: string
  readonly groupsClaim: string
  readonly roles: readonly GroupRole[]
  /** Of this server, without a slash at the end. */
  readonly externalUrl: string
}

export interface OpenIdProvider extends IdentityProvider {
  stop(): void
}

/** What the browser brings back. */
interface SignInState {
  readonly verifier: string
  readonly state: string
  readonly nonce: string
  readonly to: string
  readonly expiresAtMs: number
}

/** Of one request to the provider. */
const ANSWER_SECONDS_MAX = 10
/** How far the clocks of the provider and of this server may differ. */
const CLOCK_TOLERANCE_SECONDS = 60
const REREAD_AFTER_MS = 3_600_000
const RETRY_AFTER_MS_MIN = 5000
const RETRY_AFTER_MS_MAX = 300_000
const GROUPS_MAX = 10_000
const NAME_CHARS_MAX = 200
/** The server itself in the audit: no person has this name. */
const BY_ITSELF = 'daytwo'

interface Parts {
  readonly options: IdentityProviderOptions
  readonly clock: Clock
  readonly metrics: OwnMetrics
  readonly log: Log
}

export async function startIdentityProvider({ options, clock, metrics, log }: Parts): Promise<OpenIdProvider> {
  // Few servers need it, and it is a large part of a start.
  const client = await import('openid-client')
  const seal = createStateSeal<SignInState>()
  const redirectUri = `${options.externalUrl}/sign-in/callback`
  let known: { readonly configuration: openid.Configuration; readonly readAtMs: number } | undefined
  let reading: Promise<openid.Configuration> | undefined
  let cancel = (): void => undefined

  /** The metadata of the provider. Old metadata is better than none. */
  const configured = async (): Promise<openid.Configuration> => {
    if (known !== undefined && clock.nowMs() - known.readAtMs < REREAD_AFTER_MS) return known.configuration
    try {
      reading ??= discover(client, options).finally(() => (reading = undefined))
      const configuration = await reading
      known = { configuration, readAtMs: clock.nowMs() }
      return configuration
    } catch (thrown) {
      if (known !== undefined) return known.configuration
      throw unreachable(options, thrown)
    }
  }
  const readAhead = (retryAfterMs: number): void => {
    configured().catch((thrown: unknown) => {
      log.warn({ issuer: options.issuer, error: messageOf(thrown) }, 'the identity provider cannot be reached')
      cancel = clock.after(retryAfterMs, () => {
        readAhead(Math.min(retryAfterMs * 2, RETRY_AFTER_MS_MAX))
      })
    })
  }
  readAhead(RETRY_AFTER_MS_MIN)

  const complete: IdentityProvider['complete'] = async (search, sealed) => {
    const flow = sealed === undefined ? undefined : seal.open(sealed)
    if (flow === undefined || clock.nowMs() >= flow.expiresAtMs) {
      throw new FleetError('forbidden', 'this sign-in was not started in this browser, or has expired', {
        hint: `finish the sign-in within ${SIGN_IN_SECONDS_MAX / 60} minutes, in the browser window that started it`,
      })
    }
    const configuration = await configured()
    const claims = await claimsOf(client, configuration, new URL(redirectUri + search), flow, options).catch(
      (thrown: unknown) => {
        throw refusalOf(client, options, thrown)
      },
    )
    return { person: personOf(claims, options), to: flow.to }
  }

  return {
    name: options.name,
    begin: async (to, isAnew) => {
      const configuration = await configured()
      const verifier = client.randomPKCECodeVerifier()
      const [state, nonce] = [client.randomState(), client.randomNonce()]
      const address = client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: [...new Set(['openid', ...options.scopes])].join(' '),
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
        ...(isAnew ? { prompt: 'login' } : {}),
      })
      const expiresAtMs = clock.nowMs() + SIGN_IN_SECONDS_MAX * 1000
      return { address: address.href, state: seal.seal({ verifier, state, nonce, to, expiresAtMs }) }
    },
    complete: async (search, sealed) => {
      try {
        const completed = await complete(search, sealed)
        metrics.signIns.inc({ outcome: 'ok' })
        return completed
      } catch (thrown) {
        const isRefused = thrown instanceof FleetError && thrown.code === 'forbidden'
        metrics.signIns.inc({ outcome: isRefused ? 'refused' : 'failed' })
        throw thrown
      }
    },
    signOutAddress: () => {
      if (known?.configuration.serverMetadata().end_session_endpoint === undefined) return undefined
      const parameters = { post_logout_redirect_uri: `${options.externalUrl}/sign-in` }
      return client.buildEndSessionUrl(known.configuration, parameters).href
    },
    stop: () => {
      cancel()
    },
  }
}

async function discover(
  client: typeof openid,
  { issuer, clientId, clientSecretFile }: IdentityProviderOptions,
): Promise<openid.Configuration> {
  // Read each time, so that a renewed secret needs no restart.
  const secret = clientSecretFile === undefined ? undefined : readFileSync(clientSecretFile, 'utf8').trim()
  const url = new URL(issuer)
  return client.discovery(
    url,
    clientId,
    { [client.clockTolerance]: CLOCK_TOLERANCE_SECONDS },
    secret === undefined ? client.None() : client.ClientSecretBasic(secret),
    {
      timeout: ANSWER_SECONDS_MAX,
      execute: [
        // By itself the library relies on TLS to the token endpoint, and leaves signatures unread.
        client.enableNonRepudiationChecks,
        // The configuration has made sure that only a provider on this machine has no https.
        // eslint-disable-next-line @typescript-eslint/no-deprecated -- deprecated only as a warning; a provider on loopback has no https
        ...(url.protocol === 'http:' ? [client.allowInsecureRequests] : []),
      ],
    },
  )
}

type Claims = Readonly<Record<string, unknown>> & { readonly iss: string; readonly sub: string }

/** Of the ID token; what it lacks of name and groups comes from the userinfo endpoint. */
async function claimsOf(
  client: typeof openid,
  configuration: openid.Configuration,
  callback: URL,
  { verifier, state, nonce }: SignInState,
  { nameClaim, groupsClaim }: IdentityProviderOptions,
): Promise<Claims> {
  const tokens = await client.authorizationCodeGrant(configuration, callback, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
    idTokenExpected: true,
  })
  const claims: Claims = tokens.claims()!
  const isWhole = ownValue(claims, nameClaim) !== undefined && ownValue(claims, groupsClaim) !== undefined
  if (isWhole || configuration.serverMetadata().userinfo_endpoint === undefined) return claims
  return { ...(await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)), ...claims }
}

function personOf(claims: Claims, { nameClaim, groupsClaim, roles }: IdentityProviderOptions): Person {
  const { iss, sub } = claims
  const groups = groupsOf(ownValue(claims, groupsClaim))
  const claimed = ownValue(claims, nameClaim)
  const named = typeof claimed === 'string' ? claimed.trim().slice(0, NAME_CHARS_MAX) : ''
  const name = named === '' || named === BY_ITSELF ? sub : named
  if (rolesOfGroups(groups, roles) === undefined) {
    throw new FleetError('forbidden', `${JSON.stringify(name)} is in none of the groups that have a role here`, {
      hint: `got ${groups.length === 0 ? 'no groups' : groups.slice(0, 20).join(', ')}; the option auth.roles has the groups`,
    })
  }
  const mapped = new Set(roles.map(({ group }) => group))
  return { key: `${iss} ${sub}`, name, groups: groups.filter((group) => mapped.has(group)) }
}

/** A list, or the one group as a text. */
function groupsOf(claimed: unknown): readonly string[] {
  const listed: readonly unknown[] = Array.isArray(claimed) ? claimed.slice(0, GROUPS_MAX) : [claimed]
  return listed.filter((group) => typeof group === 'string')
}

/** No answer in time, and an answer of something in front of the provider. */
const DOWN: ReadonlySet<string> = new Set(['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM'])

/** Why the response of the provider is not accepted, or that it could not be asked. */
function refusalOf(client: typeof openid, options: IdentityProviderOptions, thrown: unknown): FleetError {
  if (thrown instanceof client.AuthorizationResponseError || thrown instanceof client.ResponseBodyError) {
    const { error, error_description: description } = thrown
    const detail = description === undefined ? error : `${error}, ${description}`
    return new FleetError('forbidden', `${options.name} did not sign you in: ${detail}`, { cause: thrown })
  }
  // What `fetch` throws when there is no connection is a TypeError without a code.
  const isNetwork = thrown instanceof TypeError && !('code' in thrown)
  const isDown = thrown instanceof client.ClientError && DOWN.has(thrown.code ?? '')
  if (isNetwork || isDown) return unreachable(options, thrown)
  return new FleetError('forbidden', `the response of ${options.name} was not accepted: ${messageOf(thrown)}`, {
    cause: thrown,
  })
}

function unreachable({ name, issuer }: IdentityProviderOptions, thrown: unknown): FleetError {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown
  return new FleetError('not_ready', `${name} (${issuer}) cannot be reached: ${messageOf(cause)}`, {
    hint: 'tokens still work; try again in a minute',
    cause: thrown,
  })
}
