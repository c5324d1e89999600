import { expect, test } from 'vitest'
import { Labels } from '../../../src/model/labels.ts'
import { SeriesTable } from '../../../src/store/index/series-table.ts'

const labels = (n: number, cluster?: string): Labels =>
  Labels.of({ __name__: `m${n}`, ...(cluster === undefined ? {} : { cluster }) })

test('series are counted by cluster, through making, loading and removing', () => {
  const table = new SeriesTable(1, 1)
  table.create(labels(1, 'a'), 0)
  table.create(labels(2, 'a'), 1)
  table.create(labels(1, 'b'), 2)
  table.create(labels(1), 3)
  const counts = (of: SeriesTable): number[] => ['a', 'b', '', 'c'].map((cluster) => of.seriesOf(cluster))
  expect(counts(table)).toEqual([2, 1, 1, 0])

  const loaded = new SeriesTable(100, 100)
  for (const { id, name, value } of table.newPairs) loaded.pairs.add(id, name, value)
  for (const row of table.newSeries) loaded.add(row)
  expect(counts(loaded)).toEqual([2, 1, 1, 0])

  table.remove(0)
  table.remove(3)
  expect(counts(table)).toEqual([1, 1, 0, 0])
  table.remove(1)
  table.create(labels(3, 'b'), 0)
  expect(counts(table)).toEqual([0, 2, 0, 0])
})

test('a label whose value is a cluster is no cluster', () => {
  const table = new SeriesTable(1, 1)
  table.create(Labels.of({ __name__: 'm', job: 'a' }), 0)
  expect([table.seriesOf('a'), table.seriesOf('')]).toEqual([0, 1])
})

test('each label set has one series, in whatever order sets are sought, made and removed', () => {
  // Few names and values: neighbours share pairs, lack them, and have others in between.
  const sets = Array.from({ length: 243 }, (_, n) =>
    Labels.of(
      Object.fromEntries(
        ['a', 'b', 'c', 'd', 'e'].map((name, at) => [name, ['', 'x', 'y'][Math.floor(n / 3 ** at) % 3]!]),
      ),
    ),
  )
  const table = new SeriesTable(1, 1)
  const slots = new Map<string, number>()
  const free = sets.map((_, slot) => slot)
  let state = 7
  const draw = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below
  for (let round = 0; round < 5000; round++) {
    const labels = sets[draw(sets.length)]!
    const slot = slots.get(labels.key)
    expect(Math.max(-1, table.find(labels))).toBe(slot ?? -1)
    if (slot === undefined) {
      const taken = free.pop()!
      table.create(labels, taken)
      slots.set(labels.key, taken)
      const made = table.newSeries.at(-1)!
      expect(table.labelsOf(made.slot).key).toBe(labels.key)
    } else if (draw(3) === 0) {
      table.remove(slot)
      slots.delete(labels.key)
      free.push(slot)
    }
    // The same object again, and an equal one.
    expect(Math.max(-1, table.find(labels))).toBe(slots.get(labels.key) ?? -1)
    expect(Math.max(-1, table.find(Labels.fromFlat(labels.flat)))).toBe(slots.get(labels.key) ?? -1)
  }
})

test('a pair is there as long as a series has it, and has another number after that', () => {
  const table = new SeriesTable(1, 1, (name) => (name === 'm7' ? 900 : undefined))
  table.create(labels(1, 'a'), 0)
  table.create(labels(2, 'a'), 1)
  expect([...table.pairs.ids()]).toEqual([1, 2, 3])
  expect(table.pairsOnlyOf([0])).toEqual([1])
  expect(table.pairsOnlyOf([0, 1])).toEqual([1, 2, 3])
  table.remove(0)
  expect([...table.pairs.ids()]).toEqual([2, 3])
  table.remove(1)
  expect([[...table.pairs.ids()], [...table.pairs.names()]]).toEqual([[], []])
  table.create(labels(1, 'a'), 0)
  expect([...table.pairs.ids()]).toEqual([4, 5])
  // A metric of which there are cold series keeps its number.
  table.create(labels(7), 1, 99)
  expect([table.metricOf(1), table.refOf(1), table.warmSeries.length]).toEqual([900, 99, 1])
  expect(table.unannounced.series.map(({ ref }) => ref)).toEqual([1, 2, 3, 99])
})

test('stored pairs that no series has are not in memory', () => {
  const table = new SeriesTable(9, 9)
  for (const [id, value] of [
    [1, 'a'],
    [2, 'b'],
    [3, 'a'],
  ] as const)
    table.pairs.add(id, 'cluster', value)
  table.add({ ref: 1, slot: 0, pairIds: [3] })
  table.removeUnusedPairs()
  expect([[...table.pairs.ids()], table.pairs.find('cluster', 'a'), table.pairs.find('cluster', 'b')]).toEqual([
    [3],
    3,
    undefined,
  ])
})
