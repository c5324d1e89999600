import { expect, test } from 'vitest'
import { Schedule } from '../../../src/fleet/loop/schedule.ts'

test('work is due at first, then once in its interval, and anew when the clock is set back or the schedule reset', () => {
  const schedule = new Schedule()
  const due = [1000, 1500, 2000, 2999, 500, 600].map((nowMs) => schedule.isDue(1000, nowMs))
  expect(due).toEqual([true, false, true, false, true, false])
  schedule.reset()
  expect(schedule.isDue(1000, 601)).toBe(true)
})
