import { expect, test } from 'vitest'
import { LabelList, type LabelRows } from '../../src/model/label-rows.ts'
import { Labels } from '../../src/model/labels.ts'
import { RowCache, type Grouping } from '../../src/promql/evaluate/row-cache.ts'

function grouping(key: string, label: string): Grouping {
  return {
    key,
    textOf: (rows, row) => rows.valueAt(row, label),
    labelsOf: (rows, row) => rows.at(row).keep(new Set([label])),
  }
}
const BY_POD = grouping('by pod', 'pod')

/** Rows of one lineage, of which some are visible. */
function rowsOf(pods: readonly string[]): (count?: number) => LabelRows {
  const lineage = {}
  const all = pods.map((pod, i) => Labels.of({ pod, row: String(i) }))
  return (count = all.length) => new LabelList(all.slice(0, count), lineage)
}

function podsOf(rows: LabelRows): string[] {
  return Array.from({ length: rows.length }, (_, row) => rows.at(row).toString())
}

test('columns number their groups as they occur in their own rows', () => {
  const cache = new RowCache()
  const first = cache.groups(rowsOf(['a', 'b', 'a', 'c'])(), BY_POD)
  const second = cache.groups(rowsOf(['c', 'd', 'c', 'a'])(), BY_POD)
  expect([[...first.ids], first.count]).toEqual([[0, 1, 0, 2], 3])
  expect([[...second.ids], second.count]).toEqual([[0, 1, 0, 2], 3])
  expect(podsOf(second.list)).toEqual(['{pod="c"}', '{pod="d"}', '{pod="a"}'])
  expect(['a', 'b', 'c'].map((_, group) => first.textAt(group))).toEqual(['a', 'b', 'c'])
  expect([second.list.valueAt(1, 'pod'), second.list.lineage]).toEqual(['d', second])
  // One label set for all columns: joins compare by identity first.
  expect(first.list.at(0)).toBe(second.list.at(2))
})

test('a column is extended by later rows, and its earlier list stays as it was', () => {
  const cache = new RowCache()
  const rows = rowsOf(['a', 'b', 'a', 'c', 'b', 'd', 'e'])
  const column = cache.groups(rows(2), BY_POD)
  const list = column.list
  expect([cache.knows(rows(2), BY_POD), cache.knows(rows(3), BY_POD)]).toEqual([true, false])
  expect(cache.groups(rows(), BY_POD)).toBe(column)
  expect([...column.ids]).toEqual([0, 1, 0, 2, 1, 3, 4])
  expect([podsOf(list), podsOf(column.list)]).toEqual([
    ['{pod="a"}', '{pod="b"}'],
    ['a', 'b', 'c', 'd', 'e'].map((pod) => `{pod="${pod}"}`),
  ])
  expect(cache.groups(rows(2), BY_POD)).toBe(column)
})

test.each([
  ['of one grouping', BY_POD],
  ['of two groupings', grouping('without row', 'pod')],
])('groups are translated between columns %s, again after one grew', (_name, other) => {
  const cache = new RowCache()
  const rows = rowsOf(['c', 'x', 'a', 'b'])
  const from = cache.groups(rowsOf(['a', 'b', 'c'])(), BY_POD)
  const to = cache.groups(rows(3), other)
  const made = cache.translation(from, to)
  expect([[...made], cache.translation(from, to)]).toEqual([[2, -1, 0], made])
  cache.groups(rows(), other)
  expect([...cache.translation(from, to)]).toEqual([2, 3, 0])
  expect([...cache.translation(to, from)]).toEqual([2, -1, 0, 1])
})

test('a row that cannot be grouped leaves the other columns right', () => {
  const cache = new RowCache()
  const good = rowsOf(['a', 'b'])
  const torn = rowsOf(['b', 'broken', 'a'])
  const failing: Grouping = {
    ...BY_POD,
    textOf: (rows, row) => {
      if (rows.valueAt(row, 'pod') === 'broken') throw new Error('cannot be read')
      return rows.valueAt(row, 'pod')
    },
  }
  expect(() => cache.groups(torn(), failing)).toThrow('cannot be read')
  expect([...cache.groups(good(), failing).ids]).toEqual([0, 1])
  expect([...cache.groups(torn(), BY_POD).ids]).toEqual([0, 1, 2])
})
