import { expect, test } from 'vitest'
import { ALL_VALUES, type ListVariable } from '../../../../src/model/dashboard.ts'
import {
  itemsOfRepeat,
  repeatedTitle,
  repeatsInRow,
  repeatsOf,
  withRepeat,
} from '../../../../src/web/lib/dashboards/repeats.ts'

const variable: ListVariable = {
  ...{ kind: 'list', name: 'node', title: 'Node', description: '', isHidden: false, allowsAll: true },
  ...{ allowsMultiple: true, customAllValue: '.*', capturingRegexp: '', sort: 'none', defaultValues: [] },
  source: { kind: 'static', values: [] },
}
const options = [
  { value: 'n1', label: 'first' },
  { value: 'n2', label: 'n2' },
]
const of = (...chosen: string[]) => [{ variable, options, chosen }]

test.each([
  ['each value where all are chosen', of(ALL_VALUES), ['n1', 'n2']],
  ['those that are chosen', of('n2'), ['n2']],
  ['one that is no value any more', of('n9'), ['n9']],
  ['none of a variable that is not there', [], []],
])('a part is there for %s', (_what, states, want) => {
  expect(repeatsOf('node', states).map(({ value }) => value)).toEqual(want)
})

test('its title says the value, and its queries have it', () => {
  const values = new Map([['node', { values: ['n1', 'n2'], isPattern: false }]])
  const [first] = repeatsOf('node', of('n1'))
  expect(repeatedTitle('CPU of $node', values, first)).toBe('CPU of n1')
  expect(repeatedTitle('CPU', values, first)).toBe('CPU: first')
  expect(repeatedTitle('', values, first)).toBe('first')
  // The value may be a part of any word.
  expect(repeatedTitle('CPU of n10', values, first)).toBe('CPU of n10: first')
  expect(repeatedTitle('CPU of $node', values, undefined)).toBe('CPU of n1 + n2')
  expect(withRepeat(values, first).get('node')).toEqual({ values: ['n1'], isPattern: false })
  expect(withRepeat(values, undefined)).toBe(values)
})

test('repeats without a title stand beside each other as far as there is room, others below each other', () => {
  const items = [
    { x: 2, y: 1, width: 4, height: 3, panel: 'a' },
    { x: 6, y: 2, width: 6, height: 4, panel: 'b' },
  ]
  const grid = { title: '', canCollapse: false, isOpen: true, repeatVariable: 'node', items }
  expect(repeatsInRow(grid)).toBe(2)
  expect(repeatsInRow({ ...grid, title: 'Each' })).toBe(1)
  expect(repeatsInRow({ ...grid, canCollapse: true })).toBe(1)
  expect(repeatsInRow({ ...grid, items: [] })).toBe(24)
  const placed = [0, 1, 2].map((i) => itemsOfRepeat(items, i, 2).map(({ x, y }) => [x, y]))
  expect(placed).toEqual([
    [
      [0, 0],
      [4, 1],
    ],
    [
      [10, 0],
      [14, 1],
    ],
    [
      [0, 5],
      [4, 6],
    ],
  ])
})
