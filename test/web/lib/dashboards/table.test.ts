import { describe, expect, test } from 'vitest'
import type { CellSetting, ColumnSetting } from '../../../../src/model/dashboard.ts'
import type { QueryAnswer } from '../../../../src/contract/prometheus.ts'
import {
  columnsOf,
  filtered,
  ordered,
  settingOf,
  toTableRows,
  transformed,
  defaultOrder,
} from '../../../../src/web/lib/dashboards/table.ts'

const answer = (...rows: (readonly [Record<string, string>, string])[]): QueryAnswer => ({
  status: 'success',
  data: {
    resultType: 'vector',
    result: rows.map(([metric, value]) => ({ metric, value: [10, value] as [number, string] })),
  },
})
const HEALTH = answer([{ cluster: 'a' }, '2'], [{ cluster: 'b' }, '0'])
const MEMORY = answer([{ cluster: 'b' }, '8'], [{ cluster: 'c' }, '4'])

describe('rows', () => {
  test('of one query have its labels and a value', () => {
    expect(toTableRows([HEALTH])).toEqual([
      { timestamp: 10_000, cluster: 'a', value: 2 },
      { timestamp: 10_000, cluster: 'b', value: 0 },
    ])
  })

  test('of several queries carry the number of theirs, and one without an answer has none', () => {
    expect(toTableRows([undefined, HEALTH])[0]).toEqual({ timestamp: 10_000, 'cluster #2': 'a', 'value #2': 2 })
  })

  test('MergeSeries brings series with the same labels together', () => {
    expect(transformed(toTableRows([HEALTH, MEMORY]), [{ kind: 'MergeSeries' }])).toEqual([
      { timestamp: 10_000, cluster: 'a', 'value #1': 2 },
      { timestamp: 10_000, cluster: 'b', 'value #1': 0, 'value #2': 8 },
      { timestamp: 10_000, cluster: 'c', 'value #2': 4 },
    ])
  })

  test('MergeIndexedColumns and JoinByColumnValue do the same step by step', () => {
    const rows = transformed(toTableRows([HEALTH, MEMORY]), [
      { kind: 'MergeIndexedColumns', column: 'cluster' },
      { kind: 'JoinByColumnValue', columns: ['cluster'] },
    ])
    expect(rows.map((row) => [row['cluster'], row['value #1'], row['value #2']])).toEqual([
      ['a', 2, undefined],
      ['b', 0, 8],
      ['c', undefined, 4],
    ])
  })

  test('MergeColumns makes a row of each of the columns', () => {
    const row = { x: 1, y: 2, z: 'k' }
    expect(transformed([row, { z: 'l' }], [{ kind: 'MergeColumns', columns: ['x', 'y'], name: 'v' }])).toEqual([
      { z: 'k', v: 1 },
      { z: 'k', v: 2 },
      { z: 'l' },
    ])
  })
})

const column = (name: string, more: Partial<ColumnSetting> = {}): ColumnSetting => ({
  ...{
    name,
    header: '',
    headerDescription: '',
    cellDescription: '',
    align: undefined,
    canSort: false,
    sort: undefined,
  },
  ...{ isHidden: false, width: undefined, format: undefined, cells: [], link: undefined },
  ...more,
})
const cell = (condition: CellSetting['condition'], text: string): CellSetting => ({
  ...{ condition, text, prefix: '', suffix: '', textColor: '', backgroundColor: '' },
})

describe('columns', () => {
  const rows = [
    { b: 'x', a: 1, timestamp: 5, secret: 's' },
    { b: 'y', a: 2, c: null },
  ]
  test('of the settings come first, others by name; numbers stand right, hidden ones not at all', () => {
    const columns = columnsOf(rows, {
      isColumnHidden: false,
      columns: [column('c', { header: 'C!' }), column('secret', { isHidden: true })],
    })
    expect(columns.map(({ name, header, align }) => [name, header, align])).toEqual([
      ['c', 'C!', 'left'],
      ['a', 'a', 'right'],
      ['b', 'b', 'left'],
      ['timestamp', 'timestamp', 'left'],
    ])
  })

  test('others are not there when the file hides them', () => {
    expect(columnsOf(rows, { isColumnHidden: true, columns: [column('b')] }).map(({ name }) => name)).toEqual(['b'])
  })
})

test('order: by number or text, nothing last whatever the direction, equals as they were', () => {
  const rows = [
    { v: 2, n: 1 },
    { v: null, n: 2 },
    { v: 10, n: 3 },
    { v: NaN, n: 4 },
    { v: 2, n: 5 },
  ]
  const by = (direction: 'asc' | 'desc') => ordered(rows, { column: 'v', direction }).map(({ n }) => n)
  expect(by('asc')).toEqual([1, 5, 3, 2, 4])
  expect(by('desc')).toEqual([3, 1, 5, 2, 4])
  expect(defaultOrder({ columns: [column('a'), column('b', { sort: 'desc' })] })).toEqual({
    column: 'b',
    direction: 'desc',
  })
})

test('a search looks into every cell', () => {
  expect(filtered([{ a: 'Node-1' }, { a: 'x', b: 11 }, { a: null }], '1')).toHaveLength(2)
})

describe('a cell meets', () => {
  const table = [cell({ kind: 'misc', value: 'null' }, 'unknown'), cell({ kind: 'range', min: 1, max: 5 }, 'some')]
  test.each([
    ['its range', 3, undefined, 'some'],
    ['nothing outside of it', 6, undefined, undefined],
    ['null as itself', null, undefined, 'unknown'],
    ['its column before the table', 3, column('v', { cells: [cell({ kind: 'value', value: '3' }, 'three')] }), 'three'],
    [
      'the last one of several',
      3,
      column('v', { cells: [cell({ kind: 'range' }, 'any'), cell({ kind: 'regex', pattern: '^3$' }, 'three')] }),
      'three',
    ],
    ['a number in a text', '4', undefined, 'some'],
    ['no range as a text', 'four', undefined, undefined],
  ])('%s', (_what, value, setting, want) => {
    expect(settingOf(value, setting, table)?.text).toBe(want)
  })

  test.each([
    ['empty', '', true],
    ['empty', null, false],
    ['NaN', NaN, true],
    ['NaN', 'NaN', false],
    ['true', 'true', true],
    ['false', 'true', false],
  ] as const)('%s with %j: %j', (value, given, want) => {
    expect(settingOf(given, undefined, [cell({ kind: 'misc', value }, 'met')]) !== undefined).toBe(want)
  })
})
