import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { FleetError } from '../../base/errors.ts'
import type { SignedOut } from '../../contract/ui.ts'
import type { Person } from '../../model/session.ts'
import { isAllowed, LADDER, type Principal, type Role } from '../../model/token.ts'
import { paramsOf } from '../prometheus/params.ts'
import { forbidden } from './access.ts'
import { redirectTarget } from './sign-in-address.ts'
import { SIGN_IN_SECONDS_MAX, type Cookies } from './session-cookie.ts'

/** Signs people in at an identity provider, by redirects of their browser. */
export interface IdentityProvider {
  /** As people call it. */
  readonly name: string
  /**
   * Begins a sign-in: the address of the provider, and the state that the browser brings back.
   * @param isAnew the provider asks again who it is, although a person is signed in there
   */
  begin(to: string, isAnew: boolean): Promise<{ readonly address: string; readonly state: string }>
  /**
   * Who came back, and where they wanted to go. Throws FleetError.
   * @param search the query string with which the provider sent the browser back
   */
  complete(search: string, state: string | undefined): Promise<{ readonly person: Person; readonly to: string }>
  /** Where the browser is signed out at the provider too; `undefined`: the provider offers no such address. */
  signOutAddress(): string | undefined
}

/** The sessions of people, by the secret in their cookie. */
export interface Sessions {
  /** The principal; `undefined`: no such session, or no role. @param isUse counts against the idle time */
  find(secret: string, isUse: boolean): Principal | undefined
  /** The next secret when it is time for one. The present one is accepted until the next one has come back. */
  rotate(secret: string): Promise<string | undefined>
  /** The secret of a new session; durable when it resolves. */
  start(person: Person): Promise<string>
  end(secret: string): Promise<void>
}

export interface SignInOptions {
  readonly provider: IdentityProvider
  readonly sessions: Sessions
  readonly cookies: Cookies
}

/**
 * `/sign-in?role=responder&to=/alerts`: leads on when the role is sufficient. Otherwise the answer is a page with the way
 * to the identity provider or, without one, the browser's prompt for another token: a browser stores a password and
 * sends it with every request, and only a refusal makes it prompt again.
 */
export function registerSignIn(
  app: FastifyInstance,
  { requiresToken, signIn }: { readonly requiresToken: boolean; readonly signIn?: SignInOptions | undefined },
): void {
  // Public: the handler checks the role itself and reveals nothing about the fleet.
  app.get('/sign-in', { config: { access: 'public', dialect: 'text' } }, (request, reply) => {
    const params = paramsOf(request)
    const role = requestedRole(params.get('role'))
    const { principal } = request
    void reply.header('cache-control', 'no-store')
    if (!requiresToken || isAllowed(principal?.role, role)) return reply.redirect(redirectTarget(params.get('to')), 302)
    throw new FleetError(
      'unauthenticated',
      principal === undefined ? `this needs the role ${role}` : forbidden(principal, role).message,
      { hint: `\`daytwo token add --role ${role}\` makes a token` },
    )
  })
  if (signIn !== undefined) registerProvider(app, signIn)
}

function registerProvider(app: FastifyInstance, { provider, sessions, cookies }: SignInOptions): void {
  const page = { access: 'public', dialect: 'text' } as const

  app.get('/sign-in/start', { config: page }, async (request, reply) => {
    // A person who is signed in and opens this page wants to change the account.
    const isAnew = request.principal?.via === 'session'
    const { address, state } = await provider.begin(redirectTarget(paramsOf(request).get('to')), isAnew)
    return send(reply, address, cookies.set('sign-in', state, SIGN_IN_SECONDS_MAX))
  })

  app.get('/sign-in/callback', { config: page }, async (request, reply) => {
    const at = request.url.indexOf('?')
    const search = at === -1 ? '' : request.url.slice(at)
    void reply.header('cache-control', 'no-store')
    const { person, to } = await provider.complete(search, cookies.read(request.raw, 'sign-in'))
    // A new secret, whatever the browser had: nobody can know it beforehand.
    const secret = await sessions.start(person)
    const earlier = cookies.read(request.raw, 'session')
    if (earlier !== undefined) await sessions.end(earlier)
    return send(reply, to, cookies.set('session', secret), cookies.clear('sign-in'))
  })

  app.post('/api/ui/v1/sign-out', { config: { access: 'public', dialect: 'own' } }, async (request, reply) => {
    const secret = cookies.read(request.raw, 'session')
    if (secret !== undefined) await sessions.end(secret)
    void reply.header('set-cookie', cookies.clear('session'))
    const answer: SignedOut = { to: provider.signOutAddress() ?? '/sign-in' }
    return answer
  })
}

/** Renews the cookies of sessions. After the access check, before any route. */
export function installSessionRotation(app: FastifyInstance, { sessions, cookies }: SignInOptions): void {
  // Not for public routes: their answers may be stored by others on the way.
  app.addHook('onRequest', async (request, reply) => {
    if (request.principal?.via !== 'session' || request.routeOptions.config.access === 'public') return
    const next = await sessions.rotate(cookies.read(request.raw, 'session') ?? '')
    if (next !== undefined) void reply.header('set-cookie', cookies.set('session', next))
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (reply.hasHeader('set-cookie')) void reply.header('cache-control', 'no-store')
    done()
  })
}

/** Sends the browser on, with new cookies. */
function send(reply: FastifyReply, to: string, ...setCookies: readonly string[]): FastifyReply {
  return reply.header('set-cookie', setCookies).redirect(to, 302)
}

/** Finds the session of a request. */
export function sessionReader({ sessions, cookies }: Pick<SignInOptions, 'sessions' | 'cookies'>) {
  return (request: FastifyRequest['raw'], isUse: boolean): Principal | undefined => {
    const secret = cookies.read(request, 'session')
    return secret === undefined ? undefined : sessions.find(secret, isUse)
  }
}

function requestedRole(text: string): Role {
  return LADDER.find((role) => role === text) ?? 'viewer'
}
