import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { ownValue } from '../../base/own-value.ts'
import { isListed, networkList } from '../../model/network.ts'
import { rolesOfGroups, type GroupRole, type Principal } from '../../model/token.ts'

/** A proxy that signs people in and passes their name and groups on in headers. */
export interface TrustedProxyOptions {
  readonly userHeader: string
  readonly groupsHeader: string
  /** Addresses and networks (`10.0.0.0/8`) of the proxy; empty: any address that knows the secret. */
  readonly addresses: readonly string[]
  /** What the proxy sends in `SECRET_HEADER`. */
  readonly secret?: string
  readonly roles: readonly GroupRole[]
}

/** The person whom the proxy names; `undefined` for a request that is not of the proxy. */
export type ReadProxy = (request: IncomingMessage) => Principal | undefined

export const SECRET_HEADER = 'x-daytwo-proxy-secret'

const NAME_CHARS_MAX = 200

/**
 * The headers count only when the address and the secret are those of the proxy, as far as they are configured; otherwise
 * they are removed. A header that is there twice is of a proxy that adds to what a client sent: it counts for nothing.
 */
export function createProxyReader({
  userHeader,
  groupsHeader,
  addresses,
  secret,
  roles,
}: TrustedProxyOptions): ReadProxy {
  const allowed = networkList(addresses)
  return (request) => {
    const { headers, headersDistinct, socket } = request
    if (ownValue(headers, userHeader) === undefined && ownValue(headers, groupsHeader) === undefined) return undefined
    const isOfProxy =
      (addresses.length === 0 || isListed(allowed, socket.remoteAddress)) &&
      (secret === undefined || isSame(headersDistinct[SECRET_HEADER]?.[0], secret))
    const [name, ...otherNames] = isOfProxy ? (ownValue(headersDistinct, userHeader) ?? []) : []
    const [groups = '', ...otherGroups] = ownValue(headersDistinct, groupsHeader) ?? []
    if (name === undefined || name.trim() === '' || otherNames.length + otherGroups.length > 0) {
      Object.assign(headers, { [userHeader]: undefined, [groupsHeader]: undefined })
      return undefined
    }
    const given = rolesOfGroups(
      groups.split(',').map((group) => group.trim()),
      roles,
    )
    return given && { ...given, name: name.trim().slice(0, NAME_CHARS_MAX), via: 'proxy' }
  }
}

function isSame(given: string | undefined, wanted: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return given !== undefined && timingSafeEqual(digest(given), digest(wanted))
}
