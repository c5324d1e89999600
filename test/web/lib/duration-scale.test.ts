import { expect, test } from 'vitest'
import { durationScale } from '../../../src/web/lib/duration-scale.ts'

test('durations stand between the shortest and the longest, and what took no time below them', () => {
  const scale = durationScale([0, 1e9, 1e6, 0])
  expect([scale.shortestNs, scale.longestNs, scale.shareOf(0)]).toEqual([1e6, 1e9, 0])
  expect(scale.shareOf(1e6)).toBeCloseTo(0.1 / 3.2)
  expect(scale.shareOf(1e9)).toBeCloseTo(3.1 / 3.2)
  expect(scale.shareOf(1e12)).toBe(1)
})

test('where nothing took any time, or nothing is there, all stand at the bottom', () => {
  for (const durations of [[], [0, 0]]) {
    const scale = durationScale(durations)
    expect([scale.shareOf(0), scale.shortestNs, scale.longestNs]).toEqual([0, 1, 1])
  }
})
