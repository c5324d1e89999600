import { expect, test } from 'vitest'
import { WHOLE_VIEW } from '../../../src/web/lib/alert-view.ts'
import { changesText, steadyAlerts, steadyRows } from '../../../src/web/lib/steady-list.ts'
import { alertItem } from './alert-item.ts'

const read = [alertItem('A'), alertItem('B', { state: 'pending' }), alertItem('C', { state: 'resolved' })]

test('what is read keeps its rows and takes the new values', () => {
  const list = steadyAlerts(read, [alertItem('B', { value: 7 }), alertItem('A')], WHOLE_VIEW)
  expect([...list.current].map(([name, { state, value }]) => [name, state, value])).toEqual([
    ['A', 'firing', 1],
    ['B', 'firing', 7],
    ['C', 'resolved', 1],
  ])
  expect([list.newCount, list.goneCount]).toEqual([0, 0])
})

test('what is new waits, what is gone stands as resolved, and both are counted', () => {
  const list = steadyAlerts(
    read,
    [alertItem('B'), alertItem('N'), alertItem('M', { severity: 'critical' })],
    WHOLE_VIEW,
  )
  expect([list.newCount, list.newCriticalCount, list.goneCount]).toEqual([2, 1, 1])
  expect(list.current.get('A')?.state).toBe('resolved')
  expect(list.current.has('N')).toBe(false)
})

test('what the filters hide is not announced', () => {
  const view = { ...WHOLE_VIEW, severities: ['critical'] as const }
  expect(steadyAlerts(read, [...read, alertItem('N')], view).newCount).toBe(0)
})

const byName = ({ name }: { readonly name: string }): string => name

test('of any list: rows keep their order, take new values, and say when they are gone', () => {
  const before = [
    { name: 'b', value: 1 },
    { name: 'a', value: 1 },
  ]
  const after = [
    { name: 'c', value: 2 },
    { name: 'b', value: 2 },
  ]
  expect(steadyRows(before, after, byName)).toEqual({
    rows: [
      { name: 'b', value: 2 },
      { name: 'a', value: 1, isGone: true },
    ],
    added: [{ name: 'c', value: 2 }],
    goneCount: 1,
  })
  expect(steadyRows([], after, byName)).toEqual({ rows: after, added: [], goneCount: 0 })
})

test.each([
  [{ newCount: 0, goneCount: 0 }, ''],
  [{ newCount: 1, goneCount: 0 }, '1 new alert'],
  [{ newCount: 12, newCriticalCount: 3, goneCount: 2 }, '12 new alerts, 3 critical, 2 gone'],
])('news %j are said as %j', (news, words) => {
  expect(changesText(news, 'alert')).toBe(words)
})
