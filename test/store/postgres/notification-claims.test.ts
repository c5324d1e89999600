import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { Client } from 'pg'
import { describe, expect, test } from 'vitest'
import { claimUnder } from '../../../src/deployment/claim-under.ts'
import { ALERTS_LEASE, type Lease } from '../../../src/model/lease.ts'
import { NOTHING_REPORTED } from '../../../src/model/process-report.ts'
import { CLAIM_FOR_MS, type NotificationClaim, type NotificationLogEntry } from '../../../src/model/notification-log.ts'
import type { SharedFacts } from '../../../src/store/facts/facts.ts'
import type { PostgresOptions } from '../../../src/store/postgres/options.ts'
import { openTempFacts, POSTGRES, sharedPostgres } from './temp-postgres.ts'

const KEY = '["g","hook","webhook",0]'
const entryAt = (atMs: number): NotificationLogEntry => {
  return { key: KEY, atMs, firing: ['f'], resolved: [], expiresAtMs: atMs + 1_000_000 }
}

/** A process that can take the lease of all notifications. */
class Notifier {
  readonly #facts: SharedFacts
  readonly #instance = randomUUID()
  readonly #name: string
  lease: Lease | undefined

  constructor(facts: SharedFacts, name: string) {
    this.#facts = facts
    this.#name = name
  }

  async takeLease(): Promise<void> {
    const identity = { name: this.#name, instance: this.#instance, version: '1', roles: ['evaluate'], startedMs: 1 }
    const leases = this.#facts.leasesOf(identity)
    await leases.beat(60_000, NOTHING_REPORTED)
    await leases.register('alerts', [ALERTS_LEASE])
    ;[this.lease] = await leases.take('alerts', 1)
  }

  #claims() {
    const stopwatchMs = (): number => 0
    return claimUnder(this.#facts.claimsOf(this.#instance), () => this.lease, stopwatchMs)
  }

  claim(atMs: number, afterMs?: number): Promise<NotificationClaim> {
    return this.#claims().claim({ logEntry: { key: KEY, atMs }, ...(afterMs === undefined ? {} : { afterMs }) })
  }

  release(): Promise<void> {
    return this.#claims().release({ logEntry: { key: KEY, atMs: 0 } })
  }
}

describe.skipIf(POSTGRES === undefined)('claims of notifications', () => {
  const postgres = sharedPostgres()

  async function ask(options: PostgresOptions, text: string): Promise<void> {
    const client = new Client(options.url)
    await client.connect()
    await client.query(text)
    await client.end()
  }

  /** As if the lease, and the claims, were from this long ago. */
  const later = (options: PostgresOptions, ms: number): Promise<void> =>
    ask(
      options,
      `UPDATE process SET lives_until = lives_until - interval '${ms} ms';
       UPDATE notification_claim SET claimed = claimed - interval '${ms} ms'`,
    )

  async function two() {
    const options = await postgres.options()
    const facts = await openTempFacts(options)
    return { options, facts, a: new Notifier(facts, 'a'), b: new Notifier(facts, 'b') }
  }

  test('are given to the holder of the lease alone', async () => {
    const { facts, options, a, b } = await two()
    await a.takeLease()
    expect(await a.claim(10)).toEqual({ kind: 'claimed' })
    // A retry of the same message.
    expect(await a.claim(10)).toEqual({ kind: 'claimed' })
    expect(await b.claim(10)).toEqual({ kind: 'done' })
    await facts.notificationLog.put([entryAt(10)])
    await later(options, 60_001)
    await b.takeLease()
    // It has lost the lease while it slept.
    expect(await a.claim(20, 10)).toEqual({ kind: 'done' })
    expect(await b.claim(20, 10)).toEqual({ kind: 'claimed' })
  })

  test('of a process that ended in between are taken over after a time: nothing is lost, nothing is sent twice', async () => {
    const { options, a, b } = await two()
    await a.takeLease()
    expect(await a.claim(10)).toEqual({ kind: 'claimed' })
    // It is killed, before or after it has sent.
    await ask(options, `UPDATE process SET lives_until = now() - interval '1 ms'`)
    await b.takeLease()
    expect(await b.claim(20)).toEqual({ kind: 'busy' })
    await ask(options, `UPDATE notification_claim SET claimed = claimed - interval '${CLAIM_FOR_MS - 5000} ms'`)
    expect(await b.claim(20)).toEqual({ kind: 'busy' })
    await ask(options, `UPDATE notification_claim SET claimed = claimed - interval '5001 ms'`)
    expect(await b.claim(20)).toEqual({ kind: 'claimed' })
  })

  test('whose attempt has failed are of nobody: who takes over sends at once', async () => {
    const { options, a, b } = await two()
    await a.takeLease()
    expect(await a.claim(10)).toEqual({ kind: 'claimed' })
    // Only its own.
    await b.release()
    await ask(options, `UPDATE process SET lives_until = now() - interval '1 ms'`)
    await b.takeLease()
    expect(await b.claim(20)).toEqual({ kind: 'busy' })
    await a.release()
    expect(await b.claim(20)).toEqual({ kind: 'claimed' })
  })

  test('that are followed by the entry of another process are done, with that entry', async () => {
    const { facts, options, a, b } = await two()
    await a.takeLease()
    expect(await a.claim(10)).toEqual({ kind: 'claimed' })
    await ask(options, `UPDATE process SET lives_until = now() - interval '1 ms'`)
    await b.takeLease()
    expect(await b.claim(20)).toEqual({ kind: 'busy' })
    // It was only slow.
    await facts.notificationLog.put([entryAt(10)])
    expect(await b.claim(20)).toEqual({ kind: 'done', entry: entryAt(10) })
    // That claims nothing: the other process need not wait.
    await ask(options, `UPDATE process SET lives_until = now() - interval '1 ms'`)
    await a.takeLease()
    expect(await a.claim(25, 10)).toEqual({ kind: 'claimed' })
    await ask(options, `UPDATE process SET lives_until = now() - interval '1 ms'; TRUNCATE notification_claim`)
    await b.takeLease()
    expect(await b.claim(30, 10)).toEqual({ kind: 'claimed' })
    await facts.notificationLog.put([entryAt(30)])
    // An entry that has expired by then stops nobody who does not know it any more.
    expect(await b.claim(30 + 1_000_000)).toEqual({ kind: 'claimed' })
  })

  test('without an answer in time, or without any, are not sent', async () => {
    const { facts, a } = await two()
    await a.takeLease()
    let nowMs = 0
    const claims = facts.claimsOf('other')
    const under = claimUnder(
      claims,
      () => a.lease,
      () => (nowMs += CLAIM_FOR_MS / 2),
    )
    expect(await under.claim({ logEntry: entryAt(1) })).toEqual({ kind: 'busy' })
    await postgres.server.kill()
    expect(await a.claim(10)).toEqual({ kind: 'busy' })
    await a.release()
    await postgres.server.start()
  })

  test('in any interleaving of two processes that take over from each other: one message per change', async () => {
    const { options, facts, a, b } = await two()
    const processes = [a, b]
    interface Sending {
      readonly atMs: number
      readonly afterMs: number | undefined
      state: 'claimed' | 'sent'
    }
    const event = fc.record({
      who: fc.nat(1),
      what: fc.constantFrom(
        'claim',
        'claim',
        'send',
        'send',
        'note',
        'note',
        'expire lease',
        'claims grow old',
        'crash',
      ),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 10, maxLength: 40 }), async (events) => {
        await ask(options, 'TRUNCATE process, lease, notification_claim, notification_log')
        const known: (number | undefined)[] = [undefined, undefined]
        const sending: (Sending | undefined)[] = [undefined, undefined]
        /** Messages by the entry that they follow: of two that follow the same entry, one is too many. */
        const sent: (number | undefined)[] = []
        let nowMs = 0
        await a.takeLease()
        b.lease = undefined
        for (const { who, what } of events) {
          nowMs += 10
          const one = processes[who]!
          const mine = sending[who]
          if (what === 'claim' && mine === undefined && one.lease !== undefined) {
            const claim = await one.claim(nowMs, known[who])
            if (claim.kind === 'claimed') sending[who] = { atMs: nowMs, afterMs: known[who], state: 'claimed' }
            if (claim.kind === 'done' && claim.entry !== undefined) known[who] = claim.entry.atMs
          }
          if (what === 'send' && mine?.state === 'claimed') {
            mine.state = 'sent'
            sent.push(mine.afterMs)
          }
          if (what === 'note' && mine?.state === 'sent') {
            await facts.notificationLog.put([entryAt(mine.atMs)])
            known[who] = mine.atMs
            sending[who] = undefined
          }
          if (what === 'expire lease') {
            await ask(options, `UPDATE process SET lives_until = now() - interval '1 ms'`)
            await one.takeLease()
            ;[known[who]] = (await facts.notificationLog.load()).map(({ atMs }) => atMs)
          }
          // Whoever still sends has answered by then: see `CLAIM_FOR_MS`. Nobody knows of one that ended after it sent.
          if (what === 'claims grow old' && sending.every((each) => each === undefined)) {
            await ask(options, `UPDATE notification_claim SET claimed = claimed - interval '${CLAIM_FOR_MS} ms'`)
          }
          if (what === 'crash' && mine?.state === 'claimed') {
            sending[who] = undefined
            one.lease = undefined
          }
        }
        expect(new Set(sent).size).toBe(sent.length)
      }),
      { numRuns: 40 },
    )
  }, 120_000)
})
