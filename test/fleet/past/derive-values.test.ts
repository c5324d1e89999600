import fc from 'fast-check'
import { expect, test } from 'vitest'
import { valuesAt } from '../../../src/fleet/clusters/cluster-at.ts'
import { deriveCluster } from '../../../src/fleet/derive/derive-cluster.ts'
import { factsChangeOf, mergeFacts } from '../../../src/fleet/loop/merge-facts.ts'
import { deriveValues } from '../../../src/fleet/past/derive-values.ts'
import { clusterHistory } from '../../../src/fleet/derive/cluster-history.ts'
import { recordOfValues, valuesOfRecord } from '../../../src/fleet/past/value-keys.ts'
import type { ClusterFacts } from '../../../src/model/fleet-facts.ts'
import type { ObjectObservation } from '../../../src/model/observation.ts'
import type { NodeFacts, ObjectFacts } from '../../../src/model/object-facts.ts'
import { STORED_FIELDS, type StoredValues, type ValueInterval } from '../../../src/model/cluster-value.ts'
import { at, hyperConverged, look, observed } from '../derive/observed.ts'

/** What is observed of a small cluster: each second at most one state of one object. */
const condition = (status: string) => ({ type: 'Available', status, reason: 'R', message: 'm' })
const hco = fc.record({
  status: fc.constantFrom('True', 'False'),
  degraded: fc.boolean(),
  timeout: fc.constantFrom(undefined, 100, 200),
  gate: fc.constantFrom(undefined, true, false),
  eviction: fc.constantFrom(undefined, 'LiveMigrate', 'None'),
  off: fc.boolean(),
})
const objects: fc.Arbitrary<ObjectFacts> = fc.oneof(
  hco.map(({ status, degraded, timeout, gate, eviction, off }) =>
    hyperConverged({
      conditions: [condition(status), ...(degraded ? [{ ...condition('True'), type: 'Degraded' }] : [])],
      liveMigration: timeout === undefined ? {} : { progressTimeout: timeout },
      featureGates: gate === undefined ? {} : { alignCPUs: gate },
      ...(eviction === undefined ? {} : { evictionStrategy: eviction }),
      ...(off ? { allowedMetrics: ['none'] } : {}),
    }),
  ),
  fc
    .record({ isReady: fc.boolean(), kubelet: fc.constantFrom('v1.30.1', 'v1.31.2') })
    .map(({ isReady, kubelet }): NodeFacts => {
      return { kind: 'nodes', isReady, isSchedulable: true, roles: [], kubeletVersion: kubelet }
    }),
  fc.record({ isPaused: fc.boolean(), updated: fc.nat(3) }).map(({ isPaused, updated }): ObjectFacts => {
    return { kind: 'machineconfigpools', isPaused, machines: 3, updated, degraded: 0, conditions: [] } as never
  }),
)
const history = fc
  .array(fc.record({ facts: objects, name: fc.constantFrom('a', 'b'), isDeleted: fc.integer({ min: 0, max: 9 }) }), {
    minLength: 1,
    maxLength: 25,
  })
  .map((seen) =>
    seen.map(({ facts, name, isDeleted }, i): ObjectObservation => {
      const isSingle = facts.kind !== 'nodes'
      // A deleted object comes again under another uid.
      return look(i * 10, facts, {
        name: isSingle ? facts.kind : name,
        change: isDeleted === 0 ? 'deleted' : 'modified',
      })
    }),
  )

/** As it is at a time: from the observations until then alone. */
function folded(seen: readonly ObjectObservation[], untilMs: number): Partial<StoredValues> | undefined {
  const until = seen.filter(({ observedMs }) => observedMs <= untilMs)
  if (until.length === 0) return undefined
  const { cluster } = deriveCluster(observed(until))
  return Object.fromEntries(
    STORED_FIELDS.flatMap((field) => (cluster[field] === undefined ? [] : [[field, cluster[field]]])),
  )
}

const fromStored = (values: readonly ValueInterval[], atMs: number): StoredValues =>
  recordOfValues(valuesAt(values, atMs))

test('at each time the stored values equal a fold of all observations until then, in any order of arrival', () => {
  fc.assert(
    fc.property(history, fc.array(fc.nat(300), { maxLength: 4 }), (seen, asked) => {
      // Repeats, and any order: what is derived is a function of the set.
      const shuffled = seen.toReversed().flatMap((one, i) => (i % 3 === 0 ? [one, one] : [one]))
      const { values } = deriveCluster(observed(shuffled))
      expect(values).toEqual(deriveCluster(observed(seen)).values)
      for (const second of [...asked, 0, 245]) {
        const atMs = at(second) + 500
        const want = folded(seen, atMs)
        if (want !== undefined) expect(fromStored(values!, atMs)).toEqual(want)
      }
    }),
    { numRuns: 150 },
  )
})

test('what arrives in portions, late ones among them, is stored as if it had arrived at once', () => {
  fc.assert(
    fc.property(history, fc.array(fc.nat(24), { minLength: 1, maxLength: 4 }), (seen, firsts) => {
      let stored: ClusterFacts | undefined
      const arrived: ObjectObservation[] = []
      for (const portion of [...firsts.map((start) => seen.filter((_, i) => i % 4 === start % 4)), seen]) {
        arrived.push(...portion)
        if (arrived.length === 0) continue
        const facts = mergeFacts(stored, deriveCluster(observed(arrived)), -Infinity)
        const change = factsChangeOf(stored, facts)
        stored = {
          ...facts,
          values: change === undefined || change.values === undefined ? (stored?.values ?? []) : change.values,
        }
      }
      expect(stored!.values).toEqual(deriveCluster(observed(seen)).values)
    }),
    { numRuns: 100 },
  )
})

test('a changed setting is one period, with the write that set it; others are not divided', () => {
  const facts = (progressTimeout: number) =>
    hyperConverged({ liveMigration: { progressTimeout }, evictionStrategy: 'None' })
  const { values } = deriveCluster(observed([look(1, facts(100)), look(5, facts(200)), look(9, facts(200))]))
  const of = (key: string) => values!.filter((one) => one.key === key)
  expect(of('settings/liveMigration/progressTimeout')).toEqual([
    { key: 'settings/liveMigration/progressTimeout', fromMs: at(1), untilMs: at(5), value: 100 },
    { key: 'settings/liveMigration/progressTimeout', fromMs: at(5), value: 200 },
  ])
  expect(of('settings/evictionStrategy')).toHaveLength(1)
  expect(of('settings/written/liveMigration.progressTimeout')).toMatchObject([
    { fromMs: at(5), value: { sinceMs: at(5) } },
  ])
})

test('a deleted object ends its values at its end', () => {
  const seen = [
    look(1, hyperConverged({ conditions: [condition('True')] })),
    look(7, hyperConverged(), { change: 'deleted' }),
  ]
  const { values } = deriveCluster(observed(seen))
  expect(values!.find(({ key }) => key === 'condition/Available')).toMatchObject({ fromMs: at(1), untilMs: at(7) })
  expect(fromStored(values!, at(1) - 1).conditions).toEqual([])
  expect(fromStored(values!, at(1)).conditions).toHaveLength(1)
  expect(fromStored(values!, at(7) - 1).conditions).toHaveLength(1)
  expect(fromStored(values!, at(7)).conditions).toEqual([])
})

test('values that ended before the evidence starts expire with it', () => {
  const facts = (progressTimeout: number) => hyperConverged({ liveMigration: { progressTimeout } })
  const derived = deriveCluster(observed([look(1, facts(100)), look(5, facts(200))]))
  const kept = (evidenceFromMs: number) =>
    mergeFacts(undefined, derived, evidenceFromMs).values!.filter(
      ({ key }) => key.endsWith('progressTimeout') && !key.includes('written'),
    )
  expect(kept(at(5))).toHaveLength(2)
  expect(kept(at(5) + 1)).toHaveLength(1)
})

test('of more changes than are stored the newest are, and those that are dropped are counted, by group', () => {
  const seen = [1, 3, 5, 7].flatMap((second) => [
    look(second, hyperConverged({ conditions: [{ ...condition('True'), message: String(second) }] })),
    look(
      second + 1,
      { kind: 'nodes', isReady: second % 4 === 1, isSchedulable: true, roles: [], kubeletVersion: 'v1' },
      { name: 'a' },
    ),
  ])
  const kept = (pointsMax: number) => deriveValues(clusterHistory(observed(seen)), [], pointsMax)
  expect(kept(4).dropped).toBe(0)
  const { values, dropped } = kept(3)
  // One of conditions and one of nodes; settings have one change alone.
  expect(dropped).toBe(2)
  const conditions = values.filter(({ key }) => key === 'condition/Available')
  expect(conditions.map(({ fromMs, untilMs }) => [fromMs, untilMs])).toEqual([
    [at(3), at(5)],
    [at(5), at(7)],
    [at(7), undefined],
  ])
  expect(deriveCluster(observed(seen)).dropped).toBeUndefined()
})

test('the values of a record are the record again', () => {
  fc.assert(
    fc.property(history, (seen) => {
      const { cluster } = deriveCluster(observed(seen))
      const again = recordOfValues(valuesOfRecord(cluster))
      for (const field of STORED_FIELDS) expect(again[field]).toEqual(cluster[field])
    }),
    { numRuns: 60 },
  )
})

test('of a cluster with thousands of storage classes fewer moments are stored, and the others are counted', () => {
  const classes = Array.from({ length: 1999 }, (_, i) =>
    look(
      i,
      { kind: 'storageclasses', isDefault: false, isVirtDefault: false, provisioner: 'p' },
      {
        name: `c${i}`,
      },
    ),
  )
  const { values, dropped } = deriveValues(clusterHistory(observed(classes)), [])
  // 400,000 objects are read for all moments together: 2,000 for each.
  expect(dropped).toBe(1999 - 200)
  expect(Math.min(...values.map(({ fromMs }) => fromMs))).toBe(at(1999 - 200))
})
