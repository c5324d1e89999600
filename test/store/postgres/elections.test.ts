import { Client } from 'pg'
import { describe, expect, test } from 'vitest'
import { HaTracker } from '../../../src/ingest/ha-tracker.ts'
import { openTempFacts, POSTGRES, sharedPostgres } from './temp-postgres.ts'

const FAILOVER_MS = 30_000

describe.skipIf(POSTGRES === undefined)('replicas of one HA pair that reach different processes', () => {
  const postgres = sharedPostgres()

  async function two() {
    const options = await postgres.options()
    const { elections } = await openTempFacts(options)
    let nowMs = 1_000_000
    const trackers = [new HaTracker(FAILOVER_MS), new HaTracker(FAILOVER_MS)] as const
    return {
      trackers,
      /** A delivery of one sample: whether it is stored. */
      deliver: (to: number, replica: string): boolean => {
        const tracker = trackers[to]!
        tracker.begin((nowMs += 10))
        const claim = tracker.claimOf('c1', 'platform', replica)
        if (tracker.isDuplicate(claim)) {
          tracker.dropped(claim, 1)
          return false
        }
        tracker.taken(claim)
        return true
      },
      exchange: async (who: number): Promise<number> => {
        const seen = trackers[who]!.takeSeen()
        trackers[who]!.adopt(await elections.exchange(seen, FAILOVER_MS), nowMs)
        return seen.length
      },
      /** Time passes for all, and nobody is heard. */
      pass: async (ms: number): Promise<void> => {
        nowMs += ms
        const client = new Client(options.url)
        await client.connect()
        await client.query(`UPDATE ha_election SET seen = seen - interval '${ms} ms'`)
        await client.end()
      },
    }
  }

  test('have one that is accepted, once the processes have told each other', async () => {
    const { deliver, exchange } = await two()
    expect(deliver(0, 'r1')).toBe(true)
    expect(await exchange(0)).toBe(1)
    expect(await exchange(0)).toBe(0)
    // It does not know yet; then it does.
    expect(deliver(1, 'r2')).toBe(true)
    await exchange(1)
    expect(deliver(1, 'r2')).toBe(false)
    expect(deliver(1, 'r1')).toBe(true)
    expect(deliver(0, 'r2')).toBe(false)
    expect(deliver(0, 'r1')).toBe(true)
  })

  test('stay on standby while the other one is heard anywhere, and follow it when it is silent', async () => {
    const { deliver, exchange, pass, trackers } = await two()
    deliver(0, 'r1')
    await exchange(0)
    deliver(1, 'r2')
    await exchange(1)
    for (let i = 0; i < 4; i++) {
      await pass(FAILOVER_MS / 2)
      deliver(0, 'r1')
      await exchange(0)
      expect(deliver(1, 'r2')).toBe(false)
      await exchange(1)
    }
    await pass(FAILOVER_MS)
    expect(deliver(1, 'r2')).toBe(true)
    await exchange(1)
    // The first one is back, elsewhere: from the next exchange on it is on standby.
    deliver(0, 'r1')
    await exchange(0)
    expect(deliver(0, 'r1')).toBe(false)
    expect(trackers[0].report(9).elections).toMatchObject([{ replica: 'r2', failovers: 1 }])
  })
})
