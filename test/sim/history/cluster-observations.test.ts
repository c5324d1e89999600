import { expect, test } from 'vitest'
import { knownAt, observationsOf } from '../../../sim/history/cluster-observations.ts'
import type { ClusterHistory } from '../../../sim/history/cluster-history.ts'
import { planHistory } from '../../../sim/history/plan-history.ts'

const YEAR = { fromMs: Date.UTC(2025, 8, 1), untilMs: Date.UTC(2026, 8, 1), seed: 'observed', mode: 'all' } as const
const HISTORIES = Array.from({ length: 12 }, (_, index) => planHistory({ ...YEAR, index }))
const quiet = (history: ClusterHistory): ClusterHistory => ({
  ...history,
  delivery: { skewMs: 0, restartsMs: [], outages: [], repeatShare: 0 },
})

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item)) ?? []
    groups.set(keyOf(item), group)
    group.push(item)
  }
  return groups
}

test('states of an object follow each other by resource version and by time', () => {
  for (const history of HISTORIES.map(quiet)) {
    const byUid = groupBy(observationsOf(history).objects, ({ uid }) => uid)
    for (const states of byUid.values()) {
      const byVersion = states.toSorted((a, b) => Number(a.resourceVersion) - Number(b.resourceVersion))
      const told = byVersion.filter(({ change }) => change === 'modified' || change === 'deleted')
      expect(told.map(({ observedMs }) => observedMs)).toEqual(
        told.map(({ observedMs }) => observedMs).toSorted((a, b) => a - b),
      )
    }
  }
})

test('what an object says of itself is by the cluster clock, and when it was seen by the Collector clock', () => {
  const history = quiet(HISTORIES[0]!)
  const skewed = { ...history, delivery: { ...history.delivery, skewMs: 45_000 } }
  const [right, wrong] = [observationsOf(history).objects, observationsOf(skewed).objects]
  expect(wrong.length).toBe(right.length)
  const facts = (objects: typeof right) => objects.map((object) => JSON.stringify(object.facts)).toSorted()
  expect(facts(wrong)).toEqual(facts(right))
  expect(wrong[0]!.observedMs - right[0]!.observedMs).toBe(45_000)
})

test('in a gap nothing is seen, and lists find what it left', () => {
  const history = quiet(HISTORIES.find(({ upgrades }) => upgrades[0]!.endMs < Infinity)!)
  const [upgrade] = history.upgrades
  const gap = { fromMs: upgrade!.csv.createdMs - 60_000, untilMs: upgrade!.endMs + 600_000, kind: 'gap' } as const
  const { objects, absences, metrics } = observationsOf({
    ...history,
    delivery: { ...history.delivery, outages: [gap] },
  })
  expect(objects.some(({ observedMs }) => observedMs > gap.fromMs + 1000 && observedMs < gap.untilMs)).toBe(false)
  expect(metrics.some(({ firstMs }) => firstMs > gap.fromMs && firstMs < gap.untilMs)).toBe(false)
  const csv = objects.filter(({ uid }) => uid === upgrade!.csv.uid)
  expect(csv[0]!.change).toBe('listed')
  expect(csv[0]!.facts).toMatchObject({ phase: 'Succeeded' })
  expect(absences.map(({ uid }) => uid)).toContain(history.firstCsv.uid)
})

test('runs of a series do not overlap, and know the scrapes beside them', () => {
  for (const history of HISTORIES.slice(0, 4)) {
    const bySeries = groupBy(observationsOf(history).metrics, (run) => run.signal + JSON.stringify(run.labels))
    for (const runs of bySeries.values()) {
      runs.forEach((run, i) => {
        expect(run.firstMs).toBeLessThanOrEqual(run.lastMs)
        if (run.beforeMs !== undefined) expect(run.beforeMs).toBeLessThan(run.firstMs)
        if (run.afterMs !== undefined) expect(run.afterMs).toBeGreaterThan(run.lastMs)
        if (i > 0) expect(run.firstMs).toBeGreaterThan(runs[i - 1]!.lastMs)
      })
    }
  }
})

test('around what happens a scrape is 30 seconds, so that a CSV success is known to one', () => {
  const history = quiet(HISTORIES[0]!)
  for (const upgrade of history.upgrades.filter(({ csvSucceededMs }) => csvSucceededMs < Infinity)) {
    const run = observationsOf(history).metrics.find(
      ({ signal, value, firstMs }) =>
        signal === 'csv_succeeded' && value === 1 && Math.abs(firstMs - upgrade.csvSucceededMs) <= 30_000,
    )
    expect(run).toBeDefined()
    expect(run!.firstMs).toBeGreaterThanOrEqual(upgrade.csvSucceededMs)
    expect(run!.beforeMs).toBeLessThan(upgrade.csvSucceededMs)
  }
})

test('what is known at a time is what was seen until then', () => {
  const history = quiet(HISTORIES[1]!)
  const all = observationsOf(history)
  const nowMs = history.upgrades[0]!.csvSucceededMs
  const known = knownAt(all, nowMs)
  expect(known.objects.every(({ observedMs }) => observedMs <= nowMs)).toBe(true)
  expect(known.metrics.every(({ lastMs, afterMs }) => lastMs <= nowMs && (afterMs ?? 0) <= nowMs)).toBe(true)
  expect(knownAt(all, history.untilMs + 60_000).objects.length).toBe(all.objects.length)
})
