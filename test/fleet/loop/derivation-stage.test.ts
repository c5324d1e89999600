import { expect, test } from 'vitest'
import { derivePending, type DerivationStageParts } from '../../../src/fleet/loop/derivation-stage.ts'
import { StartedCycle } from '../../../src/fleet/loop/loop-cycle.ts'
import type { ClusterLeases } from '../../../src/fleet/loop/cluster-leases.ts'
import { createLoopState, POSITION_KEY } from '../../../src/fleet/loop/loop-state.ts'
import type { ClusterFacts, FactsChange } from '../../../src/model/fleet-facts.ts'
import type { ClusterObservations, MetricRun } from '../../../src/model/observation.ts'
import { NOW_MS, HOUR_MS } from '../../store/temp-store.ts'
import { ATTEMPTS_MAX } from '../../../src/fleet/derive/hco-attempts.ts'
import { csv, look, observed } from '../derive/observed.ts'
import { csvNameOf } from '../derive/random-objects.ts'
import { emptyRecord } from '../../support/cluster-record.ts'
import { upgradeRecord } from '../../support/upgrade-record.ts'

const RETENTION_MS = 400 * 24 * HOUR_MS
const POSITION = { observations: 5, spans: 0, alerts: 0 }

function stageOf(leases?: ClusterLeases) {
  const under: unknown[] = []
  const stored = new Map<string, ClusterFacts>()
  const log: string[] = []
  const indexed: ClusterFacts[] = []
  const changes: FactsChange[] = []
  const members = new Map<string, readonly string[]>()
  const objects = new Map<string, ClusterObservations['objects']>()
  const faults = { read: '', write: false }
  const alertTraces = { waiting: 0 }
  const runOf = (cluster: string): MetricRun => ({
    cluster,
    signal: 'csv_succeeded',
    labels: { version: '1.16.0' },
    value: 1,
    firstMs: NOW_MS - HOUR_MS,
    lastMs: NOW_MS,
  })
  const membersOf = (cluster: string): { members?: readonly string[] } => {
    const names = members.get(cluster)
    return names === undefined ? {} : { members: names }
  }
  const parts: DerivationStageParts = {
    observations: {
      read: (cluster) =>
        cluster === faults.read
          ? Promise.reject(new Error('no disk'))
          : Promise.resolve({
              cluster,
              aliases: [],
              objects: objects.get(cluster) ?? [],
              absences: [],
              metrics: [runOf(cluster)],
              ...membersOf(cluster),
            }),
    },
    spans: { upgradeSpans: () => Promise.resolve([]) },
    facts: {
      cluster: (name) => {
        log.push(`read ${name}`)
        return Promise.resolve(stored.get(name))
      },
      values: () => Promise.resolve(new Map()),
    },
    alerts: { firedOn: () => Promise.resolve([]) },
    alertTraces,
    writer: {
      fleet: {
        write: ({ changes: put, meta, under: lease }) => {
          if (lease !== undefined) under.push(lease)
          if (faults.write) return Promise.reject(new Error('disk full'))
          const position = meta[0]?.[1] ?? 'as before'
          log.push(`facts of ${put.map(({ cluster }) => cluster).join(' ')}, position ${position}`)
          changes.push(...put)
          return Promise.resolve()
        },
      },
      derived: {
        spans: (traces) => {
          log.push(`${traces.length} traces`)
          return Promise.resolve()
        },
      },
    },
    positionKey: POSITION_KEY,
    ...(leases && { leases }),
    retentionMs: RETENTION_MS,
  }
  const state = createLoopState()
  const wait = (...clusters: readonly string[]): void => {
    for (const cluster of clusters) state.pending.add({ cluster, sinceMs: 0 })
    state.pending.addedUpTo(POSITION)
  }
  const run = async (nowMs = NOW_MS) => {
    const cycle = new StartedCycle(nowMs, () => 0)
    const index = {
      put: (facts: ClusterFacts) => {
        indexed.push(facts)
      },
      remove: (cluster: string) => {
        log.push(`remove ${cluster}`)
      },
    }
    return { ...(await derivePending(parts, state, index, cycle)), failures: cycle.failures }
  }
  return { under, run, wait, state, stored, members, objects, log, indexed, changes, faults, alertTraces }
}

test('facts are read once, written with the position, and put into the index as written', async () => {
  const { run, wait, state, stored, log, indexed, changes } = stageOf()
  wait('a', 'b')
  expect(await run()).toEqual({ derived: 2, failures: [] })
  expect(log).toEqual(['read a', 'read b', `facts of a b, position ${JSON.stringify(POSITION)}`])
  expect(indexed.map(({ cluster, intervals }) => [cluster.cluster, intervals[0]?.version])).toEqual([
    ['a', '1.16.0'],
    ['b', '1.16.0'],
  ])
  expect(changes.map(({ record, intervals }) => [record, intervals.put])).toEqual(
    indexed.map(({ cluster, intervals }) => [cluster, intervals]),
  )
  expect([state.changedFacts.take(), state.lateChanges.changes.length]).toEqual([['clusters'], 1])
  // The same again is no write.
  for (const facts of indexed) stored.set(facts.cluster.cluster, facts)
  wait('a')
  log.length = 0
  expect((await run()).derived).toBe(1)
  expect(log).toEqual(['read a'])
})

test('expired facts stay, and traces are written before the facts that they are of', async () => {
  const { run, wait, stored, log, indexed } = stageOf()
  const past = (id: string, endedMs: number) =>
    upgradeRecord({ id, cluster: 'a', startedMs: endedMs - HOUR_MS, endedMs }, { observedUntilMs: endedMs })
  const expired = past('expired', NOW_MS - RETENTION_MS - HOUR_MS)
  const upgrades = [expired, past('wrong', NOW_MS - HOUR_MS)]
  stored.set('a', { cluster: emptyRecord('a'), upgrades, intervals: [], modifications: [] })
  wait('a')
  await run()
  expect(log.slice(1)).toEqual(['1 traces', `facts of a, position ${JSON.stringify(POSITION)}`])
  expect(indexed[0]?.upgrades).toEqual([expired])
})

test('facts of a name that was joined are written as of the cluster, and its own are removed with them', async () => {
  const { run, wait, state, stored, members, log, indexed, changes } = stageOf()
  const endedMs = NOW_MS - RETENTION_MS - HOUR_MS
  const record = { id: 'old', cluster: 'uid-1', startedMs: endedMs - HOUR_MS, endedMs }
  const upgrades = [upgradeRecord(record, { observedUntilMs: endedMs })]
  const joined = {
    cluster: emptyRecord('uid-1', { firstSeenMs: 24 * HOUR_MS }),
    upgrades,
    intervals: [],
    modifications: [],
  }
  stored.set('uid-1', joined)
  members.set('a', ['uid-1', 'uid-2'])
  wait('a')
  expect(await run()).toEqual({ derived: 1, failures: [] })
  expect(log).toEqual([
    ...['read a', 'read uid-1', 'read uid-2', '1 traces'],
    `facts of uid-1 a, position ${JSON.stringify(POSITION)}`,
    ...['remove uid-1', 'remove uid-2'],
  ])
  expect(indexed.map(({ cluster, upgrades: own }) => [cluster.cluster, own[0]?.upgrade])).toEqual([
    ['a', expect.objectContaining({ id: 'old', cluster: 'a' })],
  ])
  expect([changes[0]?.isGone, changes[0]?.upgrades.removed]).toEqual([true, upgrades])
  expect(state.lateChanges.changes.map(({ fromMs }) => fromMs)).toEqual([24 * HOUR_MS])
  // Once they are moved nothing is left to do.
  stored.delete('uid-1')
  stored.set('a', indexed[0]!)
  wait('a')
  log.length = 0
  await run()
  expect(log.filter((line) => line.startsWith('facts'))).toEqual([])
})

test('the position waits for clusters that failed and for alerts that are in no trace', async () => {
  const { run, wait, state, log, faults, alertTraces } = stageOf()
  faults.read = 'a'
  wait('a', 'b')
  expect(await run()).toEqual({ derived: 1, failures: [{ subject: 'a', error: 'no disk' }] })
  expect(log.at(-1)).toBe('facts of b, position as before')
  faults.read = ''
  alertTraces.waiting = 1
  state.pending.retry(NOW_MS + 60_000)
  await run()
  expect(log.at(-1)).toBe('facts of a, position as before')
  alertTraces.waiting = 0
  await run()
  expect(log.at(-1)).toBe(`facts of , position ${JSON.stringify(POSITION)}`)
  expect(state.storedPosition).toBe(JSON.stringify(POSITION))
})

test('facts that cannot be written are derived again, and are not in the index', async () => {
  const { run, wait, state, indexed, faults } = stageOf()
  faults.write = true
  wait('a')
  await expect(run()).rejects.toThrow('disk full')
  expect([indexed, state.pending.clusters(), state.storedPosition]).toEqual([[], ['a'], undefined])
  faults.write = false
  expect((await run()).derived).toBe(1)
  expect(indexed).toHaveLength(1)
})

test('none of many clusters is lost when a batch cannot be written', async () => {
  const { run, wait, state, indexed, faults } = stageOf()
  const clusters = Array.from({ length: 120 }, (_, i) => `c${i}`)
  faults.write = true
  wait(...clusters)
  await expect(run()).rejects.toThrow('disk full')
  expect([new Set(state.pending.clusters()), indexed, state.storedPosition]).toEqual([new Set(clusters), [], undefined])
  faults.write = false
  expect((await run()).derived).toBe(120)
  expect([indexed.length, state.storedPosition]).toEqual([120, JSON.stringify(POSITION)])
})

test('of several processes each writes under its leases, and leaves alone what it does not have any more', async () => {
  const held = new Set(['a', 'b', 'late'])
  const { run, wait, state, log, under } = stageOf({
    lease: (name) => (held.has(name) ? { kind: 'cluster', name, fence: 7 } : undefined),
    heldOrLost: (name) => ({ kind: 'cluster', name, fence: held.has(name) ? 7 : -1 }),
    ...{ note: () => undefined, takeGained: () => [], isFirst: true },
  })
  wait('a', 'other', 'b')
  expect(await run()).toEqual({ derived: 2, failures: [] })
  expect(log.filter((line) => line.startsWith('facts'))).toEqual([`facts of a b, position ${JSON.stringify(POSITION)}`])
  expect(under).toEqual([
    [
      { kind: 'cluster', name: 'a', fence: 7 },
      { kind: 'cluster', name: 'b', fence: 7 },
    ],
  ])
  expect(state.pending.clusters()).toEqual([])
})

test('what clusters have too much of is counted over all of them', async () => {
  const { run, wait, objects } = stageOf()
  const attempts = (count: number): ClusterObservations['objects'] => {
    const states = Array.from({ length: count }, (_, i) => {
      const version = `1.${i}.0`
      return look(i, csv(version), { name: csvNameOf(version), uid: version })
    })
    return observed(states).objects
  }
  objects.set('a', attempts(ATTEMPTS_MAX + 2))
  objects.set('c', attempts(ATTEMPTS_MAX + 3))
  wait('a', 'b', 'c')
  expect(await run()).toEqual({ derived: 3, failures: [], dropped: { cluster: 'c', changes: 0, attempts: 5 } })
})
