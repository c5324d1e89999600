import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createEdgeIndex } from '../../../src/fleet/edges/edge-index.ts'
import type { EdgeName } from '../../../src/fleet/edges/edges.ts'
import { MINUTE_MS, phase, recordOf, T0, type RecordScript } from '../edge-script.ts'

const OLD: EdgeName = { operator: 'kubevirt-hyperconverged', from: '1.15.0', to: '1.16.0' }
const NEW: EdgeName = { operator: 'kubevirt-hyperconverged', from: '1.16.0', to: '1.17.0' }

function runs(edge: EdgeName, minutes: readonly number[], failed = 0): RecordScript[] {
  const { from, to } = edge
  return [
    ...minutes.map((endMinute) => ({ from, to, startMinute: 0, endMinute, phases: [phase('olm', 0, endMinute)] })),
    ...Array.from({ length: failed }, () => ({ from, to, startMinute: 0, endMinute: 0, state: 'failed' as const })),
  ]
}

const upTo = (count: number, plus = 0): number[] => Array.from({ length: count }, (_, i) => i + 1 + plus)

test('edges are in order, newest target first, and can be asked for one by one', () => {
  const index = createEdgeIndex()
  index.put('fra-1', [...runs(OLD, [5]), ...runs(NEW, [6])].map(recordOf))
  index.put('prg-2', [recordOf({ operator: 'openshift', from: '4.19.1', to: '4.20.0', startMinute: 0 })])
  expect(index.edges().map(({ operator, to }) => `${operator} ${to}`)).toEqual([
    'kubevirt-hyperconverged 1.17.0',
    'kubevirt-hyperconverged 1.16.0',
    'openshift 4.20.0',
  ])
  expect(index.edges({ from: '1.15.0' }).map(({ to }) => to)).toEqual(['1.16.0'])
  expect(index.edge(NEW)?.attempts).toBe(1)
  expect(index.edge({ ...NEW, to: '9.9.9' })).toBeUndefined()
})

test('upgrades from an unknown version are on no edge', () => {
  const index = createEdgeIndex()
  const { upgrade, detail } = recordOf({ startMinute: 0 })
  index.put('fra-1', [{ upgrade: { ...upgrade, from: undefined as never }, detail }])
  expect(index.edges()).toEqual([])
})

test('what is usual of an edge that few took is that between its minors, then that of its operator', () => {
  const index = createEdgeIndex()
  const patch = { ...NEW, to: '1.17.3' }
  const median = (name: EdgeName) => {
    const { learnedFrom, phases } = index.typical(name)
    return { learnedFrom, olm: phases.find((one) => one.phase === 'olm')?.p50Seconds, runs: phases[0]?.runs }
  }
  expect(index.typical(NEW)).toEqual({ learnedFrom: 'fleet', phases: [] })
  index.put('fra-1', runs(OLD, upTo(9)).map(recordOf))
  index.put('prg-2', [recordOf({ operator: 'openshift', from: '4.19.1', to: '4.20.0', startMinute: 0 })])
  expect(median(OLD)).toEqual({ learnedFrom: 'edge', olm: 5 * 60, runs: 9 })
  expect(median(NEW)).toEqual({ learnedFrom: 'fleet', olm: 5 * 60, runs: 9 })
  index.put('waw-3', runs(NEW, upTo(6, 20)).map(recordOf))
  expect(median(NEW)).toEqual({ learnedFrom: 'fleet', olm: 8 * 60, runs: 15 })
  index.put('ams-4', runs(patch, [40, 41, 42]).map(recordOf))
  expect(median(NEW)).toEqual({ learnedFrom: 'minor', olm: 25 * 60, runs: 9 })
  expect(median(patch)).toEqual(median(NEW))
  index.put('ams-5', runs(patch, upTo(6, 42)).map(recordOf))
  expect(median(patch)).toEqual({ learnedFrom: 'edge', olm: 44 * 60, runs: 9 })
})

test('of a large operator the newest runs are enough', () => {
  const index = createEdgeIndex()
  index.put(
    'fra-1',
    runs(
      OLD,
      Array.from({ length: 1500 }, () => 7),
    ).map(recordOf),
  )
  index.put('fra-2', runs(NEW, [3, 3]).map(recordOf))
  const { learnedFrom, phases } = index.typical({ ...NEW, from: '1.17.0', to: '1.18.0' })
  expect(learnedFrom).toBe('fleet')
  expect(phases[0]).toMatchObject({ phase: 'olm', runs: 1000, p50Seconds: 420 })
})

test('an edge nobody takes any more is gone, and one that did not change is not estimated again', () => {
  const index = createEdgeIndex()
  index.put('fra-1', runs(OLD, [5]).map(recordOf))
  index.put('prg-2', runs(NEW, [5]).map(recordOf))
  const [before] = index.edges({ to: '1.16.0' })
  const revision = index.revision()
  index.put('fra-1', runs(OLD, [5]).map(recordOf))
  expect(index.revision()).toBe(revision)
  expect(index.edges({ to: '1.16.0' })[0]).toBe(before)
  index.put('fra-1', runs(NEW, [7]).map(recordOf))
  expect(index.revision()).toBeGreaterThan(revision)
  expect(index.edges().map(({ to, attempts }) => [to, attempts])).toEqual([['1.17.0', 2]])
  index.put('fra-1', [])
  expect(index.edges().map(({ to, attempts }) => [to, attempts])).toEqual([['1.17.0', 1]])
})

const script = fc.record({
  cluster: fc.constantFrom('a', 'b', 'c'),
  edge: fc.constantFrom(OLD, NEW),
  minute: fc.integer({ min: 1, max: 40 }),
  isEnded: fc.boolean(),
})

test('the order in which clusters come, and what they said before, leave no trace', () => {
  fc.assert(
    fc.property(fc.array(script, { maxLength: 20 }), fc.array(script, { maxLength: 20 }), (stale, final) => {
      const byCluster = (scripts: typeof final) =>
        ['a', 'b', 'c'].map((cluster) => ({
          cluster,
          records: scripts
            .filter((one) => one.cluster === cluster)
            .map(({ edge, minute, isEnded }) => {
              const { from, to } = edge
              return recordOf({
                from,
                to,
                startMinute: 0,
                ...(isEnded ? { endMinute: minute } : { seenMinute: minute }),
              })
            }),
        }))
      const [once, twice] = [createEdgeIndex(), createEdgeIndex()]
      for (const { cluster, records } of byCluster(final)) once.put(cluster, records)
      for (const { cluster, records } of byCluster(stale)) twice.put(cluster, records)
      twice.edges()
      for (const { cluster, records } of byCluster(final).reverse()) twice.put(cluster, records)
      expect(twice.edges()).toEqual(once.edges())
    }),
  )
})

test.each([
  ['better and slower', runs(NEW, upTo(30, 20)), runs(OLD, upTo(20), 20), 'better', 'slower'],
  ['the same', runs(NEW, upTo(30)), runs(OLD, upTo(30)), 'no_difference', 'no_difference'],
  ['worse and faster', runs(NEW, upTo(12), 12), runs(OLD, upTo(40, 20)), 'worse', 'faster'],
])('an edge that is %s', (_, first, second, success, duration) => {
  const index = createEdgeIndex()
  index.put('fra-1', [...first, ...second].map(recordOf))
  const comparison = index.compare(NEW, OLD)
  expect(comparison?.success.verdict).toBe(success)
  expect(comparison?.duration.verdict).toBe(duration)
  expect(comparison?.phases.map((one) => [one.phase, one.verdict])).toEqual([['olm', duration]])
})

test('few runs tell nothing, and the answer says how many are missing', () => {
  const index = createEdgeIndex()
  index.put('fra-1', [...runs(NEW, [1, 2, 3], 1), ...runs(OLD, upTo(40, 30))].map(recordOf))
  const comparison = index.compare(NEW, OLD)!
  expect(comparison.success).toMatchObject({ verdict: 'insufficient_data', moreNeeded: 6 })
  expect(comparison.success.difference?.low).toBeLessThan(-0.5)
  expect(comparison.duration).toMatchObject({ verdict: 'insufficient_data', moreNeeded: 7 })
  expect(comparison.duration.pValue).toBeLessThan(0.05)
  expect(index.compare(NEW, { ...OLD, to: '9.9.9' })).toBeUndefined()
})

test('with nothing ended on one edge there is not even a difference', () => {
  const index = createEdgeIndex()
  index.put('fra-1', [recordOf({ startMinute: 0, seenMinute: 3 }), ...runs(OLD, upTo(20)).map(recordOf)])
  expect(index.compare(NEW, OLD)?.success).toEqual({ verdict: 'insufficient_data', moreNeeded: 10 })
})

test('of many edges that changed some are told as they were, until they are estimated', () => {
  const index = createEdgeIndex()
  const versions = Array.from({ length: 4 }, (_, i) => ({ ...NEW, to: `1.${17 + i}.0` }))
  const feed = (minutes: number): void => {
    for (let cluster = 0; cluster < 1000; cluster++) {
      index.put(`c${cluster}`, versions.flatMap((edge) => runs(edge, [minutes])).map(recordOf))
    }
  }
  const medians = (): readonly number[] => index.edges().map(({ duration }) => duration.p50Seconds! / 60)
  feed(5)
  // None is left out, however many are new.
  expect(medians()).toEqual([5, 5, 5, 5])
  feed(7)
  expect(medians().toSorted()).toEqual([5, 7, 7, 7])
  // One that is asked for by itself is always as it is now.
  expect(versions.map((edge) => index.edge(edge)!.duration.p50Seconds! / 60)).toEqual([7, 7, 7, 7])
  feed(9)
  let left = 1
  while (index.estimateNext()) left++
  expect(left).toBe(4)
  expect(medians()).toEqual([9, 9, 9, 9])
  expect(index.estimateNext()).toBe(false)
})

const startedAt = (startMinute: number, endMinute: number): RecordScript => ({
  ...{ from: NEW.from, to: NEW.to, startMinute, endMinute },
  phases: [phase('olm', startMinute, endMinute)],
})
const since = (minute: number): number => T0 + minute * MINUTE_MS

test('over a window count the upgrades that began in it, and an edge that none took is not there', () => {
  const index = createEdgeIndex()
  index.put('fra-1', [...runs(OLD, [5]).map(recordOf), recordOf(startedAt(10, 20)), recordOf(startedAt(30, 60))])
  index.put('prg-2', [recordOf({ ...startedAt(60, 100), state: 'failed' })])
  const told = (sinceMs: number): readonly string[] =>
    index.edges({ sinceMs }).map(({ to, attempts, outcomes }) => `${to} ${outcomes.succeeded}/${attempts}`)
  expect(told(since(0))).toEqual(['1.17.0 2/3', '1.16.0 1/1'])
  expect(told(since(10))).toEqual(['1.17.0 2/3'])
  expect(told(since(11))).toEqual(['1.17.0 1/2'])
  expect(told(since(61))).toEqual([])
  expect(index.edge(NEW, since(11))?.success?.of).toBe(2)
  expect(index.compare(NEW, OLD, since(0))?.first.attempts).toBe(3)
  expect(index.compare(NEW, OLD, since(10))).toBeUndefined()
  // Nobody knows when it began.
  index.put('bud-3', [recordOf({ endMinute: 90 })])
  expect(told(since(11))).toEqual(['1.17.0 1/2'])
  expect(index.edge(NEW)?.attempts).toBe(4)
})

test('a window is what an index of its upgrades alone says, however it was asked before', () => {
  const some = fc.array(fc.record({ cluster: fc.constantFrom('a', 'b', 'c'), start: fc.nat(50), takes: fc.nat(50) }), {
    maxLength: 15,
  })
  fc.assert(
    fc.property(some, some, fc.nat(60), (stale, final, minute) => {
      const [index, alone] = [createEdgeIndex(), createEdgeIndex()]
      const feed = (to: typeof index, all: typeof final): void => {
        for (const name of ['a', 'b', 'c']) {
          const own = all.filter(({ cluster }) => cluster === name)
          to.put(
            name,
            own.map(({ start, takes }) => recordOf(startedAt(start, start + takes))),
          )
        }
      }
      feed(index, stale)
      index.edges({ sinceMs: since(minute) })
      feed(index, final)
      feed(
        alone,
        final.filter(({ start }) => start >= minute),
      )
      const left = { isMore: true }
      while (left.isMore) left.isMore = index.prepare({ sinceMs: since(minute) })
      expect(index.edges({ sinceMs: since(minute) })).toEqual(alone.edges())
    }),
  )
})

test('a window of many edges is prepared in portions, and again only where something changed', () => {
  const index = createEdgeIndex()
  const versions = Array.from({ length: 4 }, (_, i) => ({ ...NEW, to: `1.${17 + i}.0` }))
  for (let cluster = 0; cluster < 2000; cluster++) {
    index.put(`c${cluster}`, versions.flatMap((edge) => runs(edge, [5])).map(recordOf))
  }
  const portions = (): number => {
    let count = 1
    while (index.prepare({ sinceMs: since(0) })) count++
    return count
  }
  expect(portions()).toBe(2)
  expect(portions()).toBe(1)
  const [kept] = index.edges({ sinceMs: since(0) })
  // It leaves four edges for a fifth: two and two of 2000 runs, and one.
  index.put('c0', runs(OLD, [5]).map(recordOf))
  expect(portions()).toBe(3)
  expect(index.edges({ sinceMs: since(0) })[0]).not.toBe(kept)
  expect(index.edges({ sinceMs: since(0) })[0]).toBe(index.edges({ sinceMs: since(0) })[0])
})
