import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { silentLog } from '../../src/base/log.ts'
import { createOwnMetrics } from '../../src/base/metrics.ts'
import { Deployment } from '../../src/deployment/deployment.ts'
import { BEAT_EVERY_MS, LIVES_FOR_MS } from '../../src/deployment/lease-holder.ts'
import { OwnedLeases } from '../../src/deployment/owned-leases.ts'
import { listenForChanges } from '../../src/store/postgres/change-listener.ts'
import type { PostgresOptions } from '../../src/store/postgres/options.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { until } from '../support/until.ts'
import { openTempFacts, POSTGRES, sharedPostgres } from '../store/postgres/temp-postgres.ts'

describe.skipIf(POSTGRES === undefined)('a process among those that share PostgreSQL', () => {
  const postgres = sharedPostgres()

  /** A process, with the thread that works under its leases. */
  async function processOf(options: PostgresOptions, name: string, startedMs = 1) {
    const instance = randomUUID()
    const own = { ...options, instance }
    const facts = await openTempFacts(own)
    const clock = new FakeClock(1_000_000)
    let nowMs = 0
    const thread = { leases: new OwnedLeases(() => nowMs), groups: ['g'] }
    const log: string[] = []
    const faults = { reread: false, takeOver: false }
    const metrics = createOwnMetrics('0.0.0-test')
    const deployment = new Deployment({
      leases: facts.leasesOf({ name, instance, version: '1', roles: ['evaluate'], startedMs }),
      roles: ['evaluate'],
      listen: (listening) => listenForChanges({ options: own, ...listening }),
      exchange: (update) => Promise.resolve(thread.leases.apply(update, thread.groups)),
      reread: (topic, subjects) => {
        if (faults.reread) return Promise.reject(new Error('away'))
        log.push(`${topic} ${subjects?.join(',') ?? 'all'}`)
        return Promise.resolve()
      },
      takeOver: () => {
        if (faults.takeOver) return Promise.reject(new Error('away'))
        log.push('take over')
        return Promise.resolve()
      },
      handOn: () => {
        log.push('hand on')
        return Promise.resolve()
      },
      onReplaced: () => log.push('replaced'),
      ...{ clock, metrics, log: silentLog, stopwatchMs: () => nowMs },
    })
    return {
      ...{ deployment, facts, clock, thread, log, faults, metrics },
      /** Time passes for its stopwatch, and its clock. */
      pass: (ms: number) => {
        nowMs += ms
        clock.advance(ms)
      },
    }
  }

  const ALL = [
    'silence',
    'acknowledgement',
    'external_alert',
    'decommission',
    'token',
    'session',
    'cluster',
    'alert_state',
  ]

  test('registers what can be done, does it, and hands everything on when it ends', async () => {
    const options = await postgres.options()
    const a = await processOf(options, 'a')
    const b = await processOf(options, 'b')
    a.thread.leases.note('c1')
    await a.deployment.start()
    await a.deployment.settled()
    expect(a.log).toEqual(ALL.map((topic) => `${topic} all`))
    expect(a.deployment.first).toBeUndefined()
    await a.deployment.step()
    expect(a.deployment.first).toMatchObject({ kind: 'alerts', name: 'all', fence: 1 })
    expect(a.log.at(-1)).toBe('take over')
    expect(a.thread.leases.takeGained('cluster')).toEqual(['c1'])
    expect(a.thread.leases.takeGained('rules')).toEqual(['g'])
    expect(await a.metrics.registry.metrics()).toContain('daytwo_leases{kind="cluster"} 1')
    await b.deployment.step()
    expect([b.deployment.first, b.deployment.processes.length]).toEqual([undefined, 2])
    await a.deployment.stop()
    await b.deployment.step()
    expect(b.deployment.first?.fence).toBe(2)
    await b.deployment.stop()
  })

  test('does not notify before it has taken over, and not after others may', async () => {
    const a = await processOf(await postgres.options(), 'a')
    a.faults.takeOver = true
    for (let i = 0; i < 3; i++) await a.deployment.step()
    expect(a.deployment.first).toBeUndefined()
    a.faults.takeOver = false
    await a.deployment.step()
    expect(a.deployment.first).toBeDefined()
    a.pass(LIVES_FOR_MS)
    expect(a.deployment.first).toBeUndefined()
    expect(a.thread.leases.lease('rules', 'g')).toBeUndefined()
    await a.deployment.step()
    expect(a.deployment.first).toBeDefined()
    expect(a.thread.leases.lease('rules', 'g')).toBeDefined()
    await a.deployment.stop()
  })

  test('gives the thread everything again after it was started anew', async () => {
    const a = await processOf(await postgres.options(), 'a')
    for (let i = 0; i < 3; i++) await a.deployment.step()
    a.thread.leases = new OwnedLeases(() => 0)
    await a.deployment.step()
    expect(a.thread.leases.lease('rules', 'g')).toBeUndefined()
    await a.deployment.step()
    expect(a.thread.leases.takeGained('rules')).toEqual(['g'])
    await a.deployment.stop()
  })

  test('reads what others change, each subject once, and everything after its connection was lost', async () => {
    const options = await postgres.options()
    const a = await processOf(options, 'a')
    const other = await openTempFacts({ ...options, instance: 'other' })
    await a.deployment.start()
    await a.deployment.settled()
    a.log.length = 0
    const silence = { id: 's', matchers: [], startsAtMs: 1, endsAtMs: 2, updatedAtMs: 1, createdBy: '', comment: '' }
    await other.silences.write([{ ...silence, untilResolved: false }], [])
    await other.sessions.write([], ['none'], [])
    await until('the changes', () => (a.log.includes('session all') ? true : undefined))
    expect(a.log).toEqual(['silence all', 'session all'])
    await a.facts.silences.prune(99)
    a.log.length = 0
    await postgres.server.kill()
    await postgres.server.start()
    // The end of the connection begins a step at once; what cannot be read is tried again.
    a.faults.reread = true
    await until('the listener', async () => {
      await a.deployment.step()
      a.faults.reread = false
      a.pass(BEAT_EVERY_MS)
      return ALL.every((topic) => a.log.includes(`${topic} all`)) || undefined
    })
    await a.deployment.stop()
  })

  test('stops doing what one process does alone when a later one has its name', async () => {
    const options = await postgres.options()
    const a = await processOf(options, 'a', 1)
    for (let i = 0; i < 2; i++) await a.deployment.step()
    const again = await processOf(options, 'a', 2)
    for (let i = 0; i < 2; i++) await again.deployment.step()
    expect(again.deployment.first).toBeDefined()
    await a.deployment.step()
    await a.deployment.step()
    expect(a.deployment.first).toBeUndefined()
    expect(a.thread.leases.lease('rules', 'g')).toBeUndefined()
    expect(a.log.filter((line) => line === 'replaced')).toEqual(['replaced'])
    expect(a.log).toContain('hand on')
    await a.deployment.stop()
    await again.deployment.step()
    expect(again.deployment.first).toBeDefined()
    await again.deployment.stop()
  })
})
