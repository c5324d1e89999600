import { expect, test } from 'vitest'
import { deriveUpgrades } from '../../../src/fleet/derive/derive-cluster.ts'
import { observationsOf } from '../../../sim/history/cluster-observations.ts'
import { type Comparison, compareUpgrades } from '../../../sim/history/compare.ts'
import { truthOfHistory } from '../../../sim/history/history-truth.ts'
import { type DeliveryMode, planHistory } from '../../../sim/history/plan-history.ts'

/** Simulated clusters over half a year, with wrong clocks, Collectors that start anew, and gaps. */
const HALF_YEAR = { fromMs: Date.UTC(2025, 10, 1), untilMs: Date.UTC(2026, 4, 1), seed: 'derived upgrades' }
const CLUSTERS = 14

function compared(mode: DeliveryMode): readonly Comparison[] {
  return Array.from({ length: CLUSTERS }, (_, index) => {
    const history = planHistory({ ...HALF_YEAR, mode, index, stallShare: 0.3 })
    return compareUpgrades(truthOfHistory(history), deriveUpgrades(observationsOf(history)))
  })
}

test.each(['objects', 'metrics', 'all', 'mixed'] as const)(
  'by %s every upgrade is found, none is invented, and no time that is said is wrong',
  (mode) => {
    const comparisons = compared(mode)
    const sum = (of: (comparison: Comparison) => number): number => comparisons.reduce((all, one) => all + of(one), 0)
    expect(sum(({ real }) => real)).toBeGreaterThan(20)
    expect(sum(({ found }) => found)).toBe(sum(({ real }) => real))
    expect(comparisons.flatMap(({ invented }) => invented)).toEqual([])
    expect(comparisons.flatMap(({ times }) => times.wrong)).toEqual([])
    const exact = sum(({ times }) => times.exact)
    const all = sum(({ times }) => times.right + times.unknown)
    // What metrics cannot show is most of it, and stays unknown.
    expect(exact / all).toBeGreaterThan(mode === 'metrics' ? 0.05 : mode === 'mixed' ? 0.6 : 0.95)
    if (mode !== 'metrics') expect(comparisons.flatMap(({ states }) => states.wrong)).toEqual([])
  },
)
