import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import type { ClusterRecord, Modification, VersionInterval } from '../../../src/model/cluster-record.ts'
import {
  modificationKeyOf,
  upgradeKeyOf,
  type ClusterFacts,
  type UpgradeQuery,
} from '../../../src/model/fleet-facts.ts'
import type { ValueInterval } from '../../../src/model/cluster-value.ts'
import type { UpgradeRecord } from '../../../src/model/upgrade.ts'
import { factsChangeOf } from '../../../src/fleet/loop/merge-facts.ts'
import { emptyRecord } from '../../support/cluster-record.ts'
import { upgradeRecord } from '../../support/upgrade-record.ts'
import { NOW_MS } from '../temp-store.ts'
import { describeInBoth, type TestFacts } from './in-both.ts'
import { putFacts } from '../../support/put-facts.ts'

const HOUR_MS = 3_600_000

function clusterOf(cluster: string, more: Partial<ClusterRecord> = {}): ClusterRecord {
  return emptyRecord(cluster, {
    versions: { kubevirt: '1.7.0' },
    firstSeenMs: NOW_MS - HOUR_MS,
    lastSeenMs: NOW_MS,
    coverage: { objects: true, metrics: false, spans: false, kinds: [] },
    ...more,
  })
}

function upgradeOf(
  cluster: string,
  id: string,
  more: Partial<UpgradeRecord['upgrade']> = {},
  detail: Partial<UpgradeRecord['detail']> = {},
): UpgradeRecord {
  const startedMs = more.startedMs ?? NOW_MS - HOUR_MS
  const evidence = [{ source: 'objects' as const, atMs: NOW_MS, text: 'CSV "ü"\n', ref: 'a/b' }]
  return upgradeRecord(
    { id, cluster, startedMs, endedMs: startedMs + 900_000, evidence, ...more },
    { observedUntilMs: NOW_MS, ...detail },
  )
}

function intervalOf(cluster: string, version: string, fromMs: number, untilMs?: number): VersionInterval {
  return {
    cluster,
    operator: 'kubevirt-hyperconverged',
    version,
    fromMs,
    isStartKnown: true,
    ...(untilMs === undefined ? {} : { untilMs }),
    resolutionSeconds: 1,
  }
}

function modificationOf(cluster: string, id: string, more: Partial<Modification> = {}): Modification {
  return {
    id,
    cluster,
    kind: 'out_of_band',
    component: 'kubevirt',
    startedMs: NOW_MS - HOUR_MS,
    count: 1,
    text: 'edited',
    isUpgradeMode: false,
    resolutionSeconds: 30,
    ...more,
  }
}

function factsOf(cluster: string, more: Partial<ClusterFacts> = {}): ClusterFacts {
  return { cluster: clusterOf(cluster), intervals: [], upgrades: [], modifications: [], ...more }
}

describeInBoth('facts', (open) => {
  let facts: TestFacts
  beforeEach(async () => {
    facts = await open()
  })

  describe('facts of clusters', () => {
    test('come back as they were, after a restart and on the thread that reads', async () => {
      const written = factsOf('c1', {
        upgrades: [upgradeOf('c1', 'a', { startedMs: NOW_MS - 2 * HOUR_MS + 0.25 }), upgradeOf('c1', 'b')],
        intervals: [intervalOf('c1', '1.16.0', 1, 2), intervalOf('c1', '1.17.0', 2)],
        modifications: [modificationOf('c1', 'm', { operations: [{ op: 'add', path: '/a', value: { b: [1] } }] })],
      })
      await putFacts(facts.fleet, [written])
      for (const { fleet } of [await facts.reopened(), await facts.besides()]) {
        expect(await fleet.cluster('c1')).toEqual(written)
        expect(await fleet.clusters()).toEqual([written.cluster])
        expect(await fleet.upgrade('b')).toEqual(written.upgrades[1])
        expect(await fleet.upgrade('z')).toBeUndefined()
        expect(await fleet.cluster('z')).toBeUndefined()
      }
    })

    test('are replaced whole, and those of other clusters stay', async () => {
      const { fleet } = facts
      await putFacts(fleet, [factsOf('c2', { upgrades: [upgradeOf('c2', 'other')] })])
      await putFacts(fleet, [
        factsOf('c1', {
          upgrades: [upgradeOf('c1', 'a'), upgradeOf('c1', 'b')],
          intervals: [intervalOf('c1', '1', 1)],
          modifications: [modificationOf('c1', 'm')],
        }),
      ])
      const after = factsOf('c1', {
        upgrades: [upgradeOf('c1', 'b', { to: '1.18.0' })],
        intervals: [intervalOf('c1', '1', 0)],
      })
      await putFacts(fleet, [after])
      expect(await fleet.cluster('c1')).toEqual(after)
      expect((await fleet.cluster('c2'))?.upgrades).toHaveLength(1)
    })

    test('cost no commit when nothing is different', async () => {
      const { fleet, meta } = facts
      const written = [factsOf('c1', { upgrades: [upgradeOf('c1', 'a')] }), factsOf('c2')]
      expect(await putFacts(fleet, written)).toEqual(['c1', 'c2'])
      const before = await facts.commits()
      expect(await putFacts(fleet, written)).toEqual([])
      expect(await facts.commits()).toBe(before)
      expect(await putFacts(fleet, [factsOf('c1'), factsOf('c2')])).toEqual(['c1'])
      expect(await facts.commits()).not.toBe(before)
      await fleet.write({ changes: [], meta: [['facts position', '7']] })
      expect(await meta.get('facts position')).toBe('7')
    })

    test('and how far they are derived are written together, or neither is', async () => {
      const { fleet, meta } = facts
      const broken = { ...upgradeOf('c2', 'b'), upgrade: { ...upgradeOf('c2', 'b').upgrade, to: null as never } }
      const changes = [factsOf('c1'), factsOf('c2', { upgrades: [broken] })].map((facts) =>
        factsChangeOf(undefined, facts)!,
      )
      await expect(fleet.write({ changes, meta: [['facts position', '7']] })).rejects.toThrow('writing facts')
      expect(await fleet.cluster('c1')).toBeUndefined()
      expect(await meta.get('facts position')).toBeUndefined()
    })
  })

  describe('lists', () => {
    const SORTS: readonly UpgradeQuery['sort'][] = ['started', 'ended', 'cluster', 'duration']

    test('of upgrades give each once over pages of any size, in order', async () => {
      const { fleet } = facts
      // Ties and unknown times on purpose.
      const all = Array.from({ length: 40 }, (_, i) => {
        const cluster = `c${i % 7}`
        const { upgrade, detail } = upgradeOf(cluster, `u${i}`, { startedMs: NOW_MS - (i % 5) * HOUR_MS })
        const { startedMs, endedMs, ...rest } = upgrade
        if (i % 6 === 0) return { upgrade: rest, detail }
        if (i % 4 === 0) return { upgrade: { ...rest, startedMs: startedMs! }, detail }
        return { upgrade: { ...rest, startedMs: startedMs!, endedMs: endedMs! + (i % 3) }, detail }
      })
      const clusters = [...new Set(all.map(({ upgrade }) => upgrade.cluster))]
      await putFacts(
        fleet,
        clusters.map((cluster) =>
          factsOf(cluster, { upgrades: all.filter(({ upgrade }) => upgrade.cluster === cluster) }),
        ),
      )
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...SORTS),
          fc.boolean(),
          fc.integer({ min: 1, max: 45 }),
          async (sort, isDescending, limit) => {
            const ids: string[] = []
            const keys: (string | number)[] = []
            for (let after: UpgradeQuery['after'] | undefined; ;) {
              const page = await fleet.upgrades({
                sort,
                isDescending,
                limit,
                ...(after === undefined ? {} : { after }),
              })
              for (const { upgrade } of page) {
                ids.push(upgrade.id)
                keys.push(upgradeKeyOf(upgrade, sort))
              }
              const last = page.at(-1)
              if (last === undefined || page.length < limit) break
              after = { key: upgradeKeyOf(last.upgrade, sort), id: last.upgrade.id }
            }
            expect(new Set(ids).size).toBe(all.length)
            expect(ids).toHaveLength(all.length)
            const sorted = keys.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
            expect(keys).toEqual(isDescending ? sorted.reverse() : sorted)
          },
        ),
        { numRuns: 20 },
      )
    })

    test('of upgrades are filtered by what is asked', async () => {
      const { fleet } = facts
      const running = upgradeOf('c1', 'running', { state: 'in_progress', to: '1.18.0', startedMs: NOW_MS })
      const followed = upgradeOf('c1', 'followed', {
        phases: [{ name: 'workloads', state: 'in_progress', resolutionSeconds: 1, isReconstructed: false }],
      })
      const platform = upgradeOf('c2', 'platform', {
        operator: 'openshift',
        state: 'failed',
        from: '4.19.1',
        to: '4.20.0',
      })
      await putFacts(fleet, [factsOf('c1', { upgrades: [running, followed] }), factsOf('c2', { upgrades: [platform] })])
      const ids = async (more: Partial<UpgradeQuery>): Promise<string> =>
        (await fleet.upgrades({ sort: 'started', isDescending: false, limit: 10, ...more }))
          .map(({ upgrade }) => upgrade.id)
          .sort()
          .join(' ')
      expect(await ids({})).toBe('followed platform running')
      expect(await ids({ cluster: 'c1' })).toBe('followed running')
      expect(await ids({ operator: 'openshift' })).toBe('platform')
      expect(await ids({ from: '4.19.1' })).toBe('platform')
      expect(await ids({ to: '1.18.0' })).toBe('running')
      expect(await ids({ states: ['failed', 'in_progress'] })).toBe('platform running')
      expect(await ids({ states: [] })).toBe('')
      expect(await ids({ fromMs: NOW_MS })).toBe('running')
      expect(await ids({ toMs: NOW_MS - 1 })).toBe('followed platform')
    })

    test('of modifications are newest first, and know which still stand', async () => {
      const { fleet } = facts
      const edits = [1, 2, 3].map((i) => modificationOf('c1', `e${i}`, { startedMs: NOW_MS - i }))
      const { startedMs, ...rest } = modificationOf('c1', 'p', { kind: 'jsonpatch', component: 'cdi' })
      expect(startedMs).toBeDefined()
      await putFacts(fleet, [factsOf('c1', { modifications: [...edits, rest] })])
      const first = await fleet.modifications({ limit: 2 })
      expect(first.map(({ id }) => id)).toEqual(['e1', 'e2'])
      const last = first.at(-1)!
      const second = await fleet.modifications({ limit: 9, after: { key: modificationKeyOf(last), id: last.id } })
      expect(second.map(({ id }) => id)).toEqual(['e3', 'p'])
      const ids = async (more: object): Promise<readonly string[]> =>
        (await fleet.modifications({ limit: 9, ...more })).map(({ id }) => id)
      expect(await ids({ isOpen: true })).toEqual(['p'])
      expect(await ids({ isOpen: false, fromMs: NOW_MS - 2 })).toEqual(['e1', 'e2'])
      expect(await ids({ kind: 'jsonpatch', component: 'cdi', cluster: 'c1' })).toEqual(['p'])
      expect(await ids({ cluster: 'c2' })).toEqual([])
    })
  })

  test('past values of a cluster are one row, which a change replaces and an empty list removes', async () => {
    const { fleet } = facts
    const values: readonly ValueInterval[] = [
      {
        key: 'condition/Available',
        fromMs: NOW_MS - 9,
        untilMs: NOW_MS - 3,
        value: { status: 'True', message: 'ü "\n' },
      },
      { key: 'condition/Available', fromMs: NOW_MS - 3, value: { status: 'False' } },
      { key: 'isTainted', fromMs: 0, value: false },
    ]
    const none = { removed: [], put: [] }
    const change = (cluster: string, some?: readonly ValueInterval[]) => ({
      ...{ cluster, upgrades: none, intervals: none, modifications: none },
      ...(some === undefined ? {} : { values: some }),
    })
    await fleet.write({ changes: [change('a', values), change('b', values.slice(2)), change('c')], meta: [] })
    expect(await fleet.values(['a', 'b', 'c', 'd'])).toEqual(
      new Map([
        ['a', values],
        ['b', values.slice(2)],
      ]),
    )
    expect(await fleet.values(['b'])).toEqual(new Map([['b', values.slice(2)]]))
    expect(await fleet.values([])).toEqual(new Map())
    // Absent: unchanged.
    await fleet.write({ changes: [change('a'), change('b', [])], meta: [] })
    expect([...(await fleet.values(['a', 'b'])).keys()]).toEqual(['a'])
    await fleet.write({ changes: [change('a', values.slice(0, 1))], meta: [] })
    expect(await fleet.values(['a'])).toEqual(new Map([['a', values.slice(0, 1)]]))
  })
})
