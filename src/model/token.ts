/**
 * Principals and their access. Tokens are random, shown once, and stored as a SHA-256 hash only. The roles `viewer`,
 * `responder` and `admin` are cumulative; `ingest` is separate and may only send. People have a role by their groups.
 */
import type { ClusterSelector, ClusterSelectors } from './cluster-scope.ts'

export const ROLES = ['ingest', 'viewer', 'responder', 'admin'] as const
export type Role = (typeof ROLES)[number]

/** The access that a route requires. `reporter` may report alerts: a cluster's Prometheus (`ingest`) or a `responder`. */
export type Access = Role | 'public' | 'reporter'

/** What a principal may do, and on which part of the fleet: a token and a signed-in person have the same two parts. */
interface Grant {
  readonly role: Role
  /** The scope of `ingest`: the one cluster for which it may send. Absent: all clusters. */
  readonly cluster?: string
}

/** A role over a part of the fleet; without `clusters` over all of it. */
export interface ScopedRole {
  readonly role: Role
  readonly clusters?: ClusterSelectors
}

export interface Principal extends Grant {
  readonly name: string
  /** Which roles it has over which clusters; `role` is the greatest of them. Absent: `role` over all clusters. */
  readonly scopes?: readonly ScopedRole[]
  /** How the principal was recognised; absent: by a token. */
  readonly via?: 'session' | 'proxy' | 'certificate' | 'process'
}

/** What a principal is called before its name: `token sre`, `person ada@example.com`, `certificate prague`. */
export function kindOf({ via }: Principal): string {
  return via === 'session' || via === 'proxy' ? 'person' : (via ?? 'token')
}

export interface TokenRecord extends Grant {
  readonly id: number
  readonly name: string
  /** What it may see, of another role than `ingest`; absent: all clusters. */
  readonly clusters?: ClusterSelectors
  /** SHA-256 of the token, lower-case hex. */
  readonly hash: string
  readonly createdAtMs: number
  /** From then on it is refused; absent: never. */
  readonly expiresAtMs?: number
  /** Of its last request, some minutes late; absent: not used since uses are stored. */
  readonly lastUsedMs?: number
}

/** A known token after its expiry: refused, with the reason. */
export interface ExpiredToken {
  readonly name: string
  readonly expiredAtMs: number
}

/** What a token turns out to be; `undefined`: unknown. */
export type Authenticated = Principal | ExpiredToken | undefined

export function isExpired(found: Authenticated): found is ExpiredToken {
  return found !== undefined && 'expiredAtMs' in found
}

/** A group of the identity provider, or `*` for everybody who signs in, and the role that it gives. */
export interface GroupRole {
  readonly group: string
  readonly role: Role
  /** Over these clusters; absent: over all. */
  readonly clusters?: ClusterSelector
}

/** The roles that the groups of a person give; `undefined`: none. */
export function rolesOfGroups(
  groups: readonly string[],
  mapping: readonly GroupRole[],
): Pick<Principal, 'role' | 'scopes'> | undefined {
  const given = mapping.filter(({ group }) => group === '*' || groups.includes(group))
  const role = LADDER.findLast((one) => given.some((entry) => entry.role === one))
  if (role === undefined) return undefined
  if (given.every(({ clusters }) => clusters === undefined)) return { role }
  return { role, scopes: given.map((one) => ({ role: one.role, ...(one.clusters && { clusters: [one.clusters] }) })) }
}

/** The clusters over which a principal has an access: the union over its roles. `undefined`: all clusters. */
export function clustersOf({ scopes }: Pick<Principal, 'scopes'>, access: Access): ClusterSelectors | undefined {
  if (scopes === undefined) return undefined
  const granted = scopes.filter(({ role }) => isAllowed(role, access))
  if (granted.some(({ clusters }) => clusters === undefined)) return undefined
  return granted.flatMap(({ clusters = [] }) => clusters)
}

/** The roles of people, least first. */
export const LADDER: readonly Role[] = ['viewer', 'responder', 'admin']

/** Whether a role has an access. `admin` may also ingest, for setup; the others may not. */
export function isAllowed(role: Role | undefined, access: Access): boolean {
  if (access === 'public') return true
  if (role === undefined) return false
  if (access === 'reporter') return isAllowed(role, 'ingest') || isAllowed(role, 'responder')
  if (access === 'ingest') return role === 'ingest' || role === 'admin'
  return LADDER.indexOf(role) >= LADDER.indexOf(access)
}
