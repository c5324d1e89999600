import { describe, expect, test } from 'vitest'
import { FactRows, FactSelection, TableRows } from '../../../src/fleet/series/fact-selection.ts'
import { SeriesLabels, type FactSeries } from '../../../src/fleet/series/fact-series.ts'
import { FactTable, LABEL_SETS_MAX } from '../../../src/fleet/series/fact-table.ts'
import { SAMPLES_EVERY_MS as MINUTE_MS, type Stretch } from '../../../src/fleet/series/stretch.ts'
import { bitsOf, isStaleAt } from '../../../src/model/sample.ts'

const at = (minute: number): number => minute * MINUTE_MS

/** A series in minutes; several stretches: `[from, until, value]` each. */
function series(name: string, ...stretches: readonly (readonly [number, number, number])[]): FactSeries {
  const all = stretches.map(([from, until, value]): Stretch => ({ fromMs: at(from), untilMs: at(until), value }))
  return {
    ...{ source: new SeriesLabels({ name }), part: 0, firstMs: all[0]!.fromMs, newest: all.at(-1)! },
    ...(all.length === 1 ? {} : { stretchesIn: () => all }),
  }
}

function tableOf(names: readonly string[]): FactTable {
  const table = new FactTable('m')
  for (const name of names) table.put(name, [series(name, [0, Infinity, 1])])
  return table
}

const always = () => true
const select = ({ columns }: FactTable, from: number, to: number, before?: TableRows): TableRows =>
  TableRows.select(columns, { fromMs: at(from), toMs: at(to) }, always, before)
const namesOf = ({ columns, ids }: TableRows): string[] => Array.from(ids, (row) => columns.valueOf(row, 'name'))

function newestOf(rows: TableRows, from: number, to: number): readonly string[] {
  const selection = new FactSelection(new FactRows([rows]), { fromMs: at(from), toMs: at(to) }, Infinity)
  const [timesMs, values] = [new Float64Array(rows.ids.length), new Float64Array(rows.ids.length)]
  selection.readNewest(timesMs, values)
  const bits = bitsOf(values)
  return namesOf(rows).map((name, i) => {
    const value = isStaleAt(bits, i) ? 'stale' : String(values[i]!)
    return Number.isNaN(timesMs[i]!) ? `${name} none` : `${name} ${value}@${timesMs[i]! / MINUTE_MS}`
  })
}

const letters = Array.from({ length: 8 }, (_, i) => String.fromCharCode(97 + i))

describe('selected rows', () => {
  test('are the same object until a series starts or ends between two ranges', () => {
    const table = tableOf(['a'])
    table.put('b', [series('b', [10, 20, 1])])
    const first = select(table, 12, 15)
    expect(namesOf(first)).toEqual(['a', 'b'])
    expect(select(table, 13, 16, first)).toBe(first)
    expect(select(table, 20, 25, first)).toBe(first)
    expect(namesOf(select(table, 21, 25, first))).toEqual(['a'])
    expect(select(table, 5, 10, first)).toBe(first)
    expect(namesOf(select(table, 5, 9, first))).toEqual(['a'])
    const before = select(table, 3, 5)
    expect(select(table, 4, 9, before)).toBe(before)
    expect(namesOf(select(table, 4, 10, before))).toEqual(['a', 'b'])
    const after = select(table, 21, 22)
    expect(select(table, 21, 30, after)).toBe(after)
    expect(namesOf(select(table, 20, 30, after))).toEqual(['a', 'b'])
    // A value that changes is read anew; the rows are the same.
    table.put('b', [series('b', [10, 20, 2])])
    expect(select(table, 12, 15, first)).toBe(first)
    expect(newestOf(first, 12, 15)).toEqual(['a 1@15', 'b 2@15'])
  })

  test('keep their order and lineage while series only start, and for up to one in eight that ended', () => {
    const table = tableOf(letters)
    const first = select(table, 0, 5)
    table.put('z', [series('z', [0, Infinity, 1])])
    const grown = select(table, 0, 5, first)
    expect([grown.lineage, namesOf(grown).at(-1)]).toEqual([first.lineage, 'z'])
    table.put('a', [])
    const ended = select(table, 0, 5, grown)
    expect([ended.lineage, ended.ids]).toEqual([first.lineage, grown.ids])
    expect(newestOf(ended, 0, 5)[0]).toBe('a none')
    table.put('b', [])
    const fresh = select(table, 0, 5, ended)
    expect(fresh.lineage).not.toBe(first.lineage)
    expect(namesOf(fresh)).toEqual([...letters.slice(2), 'z'])
  })

  test('have each series once, also when one comes before the last', () => {
    const table = tableOf(letters)
    table.put('y', [series('y', [0, 1, 1])])
    table.put('z', [series('z', [0, Infinity, 1])])
    const first = select(table, 5, 6)
    table.put('y', [series('y', [0, 1, 1], [4, 7, 1])])
    const second = select(table, 5, 6, first)
    expect(namesOf(second)).toEqual([...letters, 'y', 'z'])
    expect(second.lineage).not.toBe(first.lineage)
  })

  test('have the newest sample of each stretch, at any time', () => {
    const table = new FactTable('m')
    table.put('a', [series('a', [1, 3, 1], [5.5, 8, 2])])
    const rows = select(table, -10, 20)
    const newestAt = (to: number) => newestOf(rows, to - 4, to)[0]
    expect([0, 1, 2, 3, 5.4, 5.5, 5.9, 6, 7.9, 8, 11, 12, 12.1].map(newestAt)).toEqual([
      ...['a none', 'a 1@1', 'a 1@2', 'a stale@3', 'a stale@3', 'a 2@5.5', 'a 2@5.5', 'a 2@6', 'a 2@7'],
      ...['a stale@8', 'a stale@8', 'a stale@8', 'a none'],
    ])
  })
})

describe('a table', () => {
  test('gives a series its row and its label set again, whatever the order of its owner', () => {
    const table = new FactTable('m')
    table.put('o', [series('a', [0, 9, 1]), series('b', [0, 9, 1])])
    const [a, b] = [table.columns.labelsOf(0), table.columns.labelsOf(1)]
    table.put('o', [series('b', [0, 9, 2]), series('c', [0, 9, 3]), series('a', [0, 9, 4])])
    expect([table.columns.labelsOf(0), table.columns.labelsOf(1)]).toEqual([a, b])
    expect(table.columns.labelsOf(0)).toBe(a)
    expect(newestOf(select(table, 0, 5), 0, 5)).toEqual(['a 4@5', 'b 2@5', 'c 3@5'])
    table.put('o', [series('c', [0, 9, 5])])
    expect(newestOf(select(table, 0, 5), 0, 5)).toEqual(['c 5@5'])
    table.put('o', [series('a', [0, 9, 6])])
    expect(newestOf(select(table, 0, 5), 0, 5)).toEqual(['a 6@5'])
  })

  test('is packed when more than half of its rows are empty; rows that were selected before can still be read', () => {
    const names = Array.from({ length: 2100 }, (_, i) => `n${i}`)
    const table = tableOf(names)
    const before = select(table, 0, 5)
    for (const name of names.slice(0, 1050)) table.put(name, [])
    expect(table.columns.length).toBe(2100)
    table.put('n1050', [])
    expect(table.columns.length).toBe(1049)
    const after = select(table, 0, 5, before)
    expect(namesOf(after)).toEqual(names.slice(1051))
    expect(newestOf(after, 0, 5)[0]).toBe('n1051 1@5')
    expect([namesOf(before)[0], newestOf(before, 0, 5).slice(1050, 1052)]).toEqual(['n0', ['n1050 none', 'n1051 1@5']])
    // Still replaced by owner.
    table.put('n1051', [series('n1051', [0, Infinity, 7])])
    expect(newestOf(select(table, 0, 5), 0, 5)[0]).toBe('n1051 7@5')
  })

  test('stores a limited number of label sets', () => {
    const table = new FactTable('m')
    const { columns } = table
    table.put('o', [])
    for (let i = 0; i <= LABEL_SETS_MAX; i++) columns.add(series(String(i), [0, 9, 1]))
    const first = columns.labelsOf(0)
    for (let row = 1; row < LABEL_SETS_MAX; row++) columns.labelsOf(row)
    expect(columns.labelsOf(0)).toBe(first)
    columns.labelsOf(LABEL_SETS_MAX)
    expect(columns.labelsOf(0)).not.toBe(first)
    expect(columns.labelsOf(0).toString()).toBe(first.toString())
  })
})
