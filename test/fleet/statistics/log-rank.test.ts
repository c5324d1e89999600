import fc from 'fast-check'
import { expect, test } from 'vitest'
import { durationsOf } from '../../../src/fleet/statistics/durations.ts'
import { logRankTest } from '../../../src/fleet/statistics/log-rank.ts'
import { PLACEBO, SIX_MP } from './remission.ts'

// R: survdiff(Surv(time, status) ~ treatment), observed 9 and 21, expected 19.3 and 10.7, chi-square 16.8, p = 4e-05.
test('the example of the books comes out as in the books', () => {
  const test = logRankTest(SIX_MP, PLACEBO)!
  expect(test.finished).toBe(9)
  expect(test.expected).toBeCloseTo(19.25, 2)
  expect(test.chiSquare).toBeCloseTo(16.793, 3)
  expect(test.pValue).toBeCloseTo(4.17e-5, 7)
})

test.each([
  ['nothing', [], []],
  ['one group alone', [3, 4], []],
  ['a group that was lost before the other ended', [3, 4], [1]],
])('%s tells nothing', (_, first, second) => {
  expect(logRankTest(durationsOf(first, []), durationsOf([], second))).toBeUndefined()
})

const group = fc
  .tuple(fc.array(fc.nat(30), { maxLength: 30 }), fc.array(fc.nat(30), { maxLength: 30 }))
  .map(([finished, censored]) => durationsOf(finished, censored))

test('it does not matter which group is named first', () => {
  fc.assert(
    fc.property(group, group, (a, b) => {
      const [there, back] = [logRankTest(a, b), logRankTest(b, a)]
      expect(back === undefined).toBe(there === undefined)
      if (there === undefined) return
      expect(back!.chiSquare).toBeCloseTo(there.chiSquare, 6)
      expect(there.pValue).toBeGreaterThanOrEqual(0)
      expect(there.pValue).toBeLessThanOrEqual(1)
    }),
  )
})

test('a group is not different from itself, and of twenty pairs alike about one in twenty is told apart', () => {
  fc.assert(
    fc.property(group, (a) => {
      const same = logRankTest(a, a)
      if (same !== undefined) expect(same.chiSquare).toBeCloseTo(0, 8)
    }),
  )
  // A linear congruence is random enough for runs that follow one law.
  let seed = 7
  const next = (): number => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648
  const sample = (): ReturnType<typeof durationsOf> =>
    durationsOf(
      Array.from({ length: 40 }, () => -Math.log(1 - next())),
      Array.from({ length: 10 }, () => next()),
    )
  const told = Array.from({ length: 400 }, () => logRankTest(sample(), sample())!.pValue).filter((p) => p < 0.05)
  expect(told.length).toBeGreaterThan(6)
  expect(told.length).toBeLessThan(40)
})
