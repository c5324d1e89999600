import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { IncomingHttpHeaders } from 'node:http'
import { FleetError } from '../../base/errors.ts'
import { isAllowed, type Access, type Principal } from '../../model/token.ts'
import { isKnownOrigin } from './security-headers.ts'

/**
 * Access control. Three checks in order, before a body is read: the Host names this server, the Origin is a known page or
 * the request has a Bearer token, and the token's role allows the route.
 */
interface AccessOptions {
  /** False on loopback without tokens: then every local user may do everything. */
  readonly requiresToken: boolean
  /** The principal of a token, or `undefined` when there is no such token. */
  readonly authenticate: (token: string) => Promise<Principal | undefined>
  /** The host it listens on, without a port. */
  readonly listenHost: string
  readonly externalUrl: string
  /** Origins whose pages may use the query routes, as a browser writes them: `https://perses.example`. */
  readonly corsOrigins: readonly string[]
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Runs the three checks before every route. */
export function installAccess(app: FastifyInstance, options: AccessOptions): void {
  const ownHosts = ownHostsOf(options)
  app.decorateRequest('principal', undefined)

  app.addHook('onRequest', async (request) => {
    if (!options.requiresToken) checkHost(request, ownHosts)
    if (request.is404) return
    const access = request.routeOptions.config.access ?? 'admin'
    const token = tokenOf(request.headers.authorization)
    // A token matters even without access control: data sent with a cluster's token is labelled with the cluster.
    if (token !== undefined) request.principal = await options.authenticate(token)
    if (!isOfBearer(request)) checkOrigin(request, options)
    if (!options.requiresToken || isAllowed(request.principal?.role, access)) return
    if (request.principal === undefined) {
      throw new FleetError('unauthenticated', token === undefined ? 'this needs a token' : 'the token is not known', {
        hint: 'send it as a Bearer token, or as the password of Basic auth; `daytwo token add` makes one',
      })
    }
    const { name, role } = request.principal
    throw new FleetError('forbidden', `token ${JSON.stringify(name)} has role ${role}, this needs ${access}`)
  })
}

/** A request that passed the checks; `principal` is absent when no token was given or needed. */
export interface Granted {
  readonly principal: Principal | undefined
}

/** Who has a share of what requests use: the token, or the address where none was given. */
export function ownerOf({ principal, ip }: FastifyRequest): string {
  return principal === undefined ? `address ${ip}` : `token ${principal.name}`
}

/**
 * The same checks for a route that is answered before Fastify. `undefined` when any check does not clearly pass, and
 * for every request of a page: then the hook above decides and states the reason. A promise when there is a token.
 */
export function tryAccess(
  options: AccessOptions,
  access: Access,
): (headers: IncomingHttpHeaders) => Granted | undefined | Promise<Granted | undefined> {
  const ownHosts = ownHostsOf(options)
  const grant = (principal: Principal | undefined): Granted | undefined =>
    !options.requiresToken || isAllowed(principal?.role, access) ? { principal } : undefined
  return (headers) => {
    if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined) return undefined
    if (!options.requiresToken && !isOwnHost(headers.host, ownHosts)) return undefined
    const token = tokenOf(headers.authorization)
    return token === undefined ? grant(undefined) : options.authenticate(token).then(grant)
  }
}

/**
 * Whether access is still allowed during an endless response: the token may have been revoked meanwhile.
 */
export function stillAllowed(
  options: Pick<AccessOptions, 'requiresToken' | 'authenticate'>,
  access: Access,
): (headers: IncomingHttpHeaders) => Promise<boolean> {
  return async ({ authorization }) => {
    if (!options.requiresToken) return true
    const token = tokenOf(authorization)
    const principal = token === undefined ? undefined : await options.authenticate(token)
    return isAllowed(principal?.role, access)
  }
}

/** The token of a Bearer header, or the password of a Basic one; the user's name does not matter. */
export function tokenOf(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined
  const [, scheme, credentials] = /^\s*(\S+)\s+(\S+)\s*$/.exec(authorization) ?? []
  if (credentials === undefined) return undefined
  switch (scheme?.toLowerCase()) {
    case 'bearer':
      return credentials
    case 'basic': {
      const pair = Buffer.from(credentials, 'base64').toString('utf8')
      const colon = pair.indexOf(':')
      return colon === -1 ? undefined : pair.slice(colon + 1)
    }
    default:
      return undefined
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
    hint: 'use 127.0.0.1 or localhost, or set external.url to the name people use',
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
 * A request with a Bearer token, known or not, cannot be forged: no browser adds the header by itself, and a page of
 * another origin may not set it. A proxy such as that of Perses adds it to a request with the Origin of its own page. The
 * password of Basic auth does not count, because browsers repeat it by themselves.
 */
function isOfBearer({ headers: { authorization = '' } }: FastifyRequest): boolean {
  return /^\s*bearer\s/i.test(authorization)
}

/** A page of another origin must not change anything through the browser of an authenticated user. */
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
