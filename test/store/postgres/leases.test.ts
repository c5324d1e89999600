import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { Client } from 'pg'
import { describe, expect, test } from 'vitest'
import { LeaseHolder, LIVES_FOR_MS, type LeaseChange } from '../../../src/deployment/lease-holder.ts'
import type { Lease } from '../../../src/model/lease.ts'
import { NOTHING_REPORTED, type ProcessReport } from '../../../src/model/process-report.ts'
import { fingerprintOf, type AlertRecord } from '../../../src/model/alert.ts'
import { Labels } from '../../../src/model/labels.ts'
import type { SharedFacts } from '../../../src/store/facts/facts.ts'
import type { PostgresOptions } from '../../../src/store/postgres/options.ts'
import { emptyRecord } from '../../support/cluster-record.ts'
import { openTempFacts, POSTGRES, sharedPostgres } from './temp-postgres.ts'

const clusters = (count: number): string[] => Array.from({ length: count }, (_, i) => `c${i}`)

function alertOf(name: string): AlertRecord {
  const labels = Labels.of({ alertname: name })
  const times = { activeAtMs: 1, lastHeldAtMs: 2 }
  const fingerprint = fingerprintOf(labels)
  return { ruleKey: name, fingerprint, labels, annotations: {}, state: 'pending', value: 1, ...times }
}

/** A process as a test moves it. Its stopwatch stands still until the test moves it too. */
class TestProcess {
  readonly name: string
  readonly changes: LeaseChange[] = []
  readonly holder: LeaseHolder
  nowMs = 0
  groups: string[] = []
  report: ProcessReport = NOTHING_REPORTED

  constructor(facts: SharedFacts, name: string, startedMs = 1, roles: readonly string[] = ['evaluate']) {
    this.name = name
    this.holder = new LeaseHolder({
      store: facts.leasesOf({ name, instance: randomUUID(), version: '1', roles, startedMs }),
      stopwatchMs: () => this.nowMs,
      roles,
      report: () => this.report,
      onChange: (change) => this.changes.push(change),
    })
  }

  step(): Promise<void> {
    return this.holder.step(this.groups)
  }

  /** The names of clusters that it holds. */
  get clusters(): readonly string[] {
    return this.holder.leases().flatMap(({ kind, name }) => (kind === 'cluster' ? [name] : []))
  }
}

describe.skipIf(POSTGRES === undefined)('leases', () => {
  const postgres = sharedPostgres()

  async function ask(options: PostgresOptions, text: string): Promise<void> {
    const client = new Client(options.url)
    await client.connect()
    await client.query(text)
    await client.end()
  }

  /** As if these had sent no heartbeat for long enough. */
  const silence = (options: PostgresOptions, ...names: string[]): Promise<void> =>
    ask(options, `UPDATE process SET lives_until = now() - interval '1 ms' WHERE name = ANY('{${names.join(',')}}')`)

  async function processes(options: PostgresOptions, names: readonly string[]): Promise<TestProcess[]> {
    const facts = await openTempFacts(options)
    return names.map((name) => new TestProcess(facts, name))
  }

  test('are shared by those that live, step by step, and each has one owner', async () => {
    const options = await postgres.options()
    const [a, b, c] = (await processes(options, ['a', 'b', 'c'])) as [TestProcess, TestProcess, TestProcess]
    await a.holder.register('cluster', clusters(100))
    await a.holder.register('cluster', clusters(100))
    await a.step()
    expect(a.clusters).toHaveLength(100)
    await b.step()
    expect(b.clusters).toHaveLength(0)
    await a.step()
    expect(a.clusters).toHaveLength(50)
    await b.step()
    expect(b.clusters).toHaveLength(50)
    for (const one of [c, a, b, c]) await one.step()
    const shares = [a, b, c].map((one) => one.clusters.length)
    expect(Math.max(...shares)).toBeLessThanOrEqual(35)
    expect([...a.clusters, ...b.clusters, ...c.clusters].sort()).toEqual(clusters(100).sort())
    // Nothing moves any more.
    const moved = [a, b, c].map(({ changes }) => changes.length)
    for (const one of [a, b, c, a, b, c]) await one.step()
    expect([a, b, c].map(({ changes }) => changes.length)).toEqual(moved)
  })

  test('of a process that is silent are taken over with a higher number, and come back to nobody', async () => {
    const options = await postgres.options()
    const [a, b] = (await processes(options, ['a', 'b'])) as [TestProcess, TestProcess]
    await a.holder.register('cluster', ['c1'])
    await a.step()
    const before = a.holder.lease('cluster', 'c1')!
    await b.step()
    expect(b.clusters).toEqual([])
    await silence(options, 'a')
    await b.step()
    expect(b.holder.lease('cluster', 'c1')).toEqual({ ...before, fence: before.fence + 1 })
    // It slept: by its own stopwatch nothing is safe any more, and the next step tells it what it lost.
    a.nowMs = LIVES_FOR_MS
    expect(a.holder.lease('cluster', 'c1')).toBeUndefined()
    expect(a.holder.leases()).toEqual([])
    await a.step()
    expect(a.changes.at(-1)).toEqual({ gained: [], lost: [before] })
    expect(a.clusters).toEqual([])
  })

  test('are kept without a change when nobody took them while the database was away', async () => {
    const options = await postgres.options()
    const [a] = (await processes(options, ['a'])) as [TestProcess]
    await a.holder.register('cluster', ['c1'])
    await a.step()
    await postgres.server.kill()
    await expect(a.step()).rejects.toMatchObject({ code: 'not_ready' })
    a.nowMs = LIVES_FOR_MS - 1
    expect(a.clusters).toEqual(['c1'])
    a.nowMs = LIVES_FOR_MS
    expect(a.clusters).toEqual([])
    await postgres.server.start()
    await a.step()
    expect(a.clusters).toEqual(['c1'])
    expect(a.changes).toHaveLength(1)
  })

  test('of groups of rules go to those who have the group, and a process without the role takes none', async () => {
    const options = await postgres.options()
    const facts = await openTempFacts(options)
    const old = new TestProcess(facts, 'old')
    const next = new TestProcess(facts, 'next')
    const collector = new TestProcess(facts, 'collector', 1, ['collect', 'serve'])
    old.groups = ['g1', 'removed']
    next.groups = ['g1', 'added']
    await old.holder.register('rules', ['g1', 'removed', 'added'])
    await old.holder.register('alerts', ['all'])
    await collector.step()
    await next.step()
    await ask(options, 'UPDATE lease SET owner = NULL')
    await collector.step()
    expect(collector.holder.leases()).toEqual([])
    next.nowMs = LIVES_FOR_MS
    for (const one of [next, old, next, old, collector]) await one.step()
    expect(next.holder.lease('rules', 'removed')).toBeUndefined()
    expect(next.holder.lease('rules', 'added')).toBeDefined()
    expect(old.holder.lease('rules', 'removed')).toBeDefined()
    const all = [old, next].flatMap(({ holder }) => holder.leases())
    expect(all.filter(({ name }) => name === 'g1')).toHaveLength(1)
    expect(all.filter(({ kind }) => kind === 'alerts')).toHaveLength(1)
    expect(collector.holder.processes.map(({ name, roles }) => [name, roles])).toEqual([
      ['collector', ['collect', 'serve']],
      ['next', ['evaluate']],
      ['old', ['evaluate']],
    ])
  })

  test('are free at once when their process ends, or starts again under its name', async () => {
    const options = await postgres.options()
    const facts = await openTempFacts(options)
    const [a, b] = [new TestProcess(facts, 'a', 1), new TestProcess(facts, 'b')]
    await a.holder.register('cluster', ['c1', 'c2', 'c3', 'c4'])
    await a.step()
    const again = new TestProcess(facts, 'a', 2)
    await again.step()
    expect(again.clusters).toHaveLength(4)
    await a.step()
    expect(a.holder.isReplaced).toBe(true)
    expect(a.holder.leases()).toEqual([])
    expect(a.changes.at(-1)!.lost).toHaveLength(4)
    await again.holder.stop()
    expect(again.holder.leases()).toEqual([])
    await b.step()
    expect(b.clusters).toHaveLength(4)
  })

  test('a process that was paused and wakes up writes nothing under a lease that it lost', async () => {
    const options = await postgres.options()
    const facts = await openTempFacts(options)
    const [a, b] = [new TestProcess(facts, 'a'), new TestProcess(facts, 'b')]
    const names = ['c1', 'c2']
    await a.holder.register('cluster', names)
    await a.holder.register('rules', ['g'])
    a.groups = b.groups = ['g']
    await a.step()
    const held = new Map(a.holder.leases().map((lease) => [lease.name, lease]))
    const change = (cluster: string, version: string) => ({
      ...{ cluster, record: emptyRecord(cluster, { versions: { kubevirt: version } }) },
      upgrades: { put: [], removed: [] },
      intervals: { put: [], removed: [] },
      modifications: { put: [], removed: [] },
    })
    const under = (name: string): Lease => held.get(name)!
    await facts.fleet.write({ changes: names.map((name) => change(name, '1')), meta: [], under: names.map(under) })
    await facts.alertStates.replaceGroup('g', [alertOf('Old')], under('g'))
    await silence(options, 'a')
    await b.step()
    await facts.fleet.write({ changes: [change('c1', '2')], meta: [], under: [b.holder.lease('cluster', 'c1')!] })
    await facts.alertStates.replaceGroup('g', [alertOf('New')], b.holder.lease('rules', 'g'))
    // It is awake again, and in the middle of what it was doing.
    const late = {
      changes: names.map((name) => change(name, '3')),
      meta: [['p', '1'] as const],
      under: names.map(under),
    }
    await expect(facts.fleet.write(late)).rejects.toMatchObject({
      code: 'not_ready',
      message: expect.stringMatching(/another process has taken over cluster c[12]$/) as string,
    })
    await expect(facts.alertStates.replaceGroup('g', [], under('g'))).rejects.toThrow('has taken over rules g')
    expect((await facts.fleet.clusters()).map(({ versions }) => versions['kubevirt'])).toEqual(['2', '1'])
    expect((await facts.alertStates.load()).get('g')).toEqual([alertOf('New')])
    expect(await facts.meta.get('p')).toBeUndefined()
    // Given back to nobody: it is nobody's, not the last owner's.
    const last = b.holder.lease('rules', 'g')!
    await facts.leasesOf({ name: 'x', instance: 'none', version: '1', roles: [], startedMs: 1 }).release('rules', ['g'])
    await facts.alertStates.replaceGroup('g', [alertOf('Same')], last)
    await ask(options, `UPDATE lease SET owner = NULL WHERE name = 'g'`)
    await expect(facts.alertStates.replaceGroup('g', [], last)).rejects.toThrow('has taken over rules g')
  })

  test('nobody takes a lease while a write under it is under way', async () => {
    const options = await postgres.options()
    const facts = await openTempFacts(options)
    const [a, b] = [new TestProcess(facts, 'a'), new TestProcess(facts, 'b')]
    await a.holder.register('rules', ['g'])
    a.groups = b.groups = ['g']
    await a.step()
    const blocker = new Client(options.url)
    await blocker.connect()
    await blocker.query('BEGIN; LOCK TABLE alert_state IN SHARE MODE')
    const written = facts.alertStates.replaceGroup('g', [alertOf('A')], a.holder.lease('rules', 'g'))
    for (;;) {
      const { rowCount } = await blocker.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )
      if (rowCount === 1) break
    }
    await silence(options, 'a')
    await b.step()
    expect(b.holder.lease('rules', 'g')).toBeUndefined()
    await blocker.query('COMMIT')
    await written
    await b.step()
    expect(b.holder.lease('rules', 'g')).toBeDefined()
    await blocker.end()
  })

  test('in any order of steps, deaths and returns: never two owners, and in the end all have one', async () => {
    const options = await postgres.options()
    const facts = await openTempFacts(options)
    const names = clusters(30)
    const event = fc.record({
      what: fc.constantFrom('step', 'step', 'step', 'silent', 'sleep', 'restart'),
      who: fc.nat(3),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 5, maxLength: 25 }), async (events) => {
        await ask(options, 'TRUNCATE process, lease')
        let startedMs = 1
        const all = ['a', 'b', 'c', 'd'].map((name) => new TestProcess(facts, name))
        await all[0]!.holder.register('cluster', names)
        for (const { what, who } of events) {
          const one = all[who]!
          if (what === 'step') await one.step()
          // Its stopwatch says so first: see `LIVES_FOR_MS`.
          if (what === 'silent' || what === 'sleep') one.nowMs += LIVES_FOR_MS
          if (what === 'silent') await silence(options, one.name)
          if (what === 'restart') all[who] = new TestProcess(facts, one.name, ++startedMs)
          if (what === 'restart') one.nowMs += LIVES_FOR_MS
          const held = all.flatMap((each) => each.clusters)
          expect(new Set(held).size).toBe(held.length)
        }
        for (let round = 0; round < 4; round++) for (const one of all) await one.step()
        expect(all.flatMap((one) => one.clusters).sort()).toEqual([...names].sort())
      }),
      { numRuns: 12 },
    )
  }, 60_000)
})
