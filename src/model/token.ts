/**
 * Principals and their access. Tokens are random, shown once, and stored as a SHA-256 hash only. The roles `viewer`,
 * `responder` and `admin` are cumulative; `ingest` is separate and may only send.
 */
export const ROLES = ['ingest', 'viewer', 'responder', 'admin'] as const
export type Role = (typeof ROLES)[number]

/** The access that a route requires. `reporter` may report alerts: a cluster's Prometheus (`ingest`) or a `responder`. */
export type Access = Role | 'public' | 'reporter'

export interface Principal {
  readonly role: Role
  readonly name: string
  /** Only for `ingest`: the one cluster for which it may send. */
  readonly cluster?: string
}

export interface TokenRecord extends Principal {
  readonly id: number
  /** SHA-256 of the token, lower-case hex. */
  readonly hash: string
  readonly createdAtMs: number
}

const LADDER: readonly Role[] = ['viewer', 'responder', 'admin']

/** Whether a role has an access. `admin` may also ingest, for setup; the others may not. */
export function isAllowed(role: Role | undefined, access: Access): boolean {
  if (access === 'public') return true
  if (role === undefined) return false
  if (access === 'reporter') return isAllowed(role, 'ingest') || isAllowed(role, 'responder')
  if (access === 'ingest') return role === 'ingest' || role === 'admin'
  return LADDER.indexOf(role) >= LADDER.indexOf(access)
}
