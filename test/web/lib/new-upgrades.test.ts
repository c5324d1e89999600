import { expect, test } from 'vitest'
import type { UpgradeItem } from '../../../src/contract/fleet-upgrades.ts'
import { newUpgrades } from '../../../src/web/lib/new-upgrades.ts'

const READ_MS = Date.parse('2026-08-20T10:00:00Z')
/** An upgrade that began so many minutes after the list was read; what else it says does not matter here. */
const upgrade = (id: string, minutes: number, state = 'in_progress'): UpgradeItem =>
  ({ id, state, startedAt: new Date(READ_MS + minutes * 60_000).toISOString() }) as UpgradeItem

const read = [upgrade('b', -10), upgrade('a', -90)]

test('rows take their new values and keep their places', () => {
  const { rows, newCount } = newUpgrades(read, [upgrade('c', 1), upgrade('b', -10, 'succeeded')], true, READ_MS)
  expect([rows.map(({ id, state }) => `${id} ${state}`), newCount]).toEqual([['b succeeded', 'a in_progress'], 1])
})

test.each([
  ['newest first: whatever is not read is new', true, 2],
  ['in another order: only what began since', false, 1],
])('%s', (_what, isNewestFirst, want) => {
  const newest = [upgrade('d', 2), upgrade('late', -30), upgrade('b', -10)]
  expect(newUpgrades(read, newest, isNewestFirst, READ_MS).newCount).toBe(want)
})
