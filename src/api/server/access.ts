import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { IncomingMessage } from 'node:http'
import { FleetError } from '../../base/errors.ts'
import { invariant } from '../../base/invariant.ts'
import { ALL_CLUSTERS, formatSelectors, type ClusterScope, type ClusterSelectors } from '../../model/cluster-scope.ts'
import {
  clustersOf,
  isAllowed,
  isExpired,
  kindOf,
  type Access,
  type Authenticated,
  type ExpiredToken,
  type Principal,
} from '../../model/token.ts'
import { isBearer, tokenOf, type Identify } from './identify.ts'
import { routeScopeOf } from './route-config.ts'
import { NO_CREDENTIALS } from './plain-page.ts'
import { isKnownOrigin } from './security-headers.ts'

/**
 * Access control. Three checks in order, before a body is read: the Host names this server, the Origin is a known page or
 * the request has a Bearer token, and the role of who sends it (identify.ts) allows the route.
 */
export interface AccessOptions {
  /** False on loopback without tokens and without sign-in: then every local user may do everything. */
  readonly requiresToken: boolean
  readonly identify: Identify
  /** The host it listens on, without a port. */
  readonly listenHost: string
  readonly externalUrl: string
  /** The clusters that selectors have now; absent: no principal has any. */
  readonly resolveScope?: (clusters: ClusterSelectors) => Promise<ClusterScope>
  /** Origins whose pages may use the query routes, as a browser writes them: `https://perses.example`. */
  readonly corsOrigins: readonly string[]
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Runs the three checks before every route, and finds the clusters of the request. */
export function installAccess(app: FastifyInstance, options: AccessOptions): void {
  const ownHosts = ownHostsOf(options)
  app.decorateRequest('principal', undefined)
  // Set by the hook, so that what runs without it reads nothing.
  app.decorateRequest('scope', undefined as unknown as ClusterScope)

  app.addHook('onRequest', async (request) => {
    if (!options.requiresToken) checkHost(request, ownHosts)
    if (request.is404) return
    const access = request.routeOptions.config.access ?? 'admin'
    // A token matters even without access control: data sent with a cluster's token is labelled with the cluster.
    const found = await options.identify(request.raw)
    if (!isExpired(found)) request.principal = found
    if (!isBearer(request.headers.authorization)) checkOrigin(request, options)
    if (isExpired(found) && access !== 'public') throw expired(found)
    if (options.requiresToken && !isAllowed(request.principal?.role, access)) {
      throw request.principal === undefined ? unauthenticated(request) : forbidden(request.principal, access)
    }
    request.scope = await scopeOf(request, access, options)
  })
}

/** Throws `forbidden` where only roles over all clusters are enough. */
async function scopeOf(
  { principal, routeOptions }: FastifyRequest,
  access: Access,
  { resolveScope }: AccessOptions,
): Promise<ClusterScope> {
  const scope = routeScopeOf(routeOptions.config)
  const clusters = principal === undefined ? undefined : clustersOf(principal, access)
  if (principal === undefined || clusters === undefined) return ALL_CLUSTERS
  // A route without data of clusters needs no list of them.
  if (scope === 'none') return { clusters, includes: () => false }
  if (scope !== 'clusters') {
    throw new FleetError(
      'forbidden',
      `${kindOf(principal)} ${JSON.stringify(principal.name)} has role ${access} over ${formatSelectors(clusters)}, this needs it over all clusters`,
    )
  }
  invariant(resolveScope !== undefined, 'a principal with a scope needs a scope resolver')
  return resolveScope(clusters)
}

function unauthenticated({ headers: { authorization } }: FastifyRequest): FleetError {
  const isGiven = tokenOf(authorization) !== undefined
  return new FleetError('unauthenticated', isGiven ? 'unknown token' : NO_CREDENTIALS, {
    hint: 'send it as a Bearer token, or as the password of Basic auth; `daytwo token add` makes one',
  })
}

export function expired({ name, expiredAtMs }: ExpiredToken): FleetError {
  const at = new Date(expiredAtMs).toISOString()
  return new FleetError('unauthenticated', `token ${JSON.stringify(name)} expired at ${at}`, {
    hint: '`daytwo token add` makes another one',
  })
}

export function forbidden(principal: Principal, access: Access): FleetError {
  return new FleetError(
    'forbidden',
    `${kindOf(principal)} ${JSON.stringify(principal.name)} has role ${principal.role}, this needs ${access}`,
  )
}

/** A request that passed the checks; `principal` is absent when no token was given or needed. */
export interface Granted {
  readonly principal: Principal | undefined
}

/** Who has a share of what requests use: the principal, or the address where nobody is recognised. */
export function ownerOf({ principal, ip }: FastifyRequest): string {
  return principal === undefined ? `address ${ip}` : `${kindOf(principal)} ${principal.name}`
}

/**
 * The same checks for a route that is answered before Fastify. `undefined` when any check does not clearly pass, and
 * for every request of a page: then the hook above decides and states the reason. A promise when there is a token.
 */
export function tryAccess(
  options: AccessOptions,
  access: Access,
): (request: IncomingMessage) => Granted | undefined | Promise<Granted | undefined> {
  const ownHosts = ownHostsOf(options)
  const grant = (found: Authenticated): Granted | undefined =>
    !isExpired(found) && isWhole(found, access) && (!options.requiresToken || isAllowed(found?.role, access))
      ? { principal: found }
      : undefined
  return (request) => {
    const { headers } = request
    if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined) return undefined
    if (!options.requiresToken && !isOwnHost(headers.host, ownHosts)) return undefined
    const found = options.identify(request)
    return found instanceof Promise ? found.then(grant) : grant(found)
  }
}

/** What the fast path writes may be of any cluster. */
function isWhole(found: Principal | undefined, access: Access): boolean {
  return found?.scopes === undefined || clustersOf(found, access) === undefined
}

/**
 * Whether access is still allowed during an endless response: the token may have been revoked meanwhile, or the session
 * have ended. That an open page listens does not count as use of the session.
 */
export function stillAllowed(
  options: Pick<AccessOptions, 'requiresToken' | 'identify'>,
  access: Access,
): (request: IncomingMessage) => Promise<boolean> {
  return async (request) => {
    if (!options.requiresToken) return true
    const found = await options.identify(request, false)
    return !isExpired(found) && isWhole(found, access) && isAllowed(found?.role, access)
  }
}

/**
 * An open server answers only to names of this machine. Otherwise a page on evil.example could let its own name
 * resolve to 127.0.0.1 and read the fleet as "same origin" (DNS rebinding). A browser always sends Host; a client
 * without one (HTTP/1.0) is not a browser.
 */
function checkHost(request: FastifyRequest, ownHosts: ReadonlySet<string>): void {
  const { host } = request.headers
  if (isOwnHost(host, ownHosts)) return
  throw new FleetError('forbidden', `this server has no tokens and does not answer to host ${JSON.stringify(host)}`, {
    hint: 'use 127.0.0.1 or localhost, or set external.url to the public name of the server',
  })
}

function isOwnHost(header: string | undefined, ownHosts: ReadonlySet<string>): boolean {
  if (header === undefined || header === '') return true
  const host = hostOf(header)
  return isLoopbackName(host) || ownHosts.has(host)
}

function ownHostsOf(options: AccessOptions): ReadonlySet<string> {
  return new Set([normalHost(options.listenHost), hostOf(new URL(options.externalUrl).host)])
}

/**
 * A page of another origin must not change anything through the browser of an authenticated user. A request with a Bearer
 * token, known or not, cannot be forged, and is not checked: a proxy such as that of Perses adds the token to a request with
 * the Origin of its own page. Cookies and the password of Basic auth do not count, because browsers repeat them.
 */
function checkOrigin(request: FastifyRequest, options: AccessOptions): void {
  const { config } = request.routeOptions
  if (SAFE_METHODS.has(request.method) || config.isOpenToOrigins === true || config.isWrongMethod === true) return
  const { origin } = request.headers
  if (origin === undefined) {
    // A page of another host of the same site (`same-site`) is foreign too; `none` is the user, not a page.
    const site = request.headers['sec-fetch-site'] ?? 'none'
    if (site === 'same-origin' || site === 'none') return
  } else if (isOwnOrigin(origin, request, options)) return
  else if (config.dialect === 'prometheus' && isKnownOrigin(origin, options.corsOrigins)) return
  throw new FleetError('forbidden', `pages of origin ${origin ?? 'unknown'} may not send to this route`, {
    hint: 'send a Bearer token, or name the origin in web.cors-origins, whose pages may use the query routes',
  })
}

function isOwnOrigin(origin: string, request: FastifyRequest, options: AccessOptions): boolean {
  if (!URL.canParse(origin)) return false
  const { host, protocol } = new URL(origin)
  if (origin === new URL(options.externalUrl).origin) return true
  // The scheme is not known behind a proxy that ends TLS, so only host and port are compared.
  return URL.canParse(`${protocol}//${request.host}`) && host === new URL(`${protocol}//${request.host}`).host
}

/** The host of a Host header: without port, lower case, without the dot at the end. */
function hostOf(header: string): string {
  const parts = /^(\[[^\]]*\]|[^:]*)(?::\d*)?$/.exec(header)
  return normalHost(parts?.[1] ?? header)
}

function normalHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
}

function isLoopbackName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}
