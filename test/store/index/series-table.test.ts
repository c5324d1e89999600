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
