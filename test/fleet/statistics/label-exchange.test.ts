import fc from 'fast-check'
import { expect, test } from 'vitest'
import { logEValue, type LabelledScore } from '../../../src/fleet/statistics/label-exchange.ts'

function block(canary: readonly number[], baseline: readonly number[]): readonly LabelledScore[] {
  return [
    ...canary.map((score) => ({ score, isCanary: true })),
    ...baseline.map((score) => ({ score, isCanary: false })),
  ]
}

// scipy 1.17, nchypergeom_fisher: 3 of 5 canaries and 1 of 7 others fail.
test.each([
  [3, 1.035547917528993],
  [1.5, 0.4821231648456713],
])('with scores 0 and 1 it is the ratio of Fisher’s noncentral hypergeometric, odds ratio %s', (odds, log) => {
  const scores = block([1, 0, 1, 1, 0], [0, 0, 1, 0, 0, 0, 0])
  expect(logEValue(scores, Math.log(odds))).toBeCloseTo(log, 12)
})

test('one group alone is no evidence', () => {
  expect(logEValue(block([1, 1], []), 2)).toBe(0)
  expect(logEValue(block([], [1, 1]), 2)).toBe(0)
})

const scores = fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: 2, maxLength: 9 })
const tilts = fc.double({ min: 0.1, max: 3, noNaN: true })

test('over all choices of the canaries its mean is 1, whatever the scores and the tilt are', () => {
  fc.assert(
    fc.property(scores, tilts, fc.integer({ min: 1, max: 8 }), (all, tilt, size) => {
      fc.pre(size < all.length)
      const choices = Array.from({ length: 1 << all.length }, (_, bits) =>
        all.map((score, i) => ({ score, isCanary: ((bits >> i) & 1) === 1 })),
      ).filter((labelled) => labelled.filter(({ isCanary }) => isCanary).length === size)
      const mean = choices.reduce((sum, one) => sum + Math.exp(logEValue(one, tilt)), 0) / choices.length
      expect(mean).toBeCloseTo(1, 9)
    }),
    { numRuns: 60 },
  )
})

test('the order of a block does not matter, and neither does a shift of its scores', () => {
  fc.assert(
    fc.property(scores, tilts, fc.array(fc.boolean(), { minLength: 9, maxLength: 9 }), (all, tilt, labels) => {
      const one = all.map((score, i) => ({ score, isCanary: labels[i]! }))
      const e = logEValue(one, tilt)
      expect(logEValue([...one].reverse(), tilt)).toBeCloseTo(e, 9)
      const shifted = one.map(({ score, isCanary }) => ({ score: score + 5, isCanary }))
      expect(logEValue(shifted, tilt)).toBeCloseTo(e, 9)
    }),
  )
})

test('large blocks neither overflow nor vanish', () => {
  const many = (count: number, score: number) => Array.from({ length: count }, () => score)
  const rare = block([...many(20, 1), ...many(980, 0)], [...many(40, 1), ...many(1960, 0)])
  expect(logEValue(rare, 2.5)).toBeLessThan(0)
  const failing = block([...many(900, 1), ...many(100, 0)], [...many(1, 1), ...many(1999, 0)])
  expect(logEValue(failing, 2.5)).toBeGreaterThan(500)
})
