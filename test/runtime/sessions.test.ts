import { describe, expect, test } from 'vitest'
import { silentLog } from '../../src/base/log.ts'
import { createOwnMetrics } from '../../src/base/metrics.ts'
import type { Person } from '../../src/model/session.ts'
import type { GroupRole } from '../../src/model/token.ts'
import {
  createSessions,
  PERSON_SESSIONS_MAX,
  ROTATE_EVERY_MS,
  type SessionStore,
  type StoredSessions,
} from '../../src/runtime/sessions.ts'
import { openFacts } from '../../src/store/facts/facts.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { tempDir } from '../store/temp-store.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const ROLES: readonly GroupRole[] = [
  { group: 'sre', role: 'responder' },
  { group: 'guests', role: 'viewer' },
]
const ADA: Person = { key: 'https://idp 1', name: 'ada@example.com', groups: ['sre'] }
const BOB: Person = { key: 'https://idp 2', name: 'bob@example.com', groups: ['guests'] }
const asAda = { role: 'responder', name: 'ada@example.com', via: 'session' }

async function signedIn() {
  const facts = openFacts(tempDir())
  const clock = new FakeClock(Date.parse('2026-08-20T10:00:00Z'))
  let isFull = false
  let held = Promise.resolve()
  const store: SessionStore = {
    list: async () => {
      const records = await facts.sessions.list()
      await held
      return records
    },
    write: async (...change) => {
      if (isFull) throw new Error('the disk is full')
      return facts.sessions.write(...change)
    },
    remove: (ids) => facts.sessions.remove(ids),
    update: async (session) => {
      if (isFull) throw new Error('the disk is full')
      return facts.sessions.update(session)
    },
  }
  const restart = (roles = ROLES): Promise<StoredSessions> =>
    createSessions({
      store,
      options: { lifetimeMs: 12 * HOUR_MS, idleMs: HOUR_MS, roles },
      ...{ clock, metrics: createOwnMetrics('0.0.0-test'), log: silentLog },
    })
  const sessions = await restart()
  return {
    ...{ facts, clock, sessions, restart },
    /** What is read from now on arrives only after the call of the answer. */
    hold: (): (() => void) => {
      let release = (): void => undefined
      held = new Promise((resolve) => (release = resolve))
      return release
    },
    fill: (full: boolean) => {
      isFull = full
    },
    audit: async () => (await facts.audit.list(99)).map(({ action, by }) => `${action} ${by}`).reverse(),
  }
}

describe('a session', () => {
  test('is of a person with the role of their groups, and ends when they sign out', async () => {
    const { sessions, audit } = await signedIn()
    const [ada, bob] = [await sessions.start(ADA), await sessions.start(BOB)]
    expect([sessions.find(ada, true), sessions.find(bob, true)]).toEqual([
      asAda,
      { role: 'viewer', name: 'bob@example.com', via: 'session' },
    ])
    expect(sessions.find('guessed', true)).toBeUndefined()
    await sessions.end(ada)
    await sessions.end(ada)
    expect([sessions.find(ada, true), sessions.find(bob, true)?.name]).toEqual([undefined, 'bob@example.com'])
    expect(await audit()).toEqual([
      'session.start ada@example.com',
      'session.start bob@example.com',
      'session.end ada@example.com',
    ])
  })

  test('is there after a restart, and its secret is nowhere', async () => {
    const { sessions, facts, restart } = await signedIn()
    const secret = await sessions.start(ADA)
    expect((await restart()).find(secret, true)).toEqual(asAda)
    expect(JSON.stringify([await facts.sessions.list(), await facts.audit.list(9)])).not.toContain(secret)
  })

  test('has the clusters of the groups that the present options give', async () => {
    const { sessions, restart } = await signedIn()
    const secret = await sessions.start(ADA)
    const clusters = [{ key: 'region', pattern: 'eu' }] as const
    const scoped = await restart([{ group: 'sre', role: 'viewer', clusters }])
    const scopes = [{ role: 'viewer', clusters: [clusters] }]
    expect(scoped.find(secret, true)).toEqual({ ...asAda, role: 'viewer', scopes })
  })

  test('has the role that the present options give, and none when they give none', async () => {
    const { sessions, restart } = await signedIn()
    const secret = await sessions.start(ADA)
    const changed = await restart([{ group: 'sre', role: 'admin' }])
    expect(changed.find(secret, true)?.role).toBe('admin')
    expect((await restart([{ group: 'guests', role: 'viewer' }])).find(secret, true)).toBeUndefined()
  })

  test('that nobody uses ends after the idle time; an open page that only listens is no use', async () => {
    const { sessions, clock } = await signedIn()
    const secret = await sessions.start(ADA)
    clock.advance(59 * MINUTE_MS)
    expect(sessions.find(secret, true)).toEqual(asAda)
    clock.advance(59 * MINUTE_MS)
    expect(sessions.find(secret, false)).toEqual(asAda)
    clock.advance(MINUTE_MS)
    expect(sessions.find(secret, true)).toBeUndefined()
  })

  test('ends after its lifetime, however much it is used, also over a restart', async () => {
    const { sessions, clock, restart } = await signedIn()
    const secret = await sessions.start(ADA)
    for (let minutes = 0; minutes < 719; minutes++) {
      clock.advance(MINUTE_MS)
      expect(sessions.find(secret, true)).toEqual(asAda)
    }
    clock.advance(MINUTE_MS)
    expect(sessions.find(secret, true)).toBeUndefined()
    expect((await restart()).find(secret, true)).toBeUndefined()
  })

  test('cannot begin while it cannot be stored', async () => {
    const { sessions, fill, audit } = await signedIn()
    fill(true)
    await expect(sessions.start(ADA)).rejects.toThrow('the disk is full')
    fill(false)
    expect(await audit()).toEqual([])
  })
})

describe('the secret of a session', () => {
  test('is renewed every quarter of an hour; the earlier one counts until the next has come back, and a minute longer', async () => {
    const { sessions, clock } = await signedIn()
    const first = await sessions.start(ADA)
    clock.advance(ROTATE_EVERY_MS - 1)
    expect(await sessions.rotate(first)).toBeUndefined()
    clock.advance(1)
    const second = (await sessions.rotate(first))!
    // Requests at the same time do not renew it again.
    expect(await sessions.rotate(first)).toBeUndefined()
    clock.advance(10 * MINUTE_MS)
    expect(sessions.find(first, true)).toEqual(asAda)
    expect(sessions.find(second, true)).toEqual(asAda)
    clock.advance(MINUTE_MS - 1)
    expect(sessions.find(first, true)).toEqual(asAda)
    clock.advance(1)
    expect(sessions.find(first, true)).toBeUndefined()
    expect(sessions.find(second, true)).toEqual(asAda)
  })

  test('that never came back is replaced, and is worth nothing from then on', async () => {
    const { sessions, clock } = await signedIn()
    const first = await sessions.start(ADA)
    clock.advance(ROTATE_EVERY_MS)
    const lost = (await sessions.rotate(first))!
    clock.advance(ROTATE_EVERY_MS)
    const second = (await sessions.rotate(first))!
    expect([sessions.find(lost, true), sessions.find(second, true)]).toEqual([undefined, asAda])
  })

  test('is not renewed by the earlier one: whoever has an old secret gets no new one', async () => {
    const { sessions, clock } = await signedIn()
    const first = await sessions.start(ADA)
    clock.advance(ROTATE_EVERY_MS)
    const second = (await sessions.rotate(first))!
    clock.advance(ROTATE_EVERY_MS)
    sessions.find(second, true)
    expect(await sessions.rotate(first)).toBeUndefined()
    expect(await sessions.rotate(second)).toBeDefined()
  })

  test('stays as it is while the next one cannot be stored', async () => {
    const { sessions, clock, fill } = await signedIn()
    const first = await sessions.start(ADA)
    clock.advance(ROTATE_EVERY_MS)
    fill(true)
    expect(await sessions.rotate(first)).toBeUndefined()
    fill(false)
    expect(sessions.find(first, true)).toEqual(asAda)
    clock.advance(ROTATE_EVERY_MS)
    expect(await sessions.rotate(first)).toBeDefined()
  })

  test('is known after a restart: the next one before it came back, and the present one after', async () => {
    const { sessions, clock, restart } = await signedIn()
    const first = await sessions.start(ADA)
    clock.advance(ROTATE_EVERY_MS)
    const second = (await sessions.rotate(first))!
    const again = await restart()
    expect([again.find(first, true), again.find(second, true)]).toEqual([asAda, asAda])
    // The promotion is stored in the background.
    await expect.poll(async () => (await restart()).find(first, false)).toBeUndefined()
    expect((await restart()).find(second, true)).toEqual(asAda)
  })
})

test('one person has ten sessions: one more ends the one that was idle for longest, and nobody else’s', async () => {
  const { sessions, clock, audit } = await signedIn()
  const bob = await sessions.start(BOB)
  const secrets: string[] = []
  for (let i = 0; i < PERSON_SESSIONS_MAX; i++) {
    clock.advance(1000)
    secrets.push(await sessions.start(ADA))
  }
  clock.advance(1000)
  sessions.find(secrets[0]!, true)
  secrets.push(await sessions.start(ADA))
  expect(secrets.map((secret) => sessions.find(secret, true) !== undefined)).toEqual([
    ...[true, false],
    ...Array.from({ length: PERSON_SESSIONS_MAX - 1 }, () => true),
  ])
  expect(sessions.find(bob, true)).toBeDefined()
  expect((await audit()).slice(-2)).toEqual(['session.end daytwo', 'session.start ada@example.com'])
})

describe('the store', () => {
  test('has no session that is over when a person signs in, or some seconds later', async () => {
    const { sessions, clock, facts, audit } = await signedIn()
    const names = async () => (await facts.sessions.list()).map(({ name }) => name)
    await sessions.start(BOB)
    clock.advance(HOUR_MS)
    await sessions.start(ADA)
    expect(await names()).toEqual(['ada@example.com'])
    clock.advance(HOUR_MS - 1)
    await sessions.upkeep()
    expect(await names()).toEqual(['ada@example.com'])
    clock.advance(5000)
    await sessions.upkeep()
    expect(await names()).toEqual([])
    expect(await audit()).toEqual(['session.start bob@example.com', 'session.start ada@example.com'])
  })

  test('ends sessions that were removed from it within five seconds, and no others', async () => {
    const { sessions, clock, facts } = await signedIn()
    const [ada, bob] = [await sessions.start(ADA), await sessions.start(BOB)]
    const [record] = (await facts.sessions.list()).filter(({ name }) => name === ADA.name)
    await facts.sessions.remove([record!.id])
    clock.advance(4999)
    await sessions.upkeep()
    expect(sessions.find(ada, true)).toEqual(asAda)
    clock.advance(1)
    await sessions.upkeep()
    expect([sessions.find(ada, true), sessions.find(bob, true)?.name]).toEqual([undefined, BOB.name])
    clock.advance(4999)
    await facts.sessions.remove((await facts.sessions.list()).map(({ id }) => id))
    await sessions.upkeep()
    expect(sessions.find(bob, true)?.name).toBe(BOB.name)
  })

  test('gets no session back that was removed from it: neither a renewed secret nor one that came back stores it', async () => {
    const { sessions, clock, facts } = await signedIn()
    const first = await sessions.start(ADA)
    clock.advance(ROTATE_EVERY_MS)
    const second = (await sessions.rotate(first))!
    await facts.sessions.remove((await facts.sessions.list()).map(({ id }) => id))
    expect(sessions.find(second, true)).toEqual(asAda)
    clock.advance(ROTATE_EVERY_MS)
    expect(await sessions.rotate(second)).toBeUndefined()
    expect(await facts.sessions.list()).toEqual([])
  })

  test('that was read before a person signed in does not end the new session', async () => {
    const { sessions, clock, hold } = await signedIn()
    await sessions.start(BOB)
    clock.advance(5000)
    const release = hold()
    const upkeep = sessions.upkeep()
    const secret = await sessions.start(ADA)
    release()
    await upkeep
    expect(sessions.find(secret, true)).toEqual(asAda)
  })
})

describe('another process that shares the store', () => {
  test('knows a session after it has read it, also with a renewed secret, and not after it ended', async () => {
    const { sessions, restart, clock } = await signedIn()
    const other = await restart()
    const secret = await sessions.start(ADA)
    expect(other.find(secret, true)).toBeUndefined()
    await other.reread()
    expect(other.find(secret, true)).toEqual(asAda)
    clock.advance(15 * 60_000)
    const next = (await sessions.rotate(secret))!
    await other.reread()
    // The next secret comes back to the other process, which makes it the present one.
    expect(other.find(next, true)).toEqual(asAda)
    await expect.poll(async () => (await sessions.reread(), sessions.find(next, true))).toEqual(asAda)
    expect([sessions.find(secret, true), other.find(secret, true)]).toEqual([asAda, asAda])
    clock.advance(60_000)
    expect([sessions.find(secret, true), other.find(secret, true)]).toEqual([undefined, undefined])
    expect([sessions.find(next, true), other.find(next, true)]).toEqual([asAda, asAda])
    await sessions.end(next)
    await other.reread()
    expect(other.find(next, true)).toBeUndefined()
  })

  test('may end a session at the same moment: it ends once, with one entry of the audit', async () => {
    const { sessions, restart, facts } = await signedIn()
    const secret = await sessions.start(ADA)
    const other = await restart()
    await Promise.all([sessions.end(secret), other.end(secret)])
    expect([sessions.find(secret, true), other.find(secret, true)]).toEqual([undefined, undefined])
    expect((await facts.audit.list(9)).map(({ action }) => action)).toEqual(['session.end', 'session.start'])
  })
})
