import { describe, expect, test } from 'vitest'
import { fisherPValue } from '../../../src/fleet/statistics/fisher.ts'
import { commonOddsRatio } from '../../../src/fleet/statistics/mantel-haenszel.ts'
import { shareBounds } from '../../../src/fleet/statistics/share-bounds.ts'

function table(a: number, n1: number, c: number, n2: number) {
  return { first: { count: a, of: n1 }, second: { count: c, of: n2 } }
}

// scipy 1.17, fisher_exact(alternative='greater').
test.each([
  [table(3, 10, 1, 30), 0.04168946274209432],
  [table(8, 100, 6, 300), 0.009108968145629597],
  [table(0, 10, 5, 30), 1],
  [table(20, 1000, 100, 9000), 0.01521351066218181],
])('Fisher’s exact test of $first and $second', (shares, pValue) => {
  expect(fisherPValue(shares)).toBeCloseTo(pValue, 12)
})

test('Fisher’s exact test at the edges of the table', () => {
  expect(fisherPValue(table(5, 5, 5, 5))).toBe(1)
  expect(fisherPValue(table(1, 1, 0, 5))).toBeCloseTo(1 / 6, 12)
  expect(fisherPValue(table(0, 0, 0, 0))).toBe(1)
})

describe('the common odds ratio', () => {
  // The formulas of Robins, Breslow and Greenland, evaluated apart from this code.
  test('of two strata, with its interval', () => {
    const found = commonOddsRatio([table(10, 30, 5, 40), table(3, 12, 2, 20)])!
    expect(found.ratio).toBeCloseTo(3.3587443946188342, 12)
    expect(found.low).toBeCloseTo(1.2034351121605644, 12)
    expect(found.high).toBeCloseTo(9.374135584368995, 12)
  })

  test('an empty stratum changes nothing; without failures of one group there is none', () => {
    const strata = [table(10, 30, 5, 40), table(3, 12, 2, 20)]
    expect(commonOddsRatio([...strata, table(0, 0, 0, 0)])).toEqual(commonOddsRatio(strata))
    expect(commonOddsRatio([table(3, 10, 0, 10)])).toBeUndefined()
    expect(commonOddsRatio([])).toBeUndefined()
  })
})

describe('bounds of a share at every look', () => {
  // The same equation solved by scipy's brentq with its beta function.
  test.each([
    [0, 20, 0.05, 0, 0.22400611201271256],
    [1, 53, 0.05, 3.6887278918339814e-5, 0.14745143822209172],
    [30, 300, 0.025, 0.04824937050367786, 0.17540854947880116],
  ])('%s of %s, %s on each side', (count, of, alpha, low, high) => {
    const bounds = shareBounds(count, of, alpha)
    expect(bounds.low).toBeCloseTo(low, 10)
    expect(bounds.high).toBeCloseTo(high, 10)
  })

  test('all mirror none, and nothing is known of nothing', () => {
    expect(shareBounds(20, 20, 0.05).low).toBeCloseTo(1 - 0.22400611201271256, 10)
    expect(shareBounds(20, 20, 0.05).high).toBe(1)
    expect(shareBounds(0, 0, 0.05)).toEqual({ low: 0, high: 1 })
  })

  test('a share ever outside its bounds is as rare as promised', () => {
    let outside = 0
    const rollouts = 400
    const random = randomOf(7)
    for (let i = 0; i < rollouts; i++) {
      let count = 0
      for (let of = 1; of <= 150; of++) {
        if (random() < 0.1) count++
        const { low, high } = shareBounds(count, of, 0.05)
        if (low > 0.1 || high < 0.1) {
          outside++
          break
        }
      }
    }
    expect(outside / rollouts).toBeLessThan(0.1)
    expect(outside).toBeGreaterThan(0)
  })
})

/** Mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}
