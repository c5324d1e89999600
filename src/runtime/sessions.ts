/**
 * Sessions of signed-in people: in memory for each request, in the store for a restart. Only hashes of the secrets are
 * kept. A session ends after its lifetime, when nobody used it for the idle time, or when its person has too many. Its
 * secret changes every quarter of an hour; the earlier one is accepted for a minute after the next one has come back,
 * because a browser sends several requests at once. The role follows from the groups at each request, so a change of
 * `auth.roles` applies to those who are signed in. A session that is no longer in the store (`daytwo session end`, the erasure
 * of a cluster) ends within seconds.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import type { Sessions } from '../api/server/sign-in.ts'
import type { Clock } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import { FaultThrottle } from '../base/fault-throttle.ts'
import type { Log } from '../base/log.ts'
import type { OwnMetrics } from '../base/metrics.ts'
import type { AuditAction, Audited } from '../model/audit.ts'
import type { Person, SessionRecord } from '../model/session.ts'
import { rolesOfGroups, type GroupRole } from '../model/token.ts'
import { hashToken } from './token-index.ts'

/** Stores sessions; each call is durable when it resolves. */
export interface SessionStore {
  list(): Promise<readonly SessionRecord[]>
  /** Adds some and ends others, with the entries of the audit, all or nothing; returns how many it ended. */
  write(started: readonly Audited<SessionRecord>[], ended: readonly Audited<SessionRecord>[]): Promise<number>
  /** Removes some by id, which is in no audit. */
  remove(ids: readonly string[]): Promise<void>
  /** Replaces one by id; false when it is not there any more. */
  update(session: SessionRecord): Promise<boolean>
}

export interface StoredSessions extends Sessions {
  /** Ends the sessions that were removed from the store, and removes those that are over; at most every few seconds. */
  upkeep(): Promise<void>
  /** Takes what other processes have stored: a browser's next request may reach any process. */
  reread(): Promise<void>
}

export interface SessionOptions {
  readonly lifetimeMs: number
  readonly idleMs: number
  readonly roles: readonly GroupRole[]
}

export const ROTATE_EVERY_MS = 15 * 60_000
const REREAD_AFTER_MS = 5000
const EARLIER_ACCEPTED_MS = 60_000
/** Browsers in which one person is signed in; one more ends the one that was idle for longest. */
export const PERSON_SESSIONS_MAX = 10
/** Of all people; likewise. */
const SESSIONS_MAX = 10_000
const SECRET_BYTES = 32
/** In the audit, for a session that ended without its person. */
const BY_ITSELF = 'daytwo'

interface Session {
  record: SessionRecord
  lastSeenMs: number
  /** The secret before the present one. */
  earlier?: { readonly hash: string; readonly untilMs: number }
}

interface SessionParts {
  readonly store: SessionStore
  readonly options: SessionOptions
  readonly clock: Clock
  readonly metrics: OwnMetrics
  readonly log: Log
}

export async function createSessions({ store, options, clock, metrics, log }: SessionParts): Promise<StoredSessions> {
  const byId = new Map<string, Session>()
  const idByHash = new Map<string, string>()
  const throttle = new FaultThrottle()

  const put = (session: Session): void => {
    const { id, hash, nextHash } = session.record
    byId.set(id, session)
    for (const known of [hash, nextHash, session.earlier?.hash]) if (known !== undefined) idByHash.set(known, id)
    metrics.sessions.set(byId.size)
  }
  const drop = ({ record: { id, hash, nextHash }, earlier }: Session): void => {
    byId.delete(id)
    for (const known of [hash, nextHash, earlier?.hash]) if (known !== undefined) idByHash.delete(known)
    metrics.sessions.set(byId.size)
  }
  /** As another process has stored it; a secret that it replaced is accepted for as long as here. */
  const adopt = (record: SessionRecord): void => {
    const before = byId.get(record.id)
    if (before === undefined) {
      put({ record, lastSeenMs: record.lastSeenMs })
      return
    }
    if (before.record.rotatedAtMs > record.rotatedAtMs) return
    const isReplaced = before.record.hash !== record.hash
    drop(before)
    const earlier = isReplaced
      ? { hash: before.record.hash, untilMs: clock.nowMs() + EARLIER_ACCEPTED_MS }
      : before.earlier
    put({ record, lastSeenMs: Math.max(before.lastSeenMs, record.lastSeenMs), ...(earlier && { earlier }) })
  }
  const isOver = ({ record, lastSeenMs }: Session, nowMs: number): boolean =>
    nowMs - record.startedAtMs >= options.lifetimeMs || nowMs - lastSeenMs >= options.idleMs
  const report = (thrown: unknown): void => {
    if (!throttle.admits('write', clock.nowMs())) return
    log.warn({ error: messageOf(thrown) }, 'a session could not be stored; after a restart its person signs in again')
  }

  /** The session of a secret, whichever of its secrets it is. */
  const sessionOf = (hash: string, nowMs: number): Session | undefined => {
    const session = byId.get(idByHash.get(hash) ?? '')
    if (session === undefined || isOver(session, nowMs)) return undefined
    const { earlier } = session
    if (earlier?.hash !== hash || nowMs < earlier.untilMs) return session
    idByHash.delete(hash)
    return undefined
  }

  /** The next secret has come back: it is the present one from now on. */
  const promote = (session: Session, nowMs: number): void => {
    if (session.earlier !== undefined) idByHash.delete(session.earlier.hash)
    const { nextHash, ...record } = session.record
    session.earlier = { hash: record.hash, untilMs: nowMs + EARLIER_ACCEPTED_MS }
    session.record = { ...record, hash: nextHash ?? record.hash, lastSeenMs: nowMs }
    // Until it is stored a restart accepts both.
    store.update(session.record).catch(report)
  }

  /** The sessions that end when a person signs in once more. */
  const endedFor = (person: Person): readonly Session[] => {
    const idlest = [...byId.values()].sort((a, b) => a.lastSeenMs - b.lastSeenMs)
    const own = idlest.filter(({ record }) => record.key === person.key)
    const tooMany = own.slice(0, Math.max(0, own.length + 1 - PERSON_SESSIONS_MAX))
    const above = Math.max(0, idlest.length - tooMany.length + 1 - SESSIONS_MAX)
    return [...tooMany, ...idlest.filter((session) => !tooMany.includes(session)).slice(0, above)]
  }

  /** Removes those that are over, which is in no audit. */
  const removeOver = async (nowMs: number): Promise<void> => {
    const over = [...byId.values()].filter((session) => isOver(session, nowMs))
    if (over.length === 0) return
    await store.remove(over.map(({ record }) => record.id))
    for (const session of over) drop(session)
  }

  for (const record of await store.list()) put({ record, lastSeenMs: record.lastSeenMs })
  let readAtMs = clock.nowMs()

  return {
    find: (secret, isUse) => {
      const nowMs = clock.nowMs()
      const hash = hashToken(secret)
      const session = sessionOf(hash, nowMs)
      if (session === undefined) return undefined
      if (session.record.nextHash === hash) promote(session, nowMs)
      if (isUse) session.lastSeenMs = nowMs
      const { name, groups } = session.record
      const roles = rolesOfGroups(groups, options.roles)
      return roles && { ...roles, name, via: 'session' }
    },
    rotate: async (secret) => {
      const nowMs = clock.nowMs()
      const hash = hashToken(secret)
      const session = byId.get(idByHash.get(hash) ?? '')
      if (session?.record.hash !== hash || nowMs - session.record.rotatedAtMs < ROTATE_EVERY_MS) return undefined
      const next = newSecret()
      const { nextHash: unused, ...record } = session.record
      if (unused !== undefined) idByHash.delete(unused)
      const rotated = { ...record, rotatedAtMs: nowMs, lastSeenMs: nowMs, nextHash: hashToken(next) }
      // At once, so that requests at the same time do not rotate too.
      session.record = rotated
      put(session)
      try {
        return (await store.update(rotated)) ? next : undefined
      } catch (thrown) {
        report(thrown)
        return undefined
      }
    },
    start: async (person) => {
      const nowMs = clock.nowMs()
      const secret = newSecret()
      const times = { startedAtMs: nowMs, rotatedAtMs: nowMs, lastSeenMs: nowMs }
      const record: SessionRecord = { ...person, id: randomUUID(), hash: hashToken(secret), ...times }
      await removeOver(nowMs)
      const ended = endedFor(person)
      await store.write(
        [auditedSession('session.start', record, person.name, nowMs)],
        ended.map((session) => auditedSession('session.end', session.record, BY_ITSELF, nowMs)),
      )
      for (const session of ended) drop(session)
      put({ record, lastSeenMs: nowMs })
      return secret
    },
    end: async (secret) => {
      const nowMs = clock.nowMs()
      const session = sessionOf(hashToken(secret), nowMs)
      if (session === undefined) return
      const { record } = session
      await store.write([], [auditedSession('session.end', record, record.name, nowMs)])
      drop(session)
    },
    reread: async () => {
      const known = [...byId.values()]
      const stored = new Map((await store.list()).map((record) => [record.id, record]))
      for (const session of known) if (!stored.has(session.record.id)) drop(session)
      for (const record of stored.values()) adopt(record)
    },
    upkeep: async () => {
      const nowMs = clock.nowMs()
      if (byId.size === 0 || nowMs - readAtMs < REREAD_AFTER_MS) return
      readAtMs = nowMs
      // Those that begin while the store is read are not in the answer.
      const known = [...byId.values()]
      const stored = new Set((await store.list()).map(({ id }) => id))
      for (const session of known) if (!stored.has(session.record.id)) drop(session)
      await removeOver(nowMs)
    },
  }
}

/** The audit has nothing of its secrets. */
export function auditedSession(
  action: Extract<AuditAction, `session.${string}`>,
  record: SessionRecord,
  by: string,
  atMs: number,
): Audited<SessionRecord> {
  const { id, key, groups } = record
  return { value: record, audited: { atMs, by, action, subject: key, detail: JSON.stringify({ session: id, groups }) } }
}

function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url')
}
