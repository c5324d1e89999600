import { expect, test } from 'vitest'
import { mergeFacts, removalOf, withFactsOf } from '../../../src/fleet/loop/merge-facts.ts'
import type { Modification, VersionInterval } from '../../../src/model/cluster-record.ts'
import type { ClusterFacts } from '../../../src/model/fleet-facts.ts'
import type { UpgradeRecord } from '../../../src/model/upgrade.ts'
import { emptyRecord } from '../../support/cluster-record.ts'
import { upgradeRecord } from '../../support/upgrade-record.ts'

const HOUR_MS = 3_600_000
/** Evidence of what was before has expired. */
const FROM_MS = 400 * 24 * HOUR_MS
const OLD_MS = FROM_MS - 100 * 24 * HOUR_MS
const NEW_MS = FROM_MS + 100 * 24 * HOUR_MS

const facts = (more: Partial<ClusterFacts>): ClusterFacts => ({
  cluster: emptyRecord('c1'),
  upgrades: [],
  intervals: [],
  modifications: [],
  ...more,
})
const upgrade = (id: string, startedMs: number, more: Partial<UpgradeRecord['upgrade']> = {}): UpgradeRecord =>
  upgradeRecord({ id, cluster: 'c1', startedMs, endedMs: startedMs + HOUR_MS, ...more }, { observedUntilMs: NEW_MS })
const interval = (version: string, fromMs: number, untilMs?: number, isStartKnown = true): VersionInterval => ({
  cluster: 'c1',
  operator: 'kubevirt-hyperconverged',
  version,
  fromMs,
  isStartKnown,
  ...(untilMs === undefined ? {} : { untilMs }),
  resolutionSeconds: 1,
})
const modification = (id: string, more: Partial<Modification>): Modification => ({
  id,
  cluster: 'c1',
  kind: 'out_of_band',
  component: 'kubevirt',
  count: 1,
  text: 'edited',
  isUpgradeMode: false,
  resolutionSeconds: 30,
  ...more,
})
const ids = (merged: ClusterFacts): string => merged.upgrades.map(({ upgrade }) => upgrade.id).join(' ')

test('facts of a first derivation are those derived, in the order in which they are read', () => {
  const derived = facts({
    upgrades: [upgrade('b', NEW_MS), upgrade('a', NEW_MS), upgrade('c', OLD_MS)],
    intervals: [interval('1.17.0', NEW_MS), interval('1.16.0', OLD_MS, NEW_MS)],
    modifications: [modification('m', { startedMs: NEW_MS }), modification('n', {})],
  })
  const merged = mergeFacts(undefined, derived, FROM_MS)
  expect(ids(merged)).toBe('c a b')
  expect(merged.intervals.map(({ version }) => version)).toEqual(['1.16.0', '1.17.0'])
  expect(merged.modifications.map(({ id }) => id)).toEqual(['n', 'm'])
  expect(mergeFacts(merged, derived, FROM_MS)).toEqual(merged)
})

test('of what ended before the evidence begins the stored facts stay, from then on the derived ones are all', () => {
  const stored = facts({
    upgrades: [upgrade('old', OLD_MS), upgrade('wrong', NEW_MS)],
    modifications: [modification('m-old', { startedMs: OLD_MS }), modification('m-wrong', { startedMs: NEW_MS })],
  })
  const derived = facts({
    cluster: emptyRecord('c1', { aliases: ['east'] }),
    upgrades: [upgrade('old', OLD_MS, { state: 'failed' }), upgrade('new', NEW_MS)],
    modifications: [modification('m-new', { startedMs: NEW_MS })],
  })
  const merged = mergeFacts(stored, derived, FROM_MS)
  expect(merged.cluster).toBe(derived.cluster)
  expect(merged.upgrades).toEqual([stored.upgrades[0], derived.upgrades[1]])
  expect(merged.modifications.map(({ id }) => id)).toEqual(['m-old', 'm-new'])
})

test('one upgrade under another id, of less evidence, is not there twice; one that runs on is as derived', () => {
  const stored = facts({ upgrades: [upgrade('metrics-id', OLD_MS)] })
  const again = upgrade('csv-id', OLD_MS + 60_000, { endedMs: OLD_MS + HOUR_MS })
  expect(ids(mergeFacts(stored, facts({ upgrades: [again, upgrade('new', NEW_MS)] }), FROM_MS))).toBe('metrics-id new')
  const elsewhere = upgrade('other', OLD_MS, { operator: 'openshift' })
  expect(ids(mergeFacts(stored, facts({ upgrades: [elsewhere] }), FROM_MS))).toBe('metrics-id other')
  const { endedMs, ...running } = upgrade('runs', OLD_MS, { state: 'in_progress' }).upgrade
  expect(endedMs).toBeDefined()
  const long = facts({ upgrades: [{ ...upgrade('runs', OLD_MS), upgrade: running }] })
  expect(ids(mergeFacts(long, facts({}), FROM_MS))).toBe('')
})

test('an interval that was cut where the evidence begins keeps its older start', () => {
  const stored = facts({ intervals: [interval('1.15.0', OLD_MS - HOUR_MS, OLD_MS), interval('1.16.0', OLD_MS)] })
  const derived = facts({ intervals: [interval('1.16.0', FROM_MS + 1, NEW_MS, false), interval('1.17.0', NEW_MS)] })
  expect(mergeFacts(stored, derived, FROM_MS).intervals).toEqual([
    stored.intervals[0],
    interval('1.16.0', OLD_MS, NEW_MS),
    derived.intervals[1],
  ])
})

test('what ended exactly where the evidence begins is as derived', () => {
  const startedMs = FROM_MS - HOUR_MS
  const merged = mergeFacts(
    facts({ upgrades: [upgrade('u', startedMs)] }),
    facts({ upgrades: [upgrade('u', startedMs, { state: 'failed' })] }),
    FROM_MS,
  )
  expect(merged.upgrades.map(({ upgrade: { state } }) => state)).toEqual(['failed'])
})

test('an interval does not take the start of one that ended before it', () => {
  const stored = facts({ intervals: [interval('1.16.0', OLD_MS, FROM_MS + 1)] })
  const derived = facts({ intervals: [interval('1.16.0', FROM_MS + HOUR_MS, NEW_MS, false)] })
  expect(mergeFacts(stored, derived, FROM_MS).intervals).toEqual(derived.intervals)
})

test("facts of a joined name become the cluster's, except what the cluster has itself, and are removed under the name", () => {
  const joined = facts({
    cluster: emptyRecord('uid-1'),
    upgrades: [upgrade('same', OLD_MS + 1), upgrade('other', OLD_MS + 9 * HOUR_MS)],
    intervals: [interval('1.15.0', OLD_MS - 1, OLD_MS), interval('1.16.0', OLD_MS, OLD_MS + HOUR_MS)],
    modifications: [modification('m', { startedMs: OLD_MS })],
  })
  const own = facts({ upgrades: [upgrade('own', OLD_MS)], intervals: [interval('1.16.0', OLD_MS, OLD_MS + 2)] })
  const all = withFactsOf(own, joined, 'c1')
  expect(all.upgrades.map(({ upgrade: { id, cluster } }) => [id, cluster])).toEqual([
    ['own', 'c1'],
    ['other', 'c1'],
  ])
  expect(all.intervals.map(({ version, untilMs }) => [version, untilMs])).toEqual([
    ['1.16.0', OLD_MS + 2],
    ['1.15.0', OLD_MS],
  ])
  expect(all.modifications.map(({ cluster }) => cluster)).toEqual(['c1'])
  expect(withFactsOf(undefined, joined, 'c1').cluster.cluster).toBe('c1')
  const { upgrades, intervals, modifications } = joined
  expect(removalOf(joined)).toEqual({
    cluster: 'uid-1',
    isGone: true,
    upgrades: { removed: upgrades, put: [] },
    intervals: { removed: intervals, put: [] },
    modifications: { removed: modifications, put: [] },
    values: [],
  })
})
