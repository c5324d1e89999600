import { expect, test } from 'vitest'
import { createFleetChangeWatch } from '../../../src/fleet/loop/change-watch.ts'
import type { ClusterFacts } from '../../../src/model/fleet-facts.ts'
import type { UpgradeRecord } from '../../../src/model/upgrade.ts'
import { emptyRecord } from '../../support/cluster-record.ts'
import { asKnownAt } from '../../support/upgrade-record.ts'

const factsOf = (...upgrades: readonly UpgradeRecord[]): ClusterFacts => ({
  cluster: emptyRecord('lab-east-1'),
  upgrades,
  intervals: [],
  modifications: [],
})
const COVERAGE = { clusters: 3, withObjects: 3, withMetrics: 3, withSpans: 0, silent: 0, gone: 0, unknown: 0 }

test.each<readonly [string, ClusterFacts | undefined, ClusterFacts, readonly string[]]>([
  ['a first cluster', undefined, factsOf(), ['clusters']],
  ['an upgrade that begins', factsOf(), factsOf(asKnownAt(30)), ['clusters', 'upgrades']],
  ['one that gets further', factsOf(asKnownAt(30)), factsOf(asKnownAt(120)), ['clusters', 'upgrades']],
  ['one that ends', factsOf(asKnownAt(120)), factsOf(asKnownAt(2000)), ['clusters', 'upgrades']],
  ['one that is long over', factsOf(asKnownAt(2000)), factsOf(asKnownAt(2000)), ['clusters']],
])('%s changes what it should', (_what, before, after, topics) => {
  const watch = createFleetChangeWatch()
  watch.derived(before, after)
  expect(watch.take()).toEqual(topics)
  expect(watch.take()).toEqual([])
})

test('what the clock alone changes is told, and how the fleet stood at first is no news', () => {
  const watch = createFleetChangeWatch()
  const told = (silent: number, isStuck: boolean): readonly string[] => {
    watch.update({ ...COVERAGE, silent, newestMs: Math.random() }, [{ upgradeId: 'a1b2c3', isStuck, causes: [] }])
    return watch.take()
  }
  expect([told(0, false), told(0, false), told(1, false), told(1, true), told(0, false)]).toEqual([
    [],
    [],
    ['clusters'],
    ['upgrades'],
    ['clusters', 'upgrades'],
  ])
})

test('that all is worked in is told once', () => {
  const watch = createFleetChangeWatch()
  const told = [3, 1, 0, 0, 2, 0].map((count) => {
    watch.setPending(count)
    return watch.take().join(' ')
  })
  expect(told).toEqual(['', '', 'clusters', '', '', 'clusters'])
})
