import { expect, test } from 'vitest'
import { productVersion } from '../../sim/cluster-profile.ts'
import { collectorRecords } from '../../sim/history/collector-records.ts'
import { historyOfPlan } from '../../sim/history/history-of-plan.ts'
import { pastOfPlan } from '../../sim/history/past-of-plan.ts'
import { createPlan } from '../../sim/scenario.ts'
import { ROLES, type ClusterPlan, type Role } from '../../sim/cluster-plan.ts'
import { silenceAt } from '../../sim/scenarios/silence.ts'
import { createCollector } from '../../sim/sim-collector.ts'
import { deriveCluster, deriveUpgrades } from '../../src/fleet/derive/derive-cluster.ts'
import type { ObjectFacts } from '../../src/model/object-facts.ts'
import type { ClusterObservations, MetricRun, MetricSignal } from '../../src/model/observation.ts'

const PRESENT_MS = Date.UTC(2026, 10, 21, 12)
const START_MS = PRESENT_MS - 2 * 3_600_000
const HOUR_MS = 3_600_000

function planOf(role: Role, index = 3): ClusterPlan {
  return createPlan({ seed: 'collector', index, role, startMs: START_MS, presentMs: PRESENT_MS, scrapeMs: 30_000 })
}

const kindsOf = (plan: ClusterPlan): ReadonlySet<string> =>
  new Set(
    createCollector(plan, START_MS)
      .recordsBetween(START_MS, PRESENT_MS)
      .map(({ facts }) => facts.kind),
  )

test('asked in pieces it says what it says at once', () => {
  const whole = createCollector(planOf('upgrading'), START_MS).recordsBetween(START_MS, PRESENT_MS + 2 * HOUR_MS)
  const pieces = createCollector(planOf('upgrading'), START_MS)
  const together = [START_MS, PRESENT_MS - 7777, PRESENT_MS, PRESENT_MS + HOUR_MS].flatMap((fromMs, i, all) =>
    pieces.recordsBetween(fromMs, all[i + 1] ?? PRESENT_MS + 2 * HOUR_MS),
  )
  const text = (records: typeof whole): readonly string[] => records.map((record) => JSON.stringify(record)).toSorted()
  expect(text(together)).toEqual(text(whole))
  expect(whole.length).toBeGreaterThan(100)
})

test('asked each minute, at rest and in an upgrade, it says what it says at once', () => {
  const untilMs = PRESENT_MS + 5 * HOUR_MS
  // Approved by hand: planned long before it begins, which is when what was worked out before may end.
  const plan = Array.from({ length: 40 }, (_, index) => planOf('healthy', index)).find(
    ({ profile, upgrades }) =>
      profile.approval === 'Manual' &&
      upgrades.some(({ startMs }) => startMs > PRESENT_MS + 2 * HOUR_MS && startMs < PRESENT_MS + 4 * HOUR_MS),
  )!
  const [whole, cut] = [createCollector(plan, PRESENT_MS), createCollector(plan, PRESENT_MS)]
  const pieces: string[] = []
  for (let atMs = START_MS; atMs < untilMs; atMs += 60_000) {
    pieces.push(...cut.recordsBetween(atMs, atMs + 60_000).map((record) => JSON.stringify(record)))
  }
  const records = whole.recordsBetween(START_MS, untilMs).map((record) => JSON.stringify(record))
  expect(pieces.toSorted()).toEqual(records.toSorted())
  expect(records.some((text) => text.includes('"installplans"'))).toBe(true)
})

test.each(ROLES)('a cluster that is %s has objects from its first minute', (role) => {
  const records = createCollector(planOf(role), PRESENT_MS).recordsBetween(START_MS, START_MS + 60_000)
  expect(records.filter(({ change }) => change === 'added').length).toBeGreaterThan(8)
})

test('in whatever part of a second a fleet begins, everything that is there is told', () => {
  const toldFrom = (ms: number): number => {
    const [startMs, presentMs] = [START_MS + ms, PRESENT_MS + ms]
    const plan = createPlan({ seed: 'collector', index: 3, role: 'healthy', startMs, presentMs, scrapeMs: 30_000 })
    const collector = createCollector(plan, presentMs)
    return collector.recordsBetween(collector.sinceMs, startMs + 60_000).length
  }
  expect(toldFrom(0)).toBeGreaterThan(8)
  expect([1, 250, 499, 700, 999].map(toldFrom)).toEqual(Array.from({ length: 5 }, () => toldFrom(0)))
})

test('objects and metrics tell of one upgrade', () => {
  const plan = planOf('stuck_canary', 15)
  const [upgrade] = plan.upgrades
  const [told] = historyOfPlan(plan, PRESENT_MS).upgrades
  const second = (ms: number): number => Math.floor(ms / 1000) * 1000
  expect(told).toMatchObject({
    from: upgrade!.from,
    to: upgrade!.to,
    csvSucceededMs: second(upgrade!.csvSucceededMs),
    hcoStartMs: second(upgrade!.hcoStartMs),
    endMs: second(upgrade!.endMs),
    stall: { kind: 'canary', cause: 'virt_handler_rollout' },
  })
  const handler = createCollector(plan, PRESENT_MS)
    .recordsBetween(START_MS, PRESENT_MS)
    .findLast(({ facts }) => facts.kind === 'daemonsets')
  expect(handler?.facts).toMatchObject({ updated: 1, ready: plan.profile.nodes.length - 1 })
})

test('a new virt-handler that is scraped and not ready is a known cause', () => {
  const plan = planOf('stuck_canary', 15)
  const { profile } = plan
  const { from, to, startMs, csvSucceededMs, hcoStartMs, handlerMs } = plan.upgrades[0]!
  const cluster = profile.name
  /** A series of one value after the other. */
  const series = (
    signal: MetricSignal,
    labels: Readonly<Record<string, string>>,
    steps: readonly (readonly [number, number])[],
  ): readonly MetricRun[] =>
    steps.map(([value, firstMs], i): MetricRun => {
      const nextMs = steps[i + 1]?.[1]
      const ends = {
        ...(firstMs === START_MS ? {} : { beforeMs: firstMs - 30_000 }),
        ...(nextMs === undefined ? {} : { afterMs: nextMs }),
      }
      return { cluster, signal, labels, value, firstMs, lastMs: (nextMs ?? PRESENT_MS + 30_000) - 30_000, ...ends }
    })
  const scrapedMs = handlerMs[0]! + 30_000
  const nodes = profile.nodes.length
  const metrics = [
    ...series('csv_succeeded', { version: productVersion(profile, from) }, [
      [1, START_MS],
      [0, startMs],
    ]),
    ...series('hco_health', {}, [
      [0, START_MS],
      [2, hcoStartMs],
    ]),
    ...series('csv_succeeded', { version: productVersion(profile, to) }, [
      [0, startMs],
      [1, csvSucceededMs],
    ]),
    ...series('kubevirt_nodes', { kubeversion: from.kubevirt }, [
      [nodes, START_MS],
      [nodes - 1, handlerMs[0]!],
    ]),
    ...series('kubevirt_nodes', { kubeversion: to.kubevirt }, [[1, scrapedMs]]),
  ]
  const objects = createCollector(plan, PRESENT_MS).recordsBetween(START_MS, PRESENT_MS)
  const causeOf = (known: Pick<ClusterObservations, 'objects' | 'metrics'>) => {
    const { upgrade } = deriveUpgrades({ cluster, absences: [], spans: [], ...known }).at(-1)!
    const canary = upgrade.phases.find(({ name }) => name === 'virt_handler.canary')
    return [canary?.state, upgrade.blockedBy?.cause]
  }
  expect(causeOf({ objects, metrics })).toEqual(['in_progress', 'virt_handler_rollout'])
  // Two new ones: virt-operator updates the second node only after the first one is ready.
  const two = metrics.map((run) =>
    run.signal === 'kubevirt_nodes' && run.labels['kubeversion'] === to.kubevirt ? { ...run, value: 2 } : run,
  )
  expect(causeOf({ objects, metrics: two })[0]).toBe('succeeded')
})

test('feature gates are set by several managers, HCO and the owner of the cluster', () => {
  const writers = new Set<string>()
  for (let index = 0; index < 40; index++) {
    const plan = planOf('healthy', index)
    const past = pastOfPlan(plan, { sinceMs: START_MS - 365 * 24 * HOUR_MS, calendarShiftMs: 0 })
    const objects = createCollector(plan, PRESENT_MS, past).recordsBetween(past.fromMs, PRESENT_MS)
    const observations = { cluster: plan.profile.name, absences: [], metrics: [], spans: [], objects }
    const { settings } = deriveCluster(observations).cluster
    for (const { by } of Object.values(settings.featureGatesWritten ?? {})) if (by !== undefined) writers.add(by)
  }
  expect([...writers]).toEqual(expect.arrayContaining(['hyperconverged-cluster-operator', 'argocd-controller']))
  expect(writers.size).toBeGreaterThan(3)
})

test('a write to the settings is the newest of the managed fields, and the status has an entry of its own', () => {
  const plan = planOf('unsafe_twice', 19)
  const patched = createCollector(plan, PRESENT_MS)
    .recordsBetween(START_MS, PRESENT_MS)
    .find(({ facts, change }) => facts.kind === 'hyperconvergeds' && change === 'modified' && hasPatch(facts))!
  const [resource] = collectorRecords(plan.profile, [patched])
  const { object } = resource!.records[0]!.body as { object: { metadata: { managedFields: Entry[] } } }
  const [status, newest] = object.metadata.managedFields
  expect(status).toMatchObject({ manager: 'hyperconverged-cluster-operator', subresource: 'status' })
  expect(newest!.manager).toBe(patched.manager!.name)
  expect(newest!.subresource).toBeUndefined()
  expect(Date.parse(newest!.time)).toBeGreaterThan(Date.parse(status!.time))
})

type Entry = { manager: string; subresource?: string; time: string }

const hasPatch = (facts: ObjectFacts): boolean =>
  facts.kind === 'hyperconvergeds' && Object.keys(facts.jsonPatches).length > 0

test('without a HyperConverged object there are operators and no operands', () => {
  const kinds = kindsOf(planOf('missing', 13))
  expect(kinds).toContain('clusterserviceversions')
  for (const kind of ['hyperconvergeds', 'kubevirts', 'daemonsets', 'events']) expect(kinds).not.toContain(kind)
})

test('a silent cluster tells nothing', () => {
  const plan = planOf('silent', 8)
  const { fromMs } = silenceAt(plan, PRESENT_MS)!
  const records = createCollector(plan, START_MS).recordsBetween(START_MS, PRESENT_MS + HOUR_MS)
  expect(records.length).toBeGreaterThan(0)
  expect(records.filter(({ observedMs }) => observedMs > fromMs + 1000)).toEqual([])
})

test('each half hour it lists what is there', () => {
  const records = createCollector(planOf('healthy'), PRESENT_MS).recordsBetween(PRESENT_MS, PRESENT_MS + HOUR_MS)
  const lists = new Set(records.filter(({ change }) => change === 'listed').map(({ observedMs }) => observedMs))
  expect(lists.size).toBe(2)
  for (const listMs of lists) {
    const uids = records.filter((record) => record.change === 'listed' && record.observedMs === listMs)
    expect(new Set(uids.map(({ uid }) => uid)).size).toBe(uids.length)
    expect(uids.map(({ facts }) => facts.kind)).toContain('clusterserviceversions')
  }
})
