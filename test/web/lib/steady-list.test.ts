import { expect, test } from 'vitest'
import { WHOLE_VIEW } from '../../../src/web/lib/alert-view.ts'
import { steadyList } from '../../../src/web/lib/steady-list.ts'
import { alertItem } from './alert-item.ts'

const read = [alertItem('A'), alertItem('B', { state: 'pending' }), alertItem('C', { state: 'resolved' })]

test('what is read keeps its rows and takes the new values', () => {
  const list = steadyList(read, [alertItem('B', { value: 7 }), alertItem('A')], WHOLE_VIEW)
  expect([...list.current].map(([name, { state, value }]) => [name, state, value])).toEqual([
    ['A', 'firing', 1],
    ['B', 'firing', 7],
    ['C', 'resolved', 1],
  ])
  expect([list.newCount, list.goneCount]).toEqual([0, 0])
})

test('what is new waits, what is gone stands as resolved, and both are counted', () => {
  const list = steadyList(read, [alertItem('B'), alertItem('N'), alertItem('M', { severity: 'critical' })], WHOLE_VIEW)
  expect([list.newCount, list.newCriticalCount, list.goneCount]).toEqual([2, 1, 1])
  expect(list.current.get('A')?.state).toBe('resolved')
  expect(list.current.has('N')).toBe(false)
})

test('what the filters hide is not announced', () => {
  const view = { ...WHOLE_VIEW, severities: ['critical'] as const }
  expect(steadyList(read, [...read, alertItem('N')], view).newCount).toBe(0)
})
