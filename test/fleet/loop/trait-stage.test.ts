import { expect, test } from 'vitest'
import { createFleetIndex } from '../../../src/fleet/clusters/fleet-index.ts'
import type { ClusterTraits } from '../../../src/fleet/clusters/cluster-traits.ts'
import { StartedCycle } from '../../../src/fleet/loop/loop-cycle.ts'
import { TraitStage } from '../../../src/fleet/loop/trait-stage.ts'
import { MINUTE_MS, NOW_MS } from '../../store/temp-store.ts'
import { emptyRecord } from '../../support/cluster-record.ts'

/** A fleet whose metrics describe clusters at some times, and which asks are made. */
function stageOf(joins: Readonly<Record<string, string>> = {}) {
  const index = createFleetIndex()
  const asks: string[] = []
  const traits = new Map<string, ClusterTraits>()
  let failing: string | undefined
  const stage = new TraitStage({
    observations: { joins: () => Promise.resolve(new Map(Object.entries(joins))) },
    traitsAt: (timeMs, names) => {
      asks.push(`${names?.join('+') ?? 'all'} at ${(timeMs - NOW_MS) / MINUTE_MS}`)
      if (failing !== undefined && names?.includes(failing) === true) return Promise.reject(new Error('no disk'))
      return Promise.resolve(
        new Map([...traits].filter(([name]) => names?.includes(name) ?? !name.startsWith('silent'))),
      )
    },
  })
  return {
    index,
    traits,
    put: (cluster: string) => {
      index.put({ cluster: emptyRecord(cluster), upgrades: [], intervals: [], modifications: [] })
    },
    fail: (cluster: string | undefined) => {
      failing = cluster
    },
    run: async (atMin: number) => {
      const cycle = new StartedCycle(NOW_MS + atMin * MINUTE_MS, () => 0)
      await stage.run(index, cycle)
      return { asks: asks.splice(0), failures: cycle.failures }
    },
    regions: () => index.records().map(({ cluster, region }) => `${cluster} ${region}`),
  }
}

test('a cluster that was silent at the start is described as of its newest sample, once', async () => {
  const { index, traits, put, run, regions } = stageOf()
  put('a')
  put('silent')
  put('unseen')
  index.markSeen('a', { metricsMs: NOW_MS })
  index.markSeen('silent', { metricsMs: NOW_MS - 60 * MINUTE_MS })
  index.markSeen('unseen', { objectsMs: NOW_MS })
  traits.set('a', { region: 'eu' }).set('silent', { region: 'us' })
  expect((await run(0)).asks).toEqual(['all at 0', 'silent at -60'])
  expect(regions()).toEqual(['a eu', 'silent us', 'unseen undefined'])
  expect((await run(1)).asks).toEqual([])
  expect((await run(5)).asks).toEqual(['all at 5'])
  expect(regions()).toEqual(['a eu', 'silent us', 'unseen undefined'])
})

test('a new cluster is described in the next cycle, and again after it was removed', async () => {
  const { index, traits, put, run, regions } = stageOf()
  await run(0)
  put('silent-a')
  traits.set('silent-a', { region: 'eu' })
  index.markSeen('silent-a', { metricsMs: NOW_MS + MINUTE_MS })
  expect((await run(1)).asks).toEqual(['silent-a at 1'])
  expect(regions()).toEqual(['silent-a eu'])
  index.remove('silent-a')
  await run(5)
  put('silent-a')
  index.markSeen('silent-a', { metricsMs: NOW_MS + 6 * MINUTE_MS })
  expect((await run(6)).asks).toEqual(['silent-a at 6'])
  expect(regions()).toEqual(['silent-a eu'])
})

test('metrics under a joined name describe the cluster; its own name takes precedence', async () => {
  const { index, traits, put, run } = stageOf({ 'uid-a': 'a', 'silent-b': 'b' })
  put('a')
  put('b')
  traits.set('uid-a', { region: 'us', provider: 'aws' }).set('a', { region: 'eu' }).set('silent-b', { region: 'ap' })
  index.markSeen('a', { metricsMs: NOW_MS })
  index.markSeen('b', { metricsMs: NOW_MS - MINUTE_MS })
  expect((await run(0)).asks).toEqual(['all at 0', 'b+silent-b at -1'])
  expect(index.recordOf('a')).toMatchObject({ region: 'eu', provider: 'aws' })
  expect(index.recordOf('b')).toMatchObject({ region: 'ap' })
})

test('a failure for one cluster does not stop the others, and is tried again', async () => {
  const { index, put, run, fail } = stageOf()
  for (const cluster of ['a', 'b']) {
    put(cluster)
    index.markSeen(cluster, { metricsMs: NOW_MS })
  }
  fail('a')
  const first = await run(0)
  expect(first.asks).toEqual(['all at 0', 'a at 0', 'b at 0'])
  expect(first.failures).toEqual([{ subject: 'a', error: 'no disk' }])
  fail(undefined)
  expect(await run(1)).toEqual({ asks: ['a at 0'], failures: [] })
})
