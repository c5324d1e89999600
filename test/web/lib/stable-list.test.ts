import { expect, test } from 'vitest'
import { ALERT_VIEW } from '../../../src/web/lib/alert-view.ts'
import { changesText, stableAlerts, stableRows, newUpgrades, stableNow } from '../../../src/web/lib/stable-list.ts'
import { alertItem } from './alert-item.ts'
import type { UpgradeItem } from '../../../src/contract/fleet-upgrades.ts'
import { now } from '../browser/now-fixtures.ts'

const read = [alertItem('A'), alertItem('B', { state: 'pending' }), alertItem('C', { state: 'resolved' })]

test('what is read keeps its rows and takes the new values', () => {
  const list = stableAlerts(read, [alertItem('B', { value: 7 }), alertItem('A')], ALERT_VIEW.initial)
  expect([...list.current].map(([name, { state, value }]) => [name, state, value])).toEqual([
    ['A', 'firing', 1],
    ['B', 'firing', 7],
    ['C', 'resolved', 1],
  ])
  expect([list.newCount, list.goneCount]).toEqual([0, 0])
})

test('what is new waits, what is gone stands as resolved, and both are counted', () => {
  const list = stableAlerts(
    read,
    [alertItem('B'), alertItem('N'), alertItem('M', { severity: 'critical' })],
    ALERT_VIEW.initial,
  )
  expect([list.newCount, list.newCriticalCount, list.goneCount]).toEqual([2, 1, 1])
  expect(list.current.get('A')?.state).toBe('resolved')
  expect(list.current.has('N')).toBe(false)
})

test('what the filters hide is not announced', () => {
  const view = { ...ALERT_VIEW.initial, severities: ['critical'] as const }
  expect(stableAlerts(read, [...read, alertItem('N')], view).newCount).toBe(0)
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
  expect(stableRows(before, after, byName)).toEqual({
    rows: [
      { name: 'b', value: 2 },
      { name: 'a', value: 1, isGone: true },
    ],
    added: [{ name: 'c', value: 2 }],
    goneCount: 1,
  })
  expect(stableRows([], after, byName)).toEqual({ rows: after, added: [], goneCount: 0 })
})

test.each([
  [{ newCount: 0, goneCount: 0 }, ''],
  [{ newCount: 1, goneCount: 0 }, '1 new alert'],
  [{ newCount: 12, newCriticalCount: 3, goneCount: 2 }, '12 new alerts, 3 critical, 2 removed'],
])('news %j are said as %j', (news, words) => {
  expect(changesText(news, 'alert')).toBe(words)
})

const READ_MS = Date.parse('2026-08-20T10:00:00Z')
/** An upgrade that began so many minutes after the list was read; what else it says does not matter here. */
const upgrade = (id: string, minutes: number, state = 'in_progress'): UpgradeItem =>
  ({ id, state, startedAt: new Date(READ_MS + minutes * 60_000).toISOString() }) as UpgradeItem

const readUpgrades = [upgrade('b', -10), upgrade('a', -90)]

test('rows take their new values and keep their places', () => {
  const { rows, newCount } = newUpgrades(readUpgrades, [upgrade('c', 1), upgrade('b', -10, 'succeeded')], true, READ_MS)
  expect([rows.map(({ id, state }) => `${id} ${state}`), newCount]).toEqual([['b succeeded', 'a in_progress'], 1])
})

test.each([
  ['newest first: whatever is not read is new', true, 2],
  ['in another order: only what began since', false, 1],
])('%s', (_what, isNewestFirst, want) => {
  const newest = [upgrade('d', 2), upgrade('late', -30), upgrade('b', -10)]
  expect(newUpgrades(readUpgrades, newest, isNewestFirst, READ_MS).newCount).toBe(want)
})

const NOW_MS = Date.parse('2026-08-20T10:00:00Z')

test('the lists of the landing page keep their rows, and its numbers are the newest', () => {
  const read = now(NOW_MS)
  const [first, ...others] = read.stuck.items
  const came = { ...first!, id: 'came' }
  const newest = {
    ...now(NOW_MS + 60_000),
    stuck: { count: 7, items: [came, ...others] },
    silent: { count: 0, items: [], byCause: [], oneSource: [] },
  }
  const steady = stableNow(read, newest)
  expect(steady.now.stuck.count).toBe(7)
  expect(steady.now.stuck.items.map(({ id, isGone }) => [id, isGone])).toEqual([
    [first!.id, true],
    ...others.map(({ id }) => [id, undefined]),
  ])
  expect(steady.now.silent.items.every(({ isGone }) => isGone)).toBe(true)
  expect(steady.news).toEqual({ newCount: 1, goneCount: 1 + read.silent.items.length })
  expect(stableNow(newest, newest).news).toEqual({ newCount: 0, goneCount: 0 })
})
