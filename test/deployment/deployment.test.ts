import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { describe, expect, test } from 'vitest'
import { silentLog } from '../../src/base/log.ts'
import { createOwnMetrics } from '../../src/base/metrics.ts'
import { Deployment } from '../../src/deployment/deployment.ts'
import { BEAT_EVERY_MS, LIVES_FOR_MS } from '../../src/deployment/lease-holder.ts'
import { OwnedLeases } from '../../src/deployment/owned-leases.ts'
import { NOTHING_REPORTED, type ProcessReport } from '../../src/model/process-report.ts'
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
    const reported = { report: NOTHING_REPORTED as Omit<ProcessReport, 'leases'> }
    const metrics = createOwnMetrics('0.0.0-test')
    const deployment = new Deployment({
      leases: facts.leasesOf({ name, instance, version: '1', roles: ['evaluate'], startedMs }),
      roles: ['evaluate'],
      report: () => reported.report,
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
      ...{ deployment, facts, clock, thread, log, faults, metrics, reported },
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
    'accepted_risk',
    'configuration_baseline',
    'update_graph',
    'runbook_work',
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
    expect([b.deployment.first, b.deployment.view.processes.length]).toEqual([undefined, 2])
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
    const action = { atMs: 1, by: '', action: 'silence.create', subject: 's', detail: '{}' } as const
    await other.silences.write([{ value: { ...silence, untilResolved: false }, audited: action }])
    await other.sessions.remove(['none'])
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

  test('knows what the others report, also of those that have stopped, until they are removed', async () => {
    const options = await postgres.options()
    const [a, b, c] = [await processOf(options, 'a'), await processOf(options, 'b'), await processOf(options, 'c')]
    const forward = { isComplete: false, storeStart: 1000, lagSamples: 12, lagSeconds: 40, refused: { invalid: 3 } }
    b.reported.report = { forward, shipping: { lagSeconds: 9, pendingCommits: 2 }, faults: ['no room'] }
    await b.deployment.step()
    await c.deployment.step()
    await a.deployment.step()
    const named = (name: string) => a.deployment.view.processes.find((one) => one.name === name)
    expect(a.deployment.view.processes.map(({ name, isSelf, state }) => [name, isSelf, state])).toEqual([
      ['a', true, 'running'],
      ['b', false, 'running'],
      ['c', false, 'running'],
    ])
    expect(named('b')?.report).toMatchObject({ forward, shipping: { lagSeconds: 9 }, faults: ['no room'] })
    const metric = async (name: string): Promise<unknown> =>
      (await a.metrics.registry.getSingleMetric(name)!.get()).values.map(({ labels, value }) => [labels, value])
    expect(await metric('daytwo_process_forward_lag_seconds')).toEqual([[{ process: 'b' }, 40]])
    expect(await metric('daytwo_process_forward_refused_samples')).toEqual([[{ process: 'b', reason: 'invalid' }, 3]])
    expect(await metric('daytwo_process_shipping_lag_seconds')).toEqual([[{ process: 'b' }, 9]])

    // One ends with samples that nobody else has, one with none.
    await b.deployment.stop()
    await c.deployment.stop()
    await c.deployment.remove()
    await a.deployment.step()
    expect([named('b')?.state, named('c')]).toEqual(['ended', undefined])
    expect(await metric('daytwo_process_up')).toEqual([
      [{ process: 'a' }, 1],
      [{ process: 'b' }, 0],
    ])
    expect(await metric('daytwo_process_silent_seconds')).toContainEqual([{ process: 'b' }, 0])
    expect([await a.deployment.forget('a'), await a.deployment.forget('b'), await a.deployment.forget('b')]).toEqual([
      ...[false, true, false],
    ])
    expect(named('b')).toBeUndefined()
    await a.deployment.stop()
  })

  test('one that is killed is silent, and what it reported counts for its start alone', async () => {
    const options = await postgres.options()
    const [a, b] = [await processOf(options, 'a'), await processOf(options, 'b')]
    b.reported.report = { forward: { isComplete: true, lagSamples: 12, lagSeconds: 40, refused: {} }, faults: [] }
    await b.deployment.step()
    const client = new Client(options.url)
    await client.connect()
    await client.query(`UPDATE process SET lives_until = now() - interval '1 ms', seen = now() - interval '1 minute'`)
    await a.deployment.step()
    const other = () => a.deployment.view.processes.find(({ name }) => name === 'b')
    expect(other()).toMatchObject({ state: 'silent', report: { forward: { lagSamples: 12 } } })
    expect(other()!.silentMs).toBeGreaterThanOrEqual(60_000)
    const lag = await a.metrics.processForwardLagSeconds.get()
    expect(lag.values[0]!.value).toBeGreaterThanOrEqual(100)
    expect(
      (await a.metrics.processSilentSeconds.get()).values.find(({ labels }) => labels.process === 'b')?.value,
    ).toBe(other()!.silentMs / 1000)
    // A release before this one: it writes neither its report nor how it ended.
    await client.query(`UPDATE process SET instance = 'older', ended = true WHERE name = 'b'`)
    await a.deployment.step()
    expect(other()).toMatchObject({ state: 'silent', report: undefined })
    await client.query(`UPDATE process SET seen = now() - interval '31 days' WHERE name = 'b'`)
    await a.deployment.step()
    expect(other()).toBeUndefined()
    await client.end()
    await a.deployment.stop()
  })

  test('while PostgreSQL is away, it is known since when, and what was known of others is no metric', async () => {
    const options = await postgres.options()
    const a = await processOf(options, 'a')
    await a.deployment.step()
    expect(a.deployment.view).toMatchObject({ unheardMs: 0 })
    expect(a.deployment.view.fault).toBeUndefined()
    expect(await a.metrics.registry.metrics()).toContain('daytwo_postgres_up 1')
    await postgres.server.kill()
    a.pass(LIVES_FOR_MS - 1)
    await a.deployment.step()
    expect(a.deployment.view).toMatchObject({
      unheardMs: LIVES_FOR_MS - 1,
      fault: expect.stringContaining('') as string,
    })
    const text = await a.metrics.registry.metrics()
    expect(text).toContain('daytwo_postgres_up 0')
    expect(text).toContain('daytwo_process_up{process="a"} 1')
    a.pass(1)
    await a.deployment.step()
    expect(await a.metrics.registry.metrics()).not.toContain('daytwo_process_up{')
    await postgres.server.start()
    await a.deployment.step()
    expect(a.deployment.view).toMatchObject({ unheardMs: 0 })
    expect(a.deployment.view.fault).toBeUndefined()
    await a.deployment.stop()
  })
})
