import { expect, test } from 'vitest'
import { factsChangeOf } from '../../../src/fleet/loop/merge-facts.ts'
import type { VersionInterval } from '../../../src/model/cluster-record.ts'
import type { ClusterFacts } from '../../../src/model/fleet-facts.ts'
import { emptyRecord } from '../../support/cluster-record.ts'
import { upgradeRecord } from '../../support/upgrade-record.ts'

const interval: VersionInterval = {
  cluster: 'c1',
  operator: 'cdi',
  version: '1.60.0',
  fromMs: 5,
  isStartKnown: true,
  untilMs: 9,
  resolutionSeconds: 1,
}
const stored: ClusterFacts = {
  cluster: emptyRecord('c1'),
  upgrades: [
    upgradeRecord({ id: 'a', cluster: 'c1' }, { observedUntilMs: 8 }),
    upgradeRecord({ id: 'b', cluster: 'c1' }, { observedUntilMs: 8 }),
  ],
  intervals: [interval],
  modifications: [],
}
const NOTHING = { removed: [], put: [] }

test('equal facts change nothing, whatever the order of lists and of the properties of an interval', () => {
  const { untilMs, ...rest } = interval
  const after = { ...stored, upgrades: stored.upgrades.toReversed(), intervals: [{ untilMs: untilMs!, ...rest }] }
  expect(factsChangeOf(stored, after)).toBeUndefined()
})

test('a first derivation puts everything', () => {
  expect(factsChangeOf(undefined, stored)).toEqual({
    cluster: 'c1',
    record: stored.cluster,
    upgrades: { removed: [], put: stored.upgrades },
    intervals: { removed: [], put: stored.intervals },
    modifications: NOTHING,
  })
})

test('only what is different is put, and what is no more is removed', () => {
  const [a] = stored.upgrades
  const ended = upgradeRecord({ id: 'b', cluster: 'c1', endedMs: 7 }, { observedUntilMs: 8 })
  const moved = { ...interval, fromMs: 4 }
  expect(factsChangeOf(stored, { ...stored, upgrades: [a!, ended], intervals: [moved] })).toEqual({
    cluster: 'c1',
    upgrades: { removed: [], put: [ended] },
    intervals: { removed: [interval], put: [moved] },
    modifications: NOTHING,
  })
  expect(factsChangeOf(stored, { ...stored, upgrades: [ended] })?.upgrades).toEqual({ removed: [a], put: [ended] })
})
