import { describe, expect, test } from 'vitest'
import type { ClusterHistory } from '../../../sim/history/cluster-history.ts'
import { planHistory } from '../../../sim/history/plan-history.ts'
import { pullTimes } from '../../../sim/history/pulls.ts'
import { mergedShipments, shippingOf, type Shipment } from '../../../sim/history/shipments.ts'
import { watch } from '../../../sim/history/watch.ts'
import { historySamples } from '../../../sim/history/wire-series.ts'

const HOUR_MS = 3_600_000
const MONTH = { seed: 'ships', fromMs: Date.UTC(2026, 5, 20), untilMs: Date.UTC(2026, 6, 20), mode: 'all' } as const
const HISTORIES = Array.from({ length: 12 }, (_, index) => planHistory({ ...MONTH, index }))
const quiet = (history: ClusterHistory, delivery: Partial<ClusterHistory['delivery']> = {}): ClusterHistory => ({
  ...history,
  delivery: { skewMs: 0, restartsMs: [], outages: [], repeatShare: 0, ...delivery },
})
const upgrading = HISTORIES.filter(({ upgrades }) => (upgrades[0]?.endMs ?? Infinity) < MONTH.untilMs).toSorted(
  (a, b) => a.profile.vms - b.profile.vms,
)[0]!
const LATER_MS = MONTH.untilMs + 72 * HOUR_MS

function of<K extends Shipment['kind']>(shipments: readonly Shipment[], kind: K): Extract<Shipment, { kind: K }>[] {
  return shipments.filter((one): one is Extract<Shipment, { kind: K }> => one.kind === kind)
}

const all = (history: ClusterHistory): readonly Shipment[] =>
  shippingOf(history, { hasFailovers: false }).until(LATER_MS)

test('asked in pieces it ships what it ships at once', () => {
  const texts = (shipments: readonly Shipment[]) =>
    shipments.flatMap((one) => {
      if (one.kind === 'samples')
        return one.runs.flatMap(({ labels, samples }) => samples.map((sample) => JSON.stringify([labels.flat, sample])))
      return [JSON.stringify(one.kind === 'objects' ? one.observations : one.spans)]
    })
  const pieces = shippingOf(quiet(upgrading), { hasFailovers: true })
  const together: Shipment[] = []
  for (let timeMs = MONTH.fromMs; timeMs < LATER_MS; timeMs += 77 * HOUR_MS) together.push(...pieces.until(timeMs))
  together.push(...pieces.until(LATER_MS))
  const whole = shippingOf(quiet(upgrading), { hasFailovers: true }).until(LATER_MS)
  expect(texts(together).toSorted()).toEqual(texts(whole).toSorted())
})

test('every sample and every watched object is in it, once', () => {
  const history = quiet(upgrading)
  const shipments = all(history)
  const samples = of(shipments, 'samples').flatMap(({ runs }) => runs)
  const count = (runs: typeof samples): number => runs.reduce((sum, run) => sum + run.samples.length, 0)
  expect(count(samples)).toBe(count([...historySamples(history)]))
  const watched = watch(history).observations.filter(({ change }) => change !== 'listed')
  const shipped = of(shipments, 'objects').flatMap(({ observations }) => observations)
  expect(shipped.filter(({ change }) => change !== 'listed')).toHaveLength(watched.length)
})

test('nothing arrives before it was seen', () => {
  for (const { arrivesMs, observations } of of(all(quiet(upgrading)), 'objects')) {
    for (const { observedMs } of observations) expect(observedMs).toBeLessThanOrEqual(arrivesMs)
  }
})

describe('cut off and late', () => {
  const [first] = upgrading.upgrades
  const outage = {
    fromMs: first!.csv.createdMs - HOUR_MS,
    untilMs: first!.csv.createdMs + 5 * HOUR_MS,
    kind: 'late',
  } as const
  const shipments = all(quiet(upgrading, { outages: [outage] }))

  test('nothing arrives meanwhile, and everything does afterwards', () => {
    const meanwhile = shipments.filter(
      ({ arrivesMs }) => arrivesMs > outage.fromMs + 10_000 && arrivesMs < outage.untilMs,
    )
    expect(meanwhile).toEqual([])
    const uids = of(shipments, 'objects').flatMap(({ observations }) => observations.map(({ uid }) => uid))
    expect(uids).toContain(first!.csv.uid)
  })

  test('samples come in the order of their scrapes, objects in any', () => {
    const times = of(shipments, 'samples').map(({ runs }) => runs[0]!.samples[0]!.timeMs)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    const backlog = of(shipments, 'objects')
      .filter(({ arrivesMs }) => arrivesMs >= outage.untilMs && arrivesMs < outage.untilMs + 3 * 60_000)
      .map(({ observations }) => observations[0]!.observedMs)
    expect(backlog.length).toBeGreaterThan(5)
    expect(backlog).not.toEqual(backlog.toSorted((a, b) => a - b))
  })
})

test('shuffled, no sample comes long after a newer one of its series, not even when they waited', () => {
  const [{ csv }] = upgrading.upgrades as [ClusterHistory['upgrades'][number]]
  const outage = { fromMs: csv.createdMs - HOUR_MS, untilMs: csv.createdMs + 4 * HOUR_MS, kind: 'late' } as const
  const newestMs = new Map<string, number>()
  let behindMs = 0
  const shipments = all(quiet(upgrading, { outages: [outage], shuffledMs: HOUR_MS / 2 }))
  for (const { labels, samples } of of(shipments, 'samples').flatMap(({ runs }) => runs)) {
    for (const { timeMs } of samples) {
      const newest = Math.max(newestMs.get(labels.key) ?? -Infinity, timeMs)
      newestMs.set(labels.key, newest)
      behindMs = Math.max(behindMs, newest - timeMs)
    }
  }
  expect(behindMs).toBeGreaterThan(0)
  expect(behindMs).toBeLessThan(HOUR_MS)
})

test('the share of requests that is repeated is the planned one', () => {
  const shipments = all(quiet(upgrading, { repeatShare: 0.3 }))
  const objects = of(shipments, 'objects').map(({ observations }) => observations)
  const share = objects.length / new Set(objects).size - 1
  expect(share).toBeGreaterThan(0.2)
  expect(share).toBeLessThan(0.4)
})

test('the first of a pair is away in each upgrade, and the second one scrapes meanwhile', () => {
  const pair = { ...upgrading, profile: { ...upgrading.profile, isHa: true } }
  const { createdMs } = pair.upgrades[0]!.csv
  const replicas = new Map<string, number>()
  for (const { runs } of of(shippingOf(quiet(pair), { hasFailovers: true }).until(LATER_MS), 'samples')) {
    for (const { labels, samples } of runs) {
      const replica = labels.get('prometheus_replica')
      const isIn = samples.some(({ timeMs }) => timeMs > createdMs + 5 * 60_000 && timeMs < createdMs + 9 * 60_000)
      replicas.set(replica, (replicas.get(replica) ?? 0) + Number(isIn))
    }
  }
  expect([...replicas.values()].filter((count) => count === 0)).toHaveLength(1)
  expect(replicas.size).toBe(2)
})

test('lists come each half hour while an upgrade is open, twice after an outage, and now and then elsewhere', () => {
  const gap = { fromMs: MONTH.fromMs + 24 * HOUR_MS, untilMs: MONTH.fromMs + 30 * HOUR_MS, kind: 'gap' } as const
  const times = pullTimes(quiet({ ...upgrading, upgrades: [], platform: undefined }, { outages: [gap] }))
  expect(times.filter((timeMs) => timeMs >= gap.fromMs && timeMs < gap.untilMs)).toEqual([])
  expect(times.filter((timeMs) => timeMs >= gap.untilMs && timeMs < gap.untilMs + 61 * 60_000)).toHaveLength(2)
  expect(times.length).toBeLessThan(30 * 5)
  const [{ csv }] = upgrading.upgrades as [ClusterHistory['upgrades'][number]]
  const close = pullTimes(quiet(upgrading)).filter(
    (timeMs) => timeMs > csv.createdMs - HOUR_MS && timeMs < csv.createdMs + HOUR_MS,
  )
  expect(close.length).toBeGreaterThanOrEqual(1)
})

test('what is older than a server keeps is not sent', () => {
  const fromMs = upgrading.upgrades[0]!.csv.createdMs
  const from = { samplesMs: fromMs, objectsMs: fromMs + HOUR_MS, spansMs: fromMs }
  const shipments = shippingOf(quiet(upgrading), { hasFailovers: false, from }).until(LATER_MS)
  const samples = of(shipments, 'samples').flatMap(({ runs }) => runs.flatMap((run) => run.samples))
  const objects = of(shipments, 'objects').flatMap(({ observations }) => observations)
  expect(Math.min(...samples.map(({ timeMs }) => timeMs))).toBeGreaterThanOrEqual(fromMs)
  expect(Math.min(...objects.map(({ observedMs }) => observedMs))).toBeGreaterThanOrEqual(fromMs + HOUR_MS)
  expect(samples.length).toBeGreaterThan(100)
})

test('neighbours of one kind go out as one, and nothing is lost', () => {
  const shipments = all(quiet(upgrading))
  const merged = mergedShipments(shipments)
  const objects = (some: readonly Shipment[]) => of(some, 'objects').flatMap(({ observations }) => observations)
  expect(objects(merged)).toEqual(objects(shipments))
  expect(merged.length).toBeLessThan(shipments.length)
  expect(merged.some((one, i) => one.kind === 'objects' && merged[i + 1]?.kind === 'objects')).toBe(false)
})
