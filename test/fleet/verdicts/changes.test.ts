import { describe, expect, test } from 'vitest'
import { alertChanges } from '../../../src/fleet/verdicts/alert-changes.ts'
import { phaseChanges } from '../../../src/fleet/verdicts/phase-changes.ts'
import type { PhasedRun } from '../../../src/fleet/verdicts/cohorts.ts'
import { createRolloutMemo } from '../../../src/fleet/verdicts/rollout-memo.ts'
import { DEFAULT_ROLLOUT_POLICY } from '../../../src/model/rollout-verdict.ts'

function runs(isCanary: boolean, seconds: readonly number[], known: Partial<PhasedRun> = {}): readonly PhasedRun[] {
  return seconds.map((own, i) => ({
    ...{
      id: `${isCanary}-${i}`,
      cluster: `${isCanary}-${i}`,
      isCanary,
      stratum: 's',
      startedMs: 0,
      observedUntilMs: 1e9,
    },
    phases: { names: ['approval', 'olm', 'operands'], areFinished: [true, true, true] },
    phaseSeconds: [99_999, own, 600],
    whole: { seconds: own + 600, isFinished: true },
    ...known,
  }))
}

const SHORT = [50, 52, 54, 56, 58, 60, 62, 64, 66, 68]
const LONG = SHORT.map((seconds) => 3 * seconds)

describe('phases', () => {
  test('the whole first, then phases in order, without those that people decide', () => {
    const found = phaseChanges([...runs(true, LONG), ...runs(false, SHORT)])
    expect(found.map(({ phase, change }) => [phase, change])).toEqual([
      ['upgrade', 'slower'],
      ['olm', 'slower'],
      ['operands', 'similar'],
    ])
    expect(found[1]).toMatchObject({
      canary: { runs: 10, censored: 0, medianSeconds: 174 },
      baseline: { runs: 10, medianSeconds: 58 },
      strata: 1,
    })
    expect(found[1]!.ratio!.value).toBeCloseTo(3, 5)
  })

  test('faster, when the groups change places', () => {
    expect(phaseChanges([...runs(true, SHORT), ...runs(false, LONG)])[1]).toMatchObject({
      phase: 'olm',
      change: 'faster',
    })
  })

  test('a phase that did not finish counts as longer, and fewer than half finished has no median', () => {
    const open = { phases: { names: ['olm'], areFinished: [false] }, phaseSeconds: [4000] } as const
    const [, olm] = phaseChanges([...runs(true, SHORT.slice(0, 2)), ...runs(true, SHORT, open), ...runs(false, SHORT)])
    expect(olm).toMatchObject({ change: 'slower', canary: { runs: 12, censored: 10 } })
    expect(olm!.canary.medianSeconds).toBeUndefined()
    expect(olm!.ratio!.low).toBeGreaterThan(1)
    expect(olm!.ratio!.high).toBeUndefined()
  })

  test('fewer than five are not compared', () => {
    const of = (count: number) => phaseChanges([...runs(true, LONG.slice(0, count)), ...runs(false, SHORT)])[1]!
    expect(of(4)).toMatchObject({ change: 'unknown', canary: { runs: 4 } })
    expect(of(4).ratio).toBeUndefined()
    expect(of(5).ratio).toBeDefined()
  })

  test('a stratum with one group counts nowhere', () => {
    const found = phaseChanges([...runs(true, LONG, { stratum: 'other' }), ...runs(false, SHORT)])
    expect(found[0]).toMatchObject({ canary: { runs: 0 }, baseline: { runs: 0 }, strata: 0, change: 'unknown' })
  })
})

describe('alerts', () => {
  const windows = (isCanary: boolean, count: number, before: readonly string[], after: readonly string[]) =>
    Array.from({ length: count }, (_, i) => ({
      cluster: `${isCanary} ${i}`,
      isCanary,
      stratum: 's',
      startedMs: 0,
      before,
      after,
    }))

  test('new ones, then more frequent ones; none that is as frequent as elsewhere', () => {
    const found = alertChanges([
      ...windows(true, 8, ['Usual'], ['Usual', 'More', 'More']),
      ...windows(true, 2, ['Usual'], ['Usual', 'New']),
      ...windows(false, 18, ['Usual'], ['Usual']),
      ...windows(false, 2, ['Usual', 'More'], ['Usual']),
    ])
    expect(found).toMatchObject([
      {
        alertname: 'New',
        isNew: true,
        canary: { count: 2, of: 10 },
        others: { count: 0, of: 50 },
        ratio: { value: Infinity },
      },
      { alertname: 'More', isNew: false, canary: { count: 8, of: 10 }, others: { count: 2, of: 50 } },
    ])
    expect(found[0]!.ratio.high).toBeUndefined()
    expect(found[1]!.ratio.value).toBeCloseTo(8 / 10 / (2 / 50), 9)
    expect(found[1]!.ratio.low).toBeGreaterThan(1)
    expect(found[1]!.ratio.high).toBeGreaterThan(20)
  })

  test('what the baseline had after its day counts as elsewhere, too', () => {
    const [one] = alertChanges([...windows(true, 4, [], ['A']), ...windows(false, 4, [], ['A'])])
    expect(one).toMatchObject({ isNew: false, others: { count: 4, of: 12 } })
  })

  test('nothing after an upgrade', () => {
    expect(alertChanges([...windows(true, 3, ['A'], []), ...windows(false, 3, [], ['B'])])).toEqual([])
    expect(alertChanges([])).toEqual([])
    // As often as before.
    expect(alertChanges(windows(true, 1, ['A'], ['A']))).toEqual([])
  })
})

test('verdicts are remembered for half a minute, by key, and failures are not', async () => {
  const memo = createRolloutMemo()
  let times = 0
  const compute = () => Promise.resolve({ policy: DEFAULT_ROLLOUT_POLICY, rollouts: [], times: ++times })
  await memo('a', 0, compute)
  await memo('a', 29_999, compute)
  expect(times).toBe(1)
  await memo('a', 30_000, compute)
  await memo('b', 30_000, compute)
  expect(times).toBe(3)
  await expect(memo('c', 0, () => Promise.reject(new Error('a page of the disk is gone')))).rejects.toThrow('a page')
  await memo('c', 0, compute)
  expect(times).toBe(4)
  for (let i = 0; i < 10; i++) await memo(`k${i}`, 0, compute)
  await memo('b', 30_000, compute)
  expect(times).toBe(15)
})
