import { expect, test } from 'vitest'
import { ClusterRegistry, type ClaimingSender } from '../../src/ingest/cluster-registry.ts'
import type { ClusterClaim, ClusterJoin } from '../../src/model/cluster-claim.ts'

const [U1, U2, U3] = [1, 2, 3].map((n) => `6f3c1d52-9f0e-4c1b-8a53-0d6c5a1e7b1${n}`) as [string, string, string]
const [ID1, ID2] = [1, 2].map((n) => `2c0d4e9a-5b77-4d0c-9c55-8f1e2a3b4c5${n}`) as [string, string]
const HOUR_MS = 3_600_000
const NOW_MS = 1_787_220_000_000

/** A registry over what would be stored, and a clock. */
function registryOf(claimsMax = 1000, clustersMax = 1000) {
  const claims = new Map<string, ClusterClaim>()
  const joins = new Map<string, ClusterJoin>()
  const clusters = new Set<string>()
  const key = ({ cluster, name }: ClusterClaim): string => JSON.stringify([cluster, name])
  const sink = {
    putClaims: (some: readonly ClusterClaim[]) => {
      for (const claim of some) claims.set(key(claim), claim)
    },
    removeClaims: (some: readonly ClusterClaim[]) => {
      for (const claim of some) claims.delete(key(claim))
    },
    putJoins: (some: readonly ClusterJoin[]) => {
      for (const join of some) joins.set(join.name, join)
    },
  }
  const open = (): ClusterRegistry => {
    const stored = { claims: [...claims.values()], joins: [...joins.values()], clusters: [...clusters] }
    return new ClusterRegistry({ releaseAfterMs: 24 * HOUR_MS, claimsMax, clustersMax }, () => 0, sink, stored)
  }
  const state = { registry: open(), nowMs: NOW_MS }
  const admit = (sender: ClaimingSender): string => {
    const admitted = state.registry.admit(sender, state.nowMs)
    if ('reason' in admitted) return `${admitted.reason}: ${admitted.example}`
    clusters.add(admitted.cluster)
    return admitted.cluster
  }
  return {
    state,
    admit,
    restart: () => {
      state.registry = open()
    },
    /** Of an unbound sender that names its cluster: the cluster under which its data is stored, or the refusal. */
    sends: (cluster: string, uid?: string, id?: string) => admit({ cluster, isBound: false, names: namesOf(uid, id) }),
    /** Of a sender whose token is bound to the cluster. */
    bound: (cluster: string, uid?: string, id?: string, name?: string) =>
      admit({ cluster, isBound: true, names: [...namesOf(uid, id), ...(name === undefined ? [] : [named(name)])] }),
    /** Of objects without a cluster: they go to the uid. */
    objects: (uid: string, name?: string, id?: string) =>
      admit({
        ...{ cluster: uid, clusterKind: 'uid', isBound: false },
        names: [...namesOf(undefined, id), ...(name === undefined ? [] : [named(name)])],
      }),
    /** Of metrics with nothing but OpenShift's id. */
    metrics: (id: string) => admit({ cluster: id, clusterKind: 'id', isBound: false, names: [] }),
    refused: () =>
      [...claims.values()]
        .filter(({ refusal }) => refusal !== undefined)
        .map(({ cluster, name, refusal }) => `${cluster} ${name} ${refusal ?? ''}`)
        .sort(),
    claim: (cluster: string, name: string) => claims.get(JSON.stringify([cluster, name])),
    joins: () => Object.fromEntries([...joins.values()].map(({ name, into }) => [name, into])),
  }
}

const madeUp = (i: number): string => `6f3c1d52-0000-4c1b-8a53-0d6c5a1e7b${String(i).padStart(2, '0')}`

function named(name: string): ClaimingSender['names'][number] {
  return { name, kind: 'name' }
}

function namesOf(uid?: string, id?: string): ClaimingSender['names'] {
  return [
    ...(uid === undefined ? [] : [{ name: uid, kind: 'uid' as const }]),
    ...(id === undefined ? [] : [{ name: id, kind: 'id' as const }]),
  ]
}

test('objects by uid and metrics by name are one cluster once a sender gives both, in any order', () => {
  const first = registryOf()
  expect([first.objects(U1), first.sends('lab'), first.objects(U1)]).toEqual([U1, 'lab', U1])
  expect(first.sends('lab', U1)).toBe('lab')
  expect([first.objects(U1), first.joins()]).toEqual(['lab', { [U1]: 'lab' }])
  first.restart()
  expect([first.state.registry.isStale, first.objects(U1)]).toEqual([false, 'lab'])

  const other = registryOf()
  expect([other.sends('lab', U1), other.objects(U1)]).toEqual(['lab', 'lab'])

  const byName = registryOf()
  expect([byName.objects(U1, 'lab'), byName.sends('lab'), byName.objects(U1, 'lab')]).toEqual([U1, 'lab', 'lab'])
})

test('a name without data gives no name to what is stored; OpenShift tells that its id is the cluster with the uid', () => {
  const registry = registryOf()
  expect([registry.metrics(ID1), registry.objects(U1, undefined, ID1)]).toEqual([ID1, U1])
  expect([registry.metrics(ID1), registry.joins()[ID1]]).toEqual([U1, U1])
  expect(registry.sends('lab', undefined, ID1)).toBe('lab')
  expect([registry.metrics(ID1), registry.objects(U1), registry.state.registry.isStale]).toEqual(['lab', 'lab', true])
})

test('a second uid or id under one name is refused, also after a restart, and with a copied token', () => {
  const registry = registryOf()
  expect(registry.sends('lab', U1, ID1)).toBe('lab')
  const refusal = `cluster_conflict: got uid of kube-system "${U2}" for cluster "lab", which has "${U1}": two clusters send the same name`
  expect(registry.sends('lab', U2)).toBe(refusal)
  expect(registry.sends('lab', undefined, ID2)).toMatch(/^cluster_conflict: got cluster ID of OpenShift/)
  registry.restart()
  expect([registry.sends('lab', U2), registry.sends('lab', U1)]).toEqual([refusal, 'lab'])
  expect(registry.refused()).toEqual([`lab ${ID2} other_identity`, `lab ${U2} other_identity`].sort())
  expect(registry.state.registry.refused.other_identity).toBe(1)
  // Stored under its uid it is a cluster of its own.
  expect(registry.objects(U2, 'lab')).toBe(U2)

  const copied = registryOf()
  expect([copied.bound('prague', U1), copied.bound('prague')]).toEqual(['prague', 'prague'])
  expect(copied.bound('prague', U2)).toMatch(/^cluster_conflict/)
})

test('one uid under two names joins neither with the other: the first has it, and the other is told', () => {
  const registry = registryOf()
  expect([registry.sends('lab', U1), registry.sends('berlin', U1)]).toEqual(['lab', 'berlin'])
  expect([registry.objects(U1), registry.refused()]).toEqual(['lab', [`berlin ${U1} taken`]])
})

test('a bound sender takes over nothing: neither what is stored under a name, nor a name that another one has', () => {
  const registry = registryOf()
  expect([registry.objects(U1), registry.bound('evil', U1), registry.objects(U1)]).toEqual([U1, 'evil', U1])
  expect([registry.sends('lab-east-1'), registry.metrics(ID1)]).toEqual(['lab-east-1', ID1])
  expect(registry.bound('a', undefined, ID1, 'lab-east-1')).toBe('a')
  expect([registry.metrics(ID1), registry.sends('lab-east-1')]).toEqual([ID1, 'lab-east-1'])
  expect(registry.refused()).toEqual([`a ${ID1} taken`, 'a lab-east-1 taken', `evil ${U1} taken`].sort())
})

test('who squats a name loses it to whom it joins, and two bound senders that claim one have it neither', () => {
  const registry = registryOf()
  expect(registry.bound('evil', U1)).toBe('evil')
  expect(registry.refused()).toEqual([])
  expect([registry.sends('lab', U1), registry.objects(U1)]).toEqual(['lab', 'lab'])
  expect(registry.refused()).toEqual([`evil ${U1} taken`])
  expect([registry.bound('b', U2), registry.bound('c', U2)]).toEqual(['b', 'c'])
  expect(registry.refused()).toEqual([`b ${U2} taken`, `c ${U2} taken`, `evil ${U1} taken`])
  expect([registry.bound('b', U2), registry.bound('c', U2), registry.bound('evil', U1)]).toEqual(['b', 'c', 'evil'])
  expect(registry.refused()).toHaveLength(3)
})

test('what a token is bound to stays a cluster of its own', () => {
  const registry = registryOf()
  expect([registry.bound(U1), registry.sends('lab', U1), registry.bound(U1)]).toEqual([U1, 'lab', U1])
  expect(registry.refused()).toEqual([`lab ${U1} taken`])
  const joined = registryOf()
  expect([joined.sends('lab', U1), joined.objects(U1)]).toEqual(['lab', 'lab'])
  expect([joined.bound(U1), joined.objects(U1), joined.refused()]).toEqual([U1, U1, [`lab ${U1} taken`]])
})

test('a uid that was not reported for a day is free, and no refusal lasts for good', () => {
  const registry = registryOf()
  const { state } = registry
  const before = state.nowMs - (state.nowMs % 600_000)
  registry.sends('lab', U1)
  registry.objects(U1)
  expect(registry.sends('lab', U2)).toMatch(/^cluster_conflict/)
  state.registry.isStale = false
  state.nowMs = before + 12 * HOUR_MS
  expect([registry.sends('lab', U2), state.registry.isStale]).toEqual([
    expect.stringMatching(/^cluster_conflict/),
    false,
  ])
  // Series that are known are to be recognised again: perhaps they still come.
  state.nowMs += 1
  expect([registry.sends('lab', U2), state.registry.isStale]).toEqual([
    expect.stringMatching(/^cluster_conflict/),
    true,
  ])
  state.nowMs = before + 24 * HOUR_MS
  expect(registry.sends('lab', U2)).toMatch(/^cluster_conflict/)
  state.nowMs += 1
  expect(registry.sends('lab', U2)).toBe('lab')
  expect([registry.objects(U2), registry.objects(U1), registry.refused()]).toEqual(['lab', U1, []])
  expect(registry.sends('lab', U1)).toMatch(/^cluster_conflict/)
})

test('a uid that is reported stays; a claim is stored again once an hour, a refused one each ten minutes', () => {
  const registry = registryOf()
  const { state } = registry
  state.nowMs -= state.nowMs % 600_000
  const fromMs = state.nowMs
  registry.sends('lab', U1)
  registry.sends('lab', U2)
  state.nowMs = fromMs + HOUR_MS - 1
  registry.sends('lab', U1)
  registry.sends('lab', U2)
  expect(registry.claim('lab', U1)).toMatchObject({ firstMs: fromMs, lastMs: fromMs })
  expect(registry.claim('lab', U2)).toMatchObject({ firstMs: fromMs, lastMs: fromMs + 50 * 60_000 })
  state.nowMs = fromMs + HOUR_MS
  registry.sends('lab', U1)
  expect(registry.claim('lab', U1)).toMatchObject({ lastMs: fromMs + HOUR_MS })
  registry.sends('lab', U2)
  expect(registry.claim('lab', U2)).toMatchObject({ lastMs: fromMs + HOUR_MS })
  state.nowMs = fromMs + 24 * HOUR_MS + 1
  expect(registry.sends('lab', U2)).toMatch(/^cluster_conflict/)
})

test('a name that was taken is given when its cluster has not claimed it for a day', () => {
  const registry = registryOf()
  registry.sends('lab', U1)
  registry.sends('berlin', U1)
  registry.state.nowMs += 25 * HOUR_MS
  expect([registry.sends('berlin', U1), registry.objects(U1), registry.refused()]).toEqual(['berlin', 'berlin', []])
})

test('a sender that makes up names fills no table, and does not hide that it is another cluster', () => {
  const registry = registryOf()
  registry.bound('lab', U1)
  for (let i = 0; i < 30; i++) registry.bound('lab', undefined, undefined, `made-up-${i}`)
  expect(registry.state.registry.counts.claims).toBe(16)
  expect(registry.state.registry.refused.too_many).toBe(16)
  expect(registry.bound('lab', U3)).toMatch(/^cluster_conflict/)
  expect(registry.bound('lab', U1)).toBe('lab')
})

test('whoever is bound to a cluster knows its uid, also when another sender named another one first', () => {
  const registry = registryOf()
  expect([registry.sends('lab', U2), registry.objects(U2)]).toEqual(['lab', 'lab'])
  for (let i = 0; i < 30; i++) registry.sends('lab', madeUp(i))
  expect(registry.bound('lab', U1)).toBe('lab')
  expect([registry.objects(U2), registry.refused()]).toEqual([U2, expect.arrayContaining([`lab ${U2} other_identity`])])
  // Nor does a sender that is not bound and claims the same make the claim weaker.
  expect(registry.sends('lab', U1)).toBe('lab')
  registry.restart()
  expect(registry.sends('lab', U2)).toMatch(/^cluster_conflict/)
  expect([registry.bound('lab', U1), registry.objects(U1), registry.objects(U2)]).toEqual(['lab', 'lab', U2])
  // Of two that are bound to it, the first.
  expect(registry.bound('lab', U3)).toMatch(/^cluster_conflict/)
})

test('what a bound sender claimed stays its claim when an unbound one makes it stronger', () => {
  const { admit, bound, sends, restart, state } = registryOf()
  expect(admit({ cluster: 'c', isBound: false, names: [{ name: U2, kind: 'uid' }] })).toBe('c')
  state.nowMs += HOUR_MS
  expect(bound('c', U1)).toBe('c')
  sends('c', U1)
  restart()
  expect(sends('c', U2)).toMatch(/^cluster_conflict: /)
  expect(bound('c', U1)).toBe('c')
})

test('a name and a uid with different ids of OpenShift are not joined', () => {
  const { sends, objects, refused } = registryOf()
  expect([objects(U1, undefined, ID1), sends('b', undefined, ID2)]).toEqual([U1, 'b'])
  expect(sends('b', U1)).toBe('b')
  expect([refused(), objects(U1)]).toEqual([[`b ${U1} taken`], U1])
})

test('a name of another cluster is no alias, also when no data is stored under it', () => {
  const { bound, objects, refused } = registryOf()
  expect(objects(U1, 'lab')).toBe(U1)
  expect(bound('x', undefined, undefined, 'lab')).toBe('x')
  expect(refused()).toEqual(['x lab taken'])
})

test('of a sender that shows another uid, no other name is taken for one of the cluster', () => {
  const registry = registryOf()
  registry.sends('lab', U1)
  registry.metrics(ID2)
  const names = namesOf(U2, ID2).toReversed()
  expect(registry.admit({ cluster: 'lab', isBound: false, names })).toMatch(/^cluster_conflict: got uid/)
  expect([registry.metrics(ID2), registry.sends('lab', U1, ID1)]).toEqual([ID2, 'lab'])
})

test('the uid of another cluster says nothing about one, so its own is accepted later', () => {
  const registry = registryOf()
  expect([registry.sends('lab', U1), registry.sends('berlin', U1), registry.sends('berlin', U2)]).toEqual([
    ...['lab', 'berlin', 'berlin'],
  ])
  expect(registry.sends('berlin', U1)).toMatch(/^cluster_conflict/)
  expect([registry.objects(U2), registry.objects(U1)]).toEqual(['berlin', 'lab'])
})

test('a token bound to a uid is remembered, whoever else sends under the uid', () => {
  const registry = registryOf()
  expect([registry.bound(U1), registry.objects(U1)]).toEqual([U1, U1])
  registry.restart()
  expect([registry.sends('lab', U1), registry.objects(U1)]).toEqual(['lab', U1])
  expect(registry.refused()).toEqual([`lab ${U1} taken`])
})

test('all that is free is released at once, and at most once a minute', () => {
  const registry = registryOf()
  const { state } = registry
  for (const name of ['a', 'b']) registry.sends(name, madeUp(name === 'a' ? 1 : 2))
  registry.sends('b', madeUp(4))
  state.nowMs += 24 * HOUR_MS + 600_000
  registry.sends('c', madeUp(3))
  expect(registry.sends('a', madeUp(5))).toBe('a')
  expect(registry.sends('b', madeUp(4))).toBe('b')
  state.nowMs += 1
  registry.sends('d', madeUp(6))
  registry.state.nowMs += 25 * HOUR_MS
  expect(registry.sends('a', madeUp(7))).toBe('a')
  state.nowMs += 59_999
  expect(registry.sends('d', madeUp(8))).toMatch(/^cluster_conflict/)
  state.nowMs += 1
  expect(registry.sends('d', madeUp(8))).toBe('d')
})

test('of two that claimed one name, the one that claims it again after a day has it', () => {
  const registry = registryOf()
  expect([registry.bound('b', U2), registry.bound('c', U2), registry.refused().length]).toEqual(['b', 'c', 2])
  registry.state.nowMs += 25 * HOUR_MS
  expect([registry.bound('c', U2), registry.refused()]).toEqual(['c', []])
  expect([registry.claim('b', U2), registry.state.registry.counts.claims]).toEqual([undefined, 3])
})

test('known series are recognised again for a refused claim once an hour', () => {
  const registry = registryOf()
  const { state } = registry
  registry.sends('lab', U1)
  state.nowMs += 13 * HOUR_MS
  const isStaleAfter = (ms: number): boolean => {
    state.registry.isStale = false
    state.nowMs += ms
    registry.sends('lab', U2)
    return state.registry.isStale
  }
  expect([isStaleAfter(0), isStaleAfter(HOUR_MS - 1), isStaleAfter(1)]).toEqual([true, false, true])
})

test('there are at most so many names; the data of clusters without is accepted', () => {
  const registry = registryOf(2)
  expect([registry.sends('a', U1), registry.sends('b', U2), registry.sends('c', U3)]).toEqual(['a', 'b', 'c'])
  expect([registry.objects(U3), registry.objects(U2), registry.state.registry.counts.claims]).toEqual([U3, 'b', 2])
})

test('beyond the limit of clusters data is accepted and counted, and a name with data is free for others', () => {
  const registry = registryOf(1000, 2)
  const counted = (): number => registry.state.registry.refused.too_many_clusters
  expect([registry.sends('a'), registry.sends('b'), counted()]).toEqual(['a', 'b', 0])
  expect([registry.sends('c'), registry.sends('c'), registry.sends('a'), counted()]).toEqual(['c', 'c', 'a', 2])
  expect(registry.bound('a', undefined, undefined, 'b')).toBe('a')
  expect(registry.bound('a', undefined, undefined, 'c')).toBe('a')
  expect(registry.refused()).toEqual(['a b taken'])
})
