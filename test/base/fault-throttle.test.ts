import { expect, test } from 'vitest'
import { FaultThrottle } from '../../src/base/fault-throttle.ts'

test('a fault is admitted once a minute, another one beside it, and all when the clock is set back', () => {
  const throttle = new FaultThrottle()
  const admitted = (fault: string, ...timesMs: readonly number[]) =>
    timesMs.map((nowMs) => throttle.admits(fault, nowMs))
  expect(admitted('disk full', 1_000_000, 1_001_000, 1_059_999, 1_060_000)).toEqual([true, false, false, true])
  expect(admitted('no disk', 1_061_000)).toEqual([true])
  expect(admitted('disk full', 1_062_000, 900_000, 901_000)).toEqual([false, true, false])
})

test('a fault may be admitted several times a minute', () => {
  const throttle = new FaultThrottle(3)
  const timesMs = [0, 1, 59_999, 59_999, 60_000, 60_000, 60_000, 60_000]
  const admitted = timesMs.map((ms) => throttle.admits('overloaded', ms))
  expect(admitted).toEqual([true, true, true, false, true, true, true, false])
})
