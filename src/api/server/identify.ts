import type { IncomingMessage } from 'node:http'
import { FleetError } from '../../base/errors.ts'
import type { Authenticated, Principal } from '../../model/token.ts'
import type { ReadCertificate } from './client-certificate.ts'
import type { ReadProxy } from './trusted-proxy.ts'

/**
 * Who sends a request. A Bearer token is the word of the sender and counts alone. Then comes what a browser sends by
 * itself: the session of a person, the headers of a trusted proxy, and the password of Basic auth, which a browser
 * repeats although the person has signed in since. A client certificate stands for its cluster.
 */
export interface IdentifyOptions {
  /** The principal of a token, or `undefined` when there is no such token. */
  readonly authenticate: (token: string) => Promise<Authenticated>
  /** The person of a session. @param isUse counts against the idle time */
  readonly session?: (request: IncomingMessage, isUse: boolean) => Principal | undefined
  readonly proxy?: ReadProxy
  readonly certificate?: ReadCertificate
  /** A token of role `ingest` counts only with a client certificate. */
  readonly needsCertificate?: boolean
}

/** Without a token the answer is no promise: the fast path of writes waits for none. */
export type Identify = (request: IncomingMessage, isUse?: boolean) => Authenticated | Promise<Authenticated>

export function createIdentify(options: IdentifyOptions): Identify {
  const { authenticate, session, proxy, certificate } = options
  return (request, isUse = true) => {
    const { authorization } = request.headers
    const token = tokenOf(authorization)
    // Always called, because it removes the headers that are not of the proxy.
    const byProxy = proxy?.(request)
    const person = isBearer(authorization) ? undefined : (session?.(request, isUse) ?? byProxy)
    if (person !== undefined) return person
    const holder = certificate?.(request)
    return token === undefined ? holder : authenticate(token).then((found) => withCertificate(found, holder, options))
  }
}

/** Both are bound to a cluster, and to the same. */
function withCertificate(
  found: Authenticated,
  holder: Principal | undefined,
  { needsCertificate = false }: IdentifyOptions,
): Authenticated {
  if (found === undefined || !('role' in found) || found.role !== 'ingest') return found
  if (holder === undefined) {
    if (!needsCertificate || found.via !== undefined) return found
    throw new FleetError(
      'unauthenticated',
      `token ${JSON.stringify(found.name)} counts only with a client certificate`,
      {
        hint: 'tls.client-auth is required: send over TLS with a certificate that tls.client-ca has signed',
      },
    )
  }
  if (found.cluster === undefined || found.cluster === holder.cluster) return { ...holder, name: found.name }
  throw new FleetError(
    'forbidden',
    `token ${JSON.stringify(found.name)} is of cluster ${found.cluster}, the client certificate of cluster ${holder.cluster ?? ''}`,
  )
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

/** Whether the sender names its token itself: no browser adds this header, and no page of another origin may set it. */
export function isBearer(authorization = ''): boolean {
  return /^\s*bearer\s/i.test(authorization)
}
