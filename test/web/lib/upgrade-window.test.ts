import { expect, test } from 'vitest'
import { upgradeWindow } from '../../../src/web/lib/upgrade-window.ts'
import { stuckUpgrade } from '../browser/upgrade-fixtures.ts'

const NOW_MS = Date.UTC(2026, 7, 20, 9)
const running = stuckUpgrade(NOW_MS)
const minute = (before: number): number => NOW_MS - before * 60_000

test('an upgrade ran from its begin to its end, or runs', () => {
  expect(upgradeWindow({ ...running, startedAt: null })).toBeUndefined()
  expect(upgradeWindow(running)).toEqual({ fromMs: minute(60), toMs: undefined, isEndKnown: true })
  const endedAt = new Date(NOW_MS).toISOString()
  expect(upgradeWindow({ ...running, state: 'succeeded', endedAt })).toMatchObject({ toMs: NOW_MS, isEndKnown: true })
})

test('of one whose end is not known the window ends with the last that its phases tell', () => {
  const superseded = { ...running, state: 'superseded', endedAt: null } as const
  expect(upgradeWindow(superseded)).toEqual({ fromMs: minute(60), toMs: minute(50), isEndKnown: false })
  expect(upgradeWindow({ ...superseded, phases: [] })).toEqual({
    fromMs: minute(60),
    toMs: minute(60),
    isEndKnown: false,
  })
})
