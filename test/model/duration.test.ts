import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatDuration, parseDuration } from '../../src/model/duration.ts'

describe('durations as Prometheus writes them', () => {
  test.each([
    ['0', 0],
    ['15s', 15_000],
    ['1h30m', 5_400_000],
    ['1y2w3d', 365 * 86_400_000 + 14 * 86_400_000 + 3 * 86_400_000],
    ['250ms', 250],
    ['0s', 0],
  ])('%s is %i ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms)
  })

  test.each(['', '1', '1m30', '30m1h', '1h1h', '-1s', '1.5h', '1 h', 'h', '1min', '99999999999999999y'])(
    '%j is none',
    (text) => {
      expect(parseDuration(text)).toBeUndefined()
    },
  )

  test.each([
    [90_000, '1m30s'],
    [86_400_000, '1d'],
    [7 * 86_400_000, '1w'],
    [8 * 86_400_000, '8d'],
    [0, '0s'],
    [-1500, '-1s500ms'],
  ])('%i ms prints as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text)
  })

  test('what is printed is read back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBe(ms)
      }),
    )
  })
})
