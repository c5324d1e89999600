import { expect, test } from 'vitest'
import type { UpgradeRecord } from '../../../src/model/upgrade.ts'
import { compareUpgrades } from '../../../sim/history/compare.ts'
import { truthOfHistory, type HistoryTruth, type TruthUpgradeRecord } from '../../../sim/history/history-truth.ts'
import { planHistory } from '../../../sim/history/plan-history.ts'

const TRUTH = truthOfHistory(
  planHistory({
    seed: 'compare',
    index: 1,
    fromMs: Date.UTC(2025, 8, 1),
    untilMs: Date.UTC(2026, 8, 1),
    mode: 'objects',
  }),
)

/** The record that a perfect derivation would make. */
function perfect(truth: HistoryTruth, real: TruthUpgradeRecord): UpgradeRecord {
  return {
    upgrade: {
      id: real.csvUid ?? `${real.operator} ${real.to}`,
      cluster: truth.cluster,
      ...{ operator: real.operator, from: real.from, to: real.to, state: real.state },
      ...(real.startedMs === undefined ? {} : { startedMs: real.startedMs }),
      ...(real.endedMs === undefined ? {} : { endedMs: real.endedMs }),
      phases: real.phases.map((phase) => ({ ...phase, resolutionSeconds: 1, isReconstructed: false })),
      evidence: [],
      resolutionSeconds: 1,
    },
    detail: {
      ...(real.csvUid === undefined ? {} : { csvUid: real.csvUid }),
      ...{ csvSteps: [], components: [], conditionChanges: [], featureGateChanges: [] },
      observedUntilMs: truth.untilMs,
    },
  }
}

const RECORDS = TRUTH.upgrades.map((real) => perfect(TRUTH, real))

test('perfect records are found, right and exact', () => {
  const { real, found, missed, invented, states, times } = compareUpgrades(TRUTH, RECORDS.toReversed())
  expect(real).toBeGreaterThan(2)
  expect({ found, missed, invented, states, wrong: times.wrong, unknown: times.unknown }).toEqual({
    ...{ found: real, missed: [], invented: [], states: { right: real, unknown: 0, wrong: [] }, wrong: [], unknown: 0 },
  })
  expect(times.exact).toBe(times.right)
})

test('what is missing, made up, or of another state is named', () => {
  const [first, ...rest] = RECORDS
  const other: UpgradeRecord = { ...first!, upgrade: { ...first!.upgrade, to: '9.9.9' } }
  const comparison = compareUpgrades(TRUTH, [
    other,
    ...rest.map((record) => ({ ...record, upgrade: { ...record.upgrade, state: 'failed' as const } })),
  ])
  expect(comparison.missed).toEqual([expect.stringContaining(first!.upgrade.to)])
  expect(comparison.invented).toEqual([expect.stringContaining('9.9.9')])
  expect(comparison.states.wrong).toHaveLength(comparison.found)
})

test.each([
  [0, 'exact'],
  [1000, 'exact'],
  [20_000, 'within'],
  [40_000, 'wrong'],
])('a time that is %d ms off, of a resolution of 30 seconds, is %s', (offMs, verdict) => {
  const [record] = RECORDS
  const phases = record!.upgrade.phases.map((phase) =>
    phase.name === 'olm' ? { ...phase, startedMs: phase.startedMs! + offMs, resolutionSeconds: 30 } : phase,
  )
  const { times } = compareUpgrades(TRUTH, [{ ...record!, upgrade: { ...record!.upgrade, phases } }])
  const got = times.wrong.length > 0 ? 'wrong' : times.exact === times.right ? 'exact' : 'within'
  expect(got).toBe(verdict)
})

test('a phase that is not told is unknown, and one that never was is wrong', () => {
  const [record] = RECORDS
  const untold = record!.upgrade.phases.filter(({ name }) => name !== 'settle')
  expect(compareUpgrades(TRUTH, [{ ...record!, upgrade: { ...record!.upgrade, phases: untold } }]).times.unknown).toBe(
    2,
  )
})
