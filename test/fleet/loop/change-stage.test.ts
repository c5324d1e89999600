import { expect, test } from 'vitest'
import { collectChanges, type ChangeStageParts } from '../../../src/fleet/loop/change-stage.ts'
import type { ClusterLeases } from '../../../src/fleet/loop/cluster-leases.ts'
import { createLoopState } from '../../../src/fleet/loop/loop-state.ts'

/** A change is the next position, of a cluster. */
function stageOf(stored?: string) {
  const observed: string[] = []
  const sent: string[] = []
  const since = (log: readonly string[]) => (position: number) =>
    Promise.resolve({ clusters: log.slice(position), position: log.length })
  const parts: ChangeStageParts = {
    observations: { changedSince: since(observed), joins: () => Promise.resolve(new Map([['uid-a', 'a']])) },
    spans: { changedSince: since(sent) },
    position: () => Promise.resolve(stored),
    alertTraces: { collect: (position) => Promise.resolve(position + 1) },
  }
  return { parts, observed, sent, state: createLoopState() }
}

test('clusters with new observations or spans are pending since the last collection', async () => {
  const { parts, observed, sent, state } = stageOf()
  observed.push('a')
  sent.push('b')
  await collectChanges(parts, state, 1000)
  expect(state.pending.clusters()).toEqual(['a', 'b'])
  expect(state.pending.oldestMs).toBe(-Infinity)
  expect(state).toMatchObject({ collected: { observations: 1, spans: 1, alerts: 1 }, collectedUntilMs: 1000 })
  state.pending.stored([state.pending.take()!, state.pending.take()!])
  observed.push('c')
  await collectChanges(parts, state, 2000)
  expect(state.pending.take()).toEqual({ cluster: 'c', sinceMs: 1000 })
})

test('a cluster whose samples were read late is pending since they were read before', async () => {
  const { parts, observed, state } = stageOf()
  await collectChanges(parts, state, 5000)
  state.runsWritten.set('a', 3000)
  observed.push('a')
  await collectChanges(parts, state, 6000)
  expect(state.pending.take()).toEqual({ cluster: 'a', sinceMs: 3000 })
  expect(state.runsWritten.size).toBe(0)
})

test.each([
  ['goes on at the stored position', '{"observations":1,"spans":0,"alerts":7}', ['b'], 8],
  ['takes a position from before alerts had one', '{"observations":1,"spans":0}', ['b'], 1],
  ['begins anew where the text is none of ours', '{"observations":"1"}', ['a', 'b'], 1],
  ['begins anew where the text is broken', '{', ['a', 'b'], 1],
])('a start %s', async (_what, stored, pending, alerts) => {
  const { parts, observed, state } = stageOf(stored)
  observed.push('a', 'b')
  await collectChanges(parts, state, 1000)
  expect(state.pending.clusters()).toEqual(pending)
  expect(state.collected).toEqual({ observations: 2, spans: 0, alerts })
  expect(state.storedPosition).toBe(stored)
})

test('of a joined name its cluster is pending, of observations and of spans', async () => {
  const { parts, observed, sent, state } = stageOf()
  observed.push('uid-a', 'b')
  sent.push('uid-a')
  await collectChanges(parts, state, 1000)
  expect([...state.pending.clusters()].sort()).toEqual(['a', 'b'])
})

test('of several processes each waits for its own clusters, and for those it gains; of others it tells the names', async () => {
  const { parts, observed, sent, state } = stageOf()
  const noted: string[] = []
  const gained = ['gained']
  const lease = (name: string) => (name === 'a' ? ({ kind: 'cluster', name, fence: 1 } as const) : undefined)
  const leases: ClusterLeases = {
    ...{ lease, heldOrLost: (name) => lease(name)!, takeGained: () => gained.splice(0), isFirst: false },
    note: (cluster) => noted.push(cluster),
  }
  observed.push('uid-a', 'b')
  sent.push('c')
  await collectChanges({ ...parts, leases }, state, 1000)
  expect([...state.pending.clusters()].sort()).toEqual(['a', 'gained'])
  expect(noted).toEqual(['b', 'c'])
  await collectChanges({ ...parts, leases }, state, 2000)
  expect(noted).toEqual(['b', 'c'])
})

test('of a joined name whose lease is gained its cluster is pending, in the process that derives the cluster', async () => {
  const { parts, state } = stageOf()
  const held = new Set(['uid-a', 'a'])
  const noted: string[] = []
  const gained: string[] = []
  const lease = (name: string) => (held.has(name) ? ({ kind: 'cluster', name, fence: 1 } as const) : undefined)
  const leases: ClusterLeases = {
    ...{ lease, heldOrLost: (name) => lease(name)!, takeGained: () => gained.splice(0), isFirst: true },
    note: (cluster) => noted.push(cluster),
  }
  gained.push('uid-a')
  const joins = { fails: true }
  const observations: ChangeStageParts['observations'] = {
    ...parts.observations,
    joins: () => (joins.fails ? Promise.reject(new Error('PostgreSQL is away')) : parts.observations.joins()),
  }
  await expect(collectChanges({ ...parts, observations, leases }, state, 1000)).rejects.toThrow('PostgreSQL is away')
  joins.fails = false
  await collectChanges({ ...parts, observations, leases }, state, 2000)
  expect(state.pending.take()).toEqual({ cluster: 'a', sinceMs: 2000 })
  expect([state.pending.clusters(), noted]).toEqual([[], []])

  held.delete('a')
  gained.push('uid-a')
  await collectChanges({ ...parts, observations, leases }, state, 3000)
  expect([state.pending.clusters(), noted]).toEqual([[], ['a']])
})
