import { describe, expect, test } from 'vitest'
import { STALLS, type ClusterHistory } from '../../../sim/history/cluster-history.ts'
import { truthOfHistory } from '../../../sim/history/history-truth.ts'
import { RESTART_MS } from '../../../sim/history/hco-processes.ts'
import { planHistory } from '../../../sim/history/plan-history.ts'
import { signalSeries } from '../../../sim/history/signals.ts'

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
        // A CSV that comes while the last upgrade runs waits at the gate.
        const leavesGateMs = next.csv.steps.find(({ phase }) => phase !== 'Pending')?.atMs ?? Infinity
        expect(Math.max(next.csv.createdMs, leavesGateMs)).toBeGreaterThanOrEqual(
          Math.min(upgrade.endMs, upgrade.abortedMs),
        )
      })
    }
  })

  test('leaves the launcher when the releases bundle the same KubeVirt', () => {
    const same = upgrades.filter(({ from, to }) => from.kubevirt === to.kubevirt)
    expect(same.length).toBeGreaterThan(0)
    for (const { rollout, workloads } of same) expect([rollout, workloads]).toEqual([undefined, undefined])
  })
})

test('the next CSV waits at the gate of an upgrade that runs, and machines that it overtakes never end', () => {
  const pairs = FLEET.flatMap(({ upgrades: own }) => own.slice(1).map((next, i) => [own[i]!, next] as const))
  const held = pairs.filter(([last, next]) => next.csv.createdMs < last.endMs && last.outcome === 'succeeded')
  expect(held.length).toBeGreaterThan(10)
  for (const [last, next] of held) {
    expect(next.csv.createdMs).toBeGreaterThan(last.csvSucceededMs)
    expect(next.csv.steps[0]).toMatchObject({ phase: 'Pending', reason: 'OperatorConditionNotUpgradeable' })
    const movedMs = last.workloads?.endMs ?? 0
    expect(movedMs === Infinity || movedMs < (next.components[0]?.endMs ?? Infinity)).toBe(true)
  }
  expect(held.some(([last]) => last.workloads?.endMs === Infinity)).toBe(true)
})

test('HCO restarts in the middle of upgrades and between edits, and counts from 0 in each process', () => {
  const restarts = FLEET.flatMap(({ hcoRestarts = [] }) => hcoRestarts)
  expect(new Set(restarts.map(({ isNewPod }) => isNewPod)).size).toBe(2)
  const isWithinUpgrade = ({ upgrades: own, hcoRestarts = [] }: ClusterHistory): boolean =>
    hcoRestarts.some(({ atMs }) => own.some(({ hcoStartMs, endMs }) => atMs > hcoStartMs && atMs < endMs))
  expect(FLEET.filter(isWithinUpgrade).length).toBeGreaterThan(10)
  for (const history of FLEET) {
    const counters = signalSeries(history).filter(({ signal }) => signal === 'out_of_band')
    for (const { atMs } of history.hcoRestarts ?? [])
      expect(counters.map(({ valueAt }) => valueAt(atMs + RESTART_MS))).toEqual(counters.map(() => undefined))
    const last = history.edits.at(-1)
    if (last !== undefined && last.atMs > history.fromMs)
      expect(counters.some(({ valueAt }) => (valueAt(last.atMs) ?? 0) > 0)).toBe(true)
  }
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
