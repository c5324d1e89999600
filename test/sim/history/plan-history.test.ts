import { describe, expect, test } from 'vitest'
import { STALLS, type ClusterHistory } from '../../../sim/history/cluster-history.ts'
import { truthOfHistory } from '../../../sim/history/history-truth.ts'
import { planHistory } from '../../../sim/history/plan-history.ts'

const YEAR = { fromMs: Date.UTC(2025, 8, 1), untilMs: Date.UTC(2026, 8, 1), seed: 'plans', mode: 'mixed' } as const

function plans(clusters: number): readonly ClusterHistory[] {
  return Array.from({ length: clusters }, (_, index) => planHistory({ ...YEAR, index }))
}

const FLEET = plans(300)

test('a cluster depends on the seed and its number only', () => {
  expect(JSON.stringify(plans(3)[2])).toBe(JSON.stringify(FLEET[2]))
  expect(JSON.stringify(planHistory({ ...YEAR, seed: 'other', index: 2 }))).not.toBe(JSON.stringify(FLEET[2]))
})

test('with releases so much later, the same happens so much later', () => {
  const shiftMs = 82 * 86_400_000 + 3_600_000
  for (const index of [0, 1, 2, 3, 4]) {
    const later = truthOfHistory(
      planHistory({
        ...YEAR,
        index,
        fromMs: YEAR.fromMs + shiftMs,
        untilMs: YEAR.untilMs + shiftMs,
        calendarShiftMs: shiftMs,
      }),
    )
    const back = JSON.stringify(later, (key, value: unknown) =>
      key.endsWith('Ms') && key !== 'skewMs' && typeof value === 'number' ? value - shiftMs : value,
    )
    expect(back).toBe(JSON.stringify(truthOfHistory(FLEET[index]!)))
  }
})

test('all times are whole seconds or never', () => {
  const times = JSON.stringify(FLEET, (key, value: unknown) =>
    key.endsWith('Ms') &&
    typeof value === 'number' &&
    Number.isFinite(value) &&
    key !== 'scrapeOffsetMs' &&
    value % 1000 !== 0
      ? `odd ${key}`
      : value,
  )
  expect(times).not.toContain('odd ')
})

test('every kind of stall, outcome and way of telling is met in a year', () => {
  const upgrades = FLEET.flatMap((history) => history.upgrades)
  const kinds = new Set(upgrades.flatMap(({ stall }) => stall?.kind ?? []))
  expect([...kinds].toSorted()).toEqual(Object.keys(STALLS).toSorted())
  const outcomes = new Set(upgrades.map(({ outcome }) => outcome))
  expect([...outcomes].toSorted()).toEqual(['failed', 'in_progress', 'rolled_back', 'succeeded', 'superseded'])
  expect(FLEET.some(({ platform }) => platform?.upgrades.some(({ stall }) => stall !== undefined))).toBe(true)
  for (const way of ['objects', 'metrics', 'spans'] as const) {
    expect(FLEET.some(({ tells }) => tells[way])).toBe(true)
    expect(FLEET.some(({ tells }) => !tells[way])).toBe(true)
  }
  expect(FLEET.every(({ tells }) => tells.objects || tells.metrics)).toBe(true)
})

describe('an upgrade', () => {
  const upgrades = FLEET.flatMap((history) => history.upgrades)

  test('goes through its steps in order', () => {
    for (const upgrade of upgrades) {
      const { offeredMs, plannedMs, approvedMs, csv, csvSucceededMs, hcoStartMs, endMs } = upgrade
      const steps = [offeredMs, plannedMs, approvedMs, csv.createdMs, csvSucceededMs, hcoStartMs, endMs]
      expect(steps).toEqual(steps.toSorted((a, b) => a - b))
      for (const component of upgrade.components) expect(component.endMs).toBeLessThanOrEqual(endMs)
    }
  })

  test('never has an end when it was given up, and the next begins where it stopped', () => {
    for (const { upgrades: own } of FLEET) {
      own.forEach((upgrade, i) => {
        const next = own[i + 1]
        if (upgrade.abortedMs < Infinity) expect(upgrade.endMs).toBe(Infinity)
        if (next === undefined) return
        expect(next.from).toBe(upgrade.endMs < Infinity ? upgrade.to : upgrade.from)
        expect(next.csv.createdMs).toBeGreaterThanOrEqual(Math.min(upgrade.endMs, upgrade.abortedMs))
      })
    }
  })

  test('leaves the launcher when the releases bundle the same KubeVirt', () => {
    const same = upgrades.filter(({ from, to }) => from.kubevirt === to.kubevirt)
    expect(same.length).toBeGreaterThan(0)
    for (const { rollout, workloads } of same) expect([rollout, workloads]).toEqual([undefined, undefined])
  })
})

test('versions follow each other without a hole', () => {
  for (const { versions } of FLEET.map(truthOfHistory)) {
    for (const operator of new Set(versions.map((interval) => interval.operator))) {
      const own = versions.filter((interval) => interval.operator === operator)
      own.forEach((interval, i) => {
        expect(interval.untilMs).toBe(own[i + 1]?.fromMs)
      })
    }
  }
})
