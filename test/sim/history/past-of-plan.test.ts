import { expect, test } from 'vitest'
import { deriveCluster, deriveUpgrades } from '../../../src/fleet/derive/derive-cluster.ts'
import type { EdgeRun } from '../../../src/fleet/edges/edges.ts'
import { fallingEdges } from '../../../src/fleet/edges/falling-edges.ts'
import { LONG_AGO_MS, notOffered, PEERS_MIN, takenSteps } from '../../../src/fleet/edges/not-offered.ts'
import { roleOf } from '../../../sim/cast.ts'
import { offerAt } from '../../../sim/history/calendar.ts'
import { isMirrorStale } from '../../../sim/history/catalog-offers.ts'
import type { ClusterHistory } from '../../../sim/history/cluster-history.ts'
import { observationsOf } from '../../../sim/history/cluster-observations.ts'
import { compareUpgrades } from '../../../sim/history/compare.ts'
import { historyOfPlan } from '../../../sim/history/history-of-plan.ts'
import { truthOfHistory } from '../../../sim/history/history-truth.ts'
import { pastOfPlan } from '../../../sim/history/past-of-plan.ts'
import { createPlan } from '../../../sim/scenario.ts'
import { platformVersions } from '../../../sim/series/platform.ts'
import { createCollector } from '../../../sim/sim-collector.ts'

const DAY_MS = 86_400_000
const PRESENT_MS = Date.UTC(2026, 10, 21, 12)
const START_MS = PRESENT_MS - 2 * 3_600_000
const NO_PHASES = { names: [], areFinished: [] }
const OPTIONS = { sinceMs: START_MS - 395 * DAY_MS, calendarShiftMs: 129 * DAY_MS }

const FLEET = Array.from({ length: 120 }, (_, index) => {
  const plan = createPlan({
    ...{ seed: 'past', index, role: roleOf(index) },
    ...{ startMs: START_MS, presentMs: PRESENT_MS, scrapeMs: 30_000 },
  })
  return { plan, past: pastOfPlan(plan, OPTIONS) }
})

test('each cluster comes to the release that its plan begins with, by what catalogs offered', () => {
  for (const { plan, past } of FLEET) {
    let release = past.firstRelease
    let freeMs = past.fromMs
    for (const upgrade of past.upgrades) {
      expect(upgrade.from).toBe(release)
      expect(offerAt(upgrade.from, upgrade.offeredMs - OPTIONS.calendarShiftMs)?.release).toBe(upgrade.to)
      expect(upgrade.offeredMs).toBeGreaterThanOrEqual(freeMs)
      const isTakenBack = upgrade.outcome === 'rolled_back'
      freeMs = isTakenBack ? upgrade.abortedMs : Math.max(upgrade.endMs, upgrade.workloads?.endMs ?? 0)
      if (!isTakenBack) release = upgrade.to
    }
    expect(release).toBe(plan.profile.firstRelease)
    expect(freeMs).toBeLessThan(START_MS)
    expect(past.fromMs).toBeGreaterThanOrEqual(OPTIONS.sinceMs)
    expect(past.installedMs).toBeLessThanOrEqual(past.fromMs)
  }
})

test('the platform comes to the version that the plan begins with', () => {
  for (const { plan, past } of FLEET.filter(({ plan }) => plan.profile.platform === 'openshift')) {
    const [first] = platformVersions(plan)
    const { platform } = historyOfPlan(plan, START_MS, past)
    let version = platform!.firstVersion
    let freeMs = past.fromMs
    for (const upgrade of platform!.upgrades) {
      expect(upgrade.from).toBe(version)
      expect(upgrade.startMs).toBeGreaterThan(freeMs)
      ;[version, freeMs] = [upgrade.to, upgrade.endMs]
    }
    expect(version).toBe(first!.version)
  }
})

test('a fleet of it has most of what happens to fleets', () => {
  const upgrades = FLEET.flatMap(({ past }) => past.upgrades)
  expect(upgrades.length).toBeGreaterThan(150)
  const share = (isSo: (upgrade: (typeof upgrades)[number]) => boolean): number =>
    upgrades.filter(isSo).length / upgrades.length
  expect(share(({ outcome }) => outcome === 'rolled_back')).toBeGreaterThan(0.01)
  expect(share(({ stall }) => stall !== undefined)).toBeGreaterThan(0.05)
  expect(share(({ approval }) => approval === 'Manual')).toBeGreaterThan(0.1)
  const young = FLEET.filter(({ past }) => past.installedMs === past.fromMs)
  expect(young.length).toBeGreaterThan(0)
  expect(young.length).toBeLessThan(FLEET.length / 4)
})

test('one upgrade path succeeded for months and regresses in the last fortnight, a new one fails from its start, and no other does', () => {
  const plans = Array.from({ length: 400 }, (_, index) =>
    createPlan({
      ...{ seed: 'past', index, role: roleOf(index) },
      ...{ startMs: START_MS, presentMs: PRESENT_MS, scrapeMs: 30_000 },
    }),
  )
  const byPath = new Map<string, EdgeRun[]>()
  for (const plan of plans) {
    for (const { from, to, outcome, csv, endMs, abortedMs } of pastOfPlan(plan, OPTIONS).upgrades) {
      const path = `${from.hco} ${to.hco}`
      const lastMs = outcome === 'succeeded' ? endMs : abortedMs
      const run: EdgeRun = { id: csv.uid, state: outcome, begunMs: lastMs, lastMs, phases: NO_PHASES, phaseSeconds: [] }
      byPath.set(path, [...(byPath.get(path) ?? []), run])
    }
  }
  const edges = [...byPath].map(([path, runs]) => {
    const [from = '', to = ''] = path.split(' ')
    return { name: { operator: 'kubevirt-hyperconverged' as const, from, to }, runs }
  })
  const falling = fallingEdges(edges, PRESENT_MS)
  expect(falling.map(({ from, to, against }) => [from, to, against])).toEqual([
    ['1.15.2', '1.16.0', 'before'],
    ['1.16.0', '1.17.3', 'other_edges'],
  ])
  expect(falling[0]!.lately.of).toBeGreaterThan(15)
})

test('what Collectors tell of it is derived as it was', () => {
  for (const { plan, past } of FLEET.slice(0, 60)) {
    const history = historyOfPlan({ ...plan, upgrades: [] }, START_MS, past)
    const told = { ...history, tells: { objects: true, metrics: false, spans: false } }
    const compared = compareUpgrades(truthOfHistory(told), deriveUpgrades(observationsOf(told)))
    expect(compared, plan.profile.name).toMatchObject({
      ...{ missed: [], invented: [] },
      ...{ states: { wrong: [] }, times: { wrong: [] } },
    })
  }
})

test('a Collector with a past tells it first, and of the present what it would tell without', () => {
  const { plan, past } = FLEET.find(({ plan, past }) => plan.role === 'upgrading' && past.upgrades.length > 0)!
  const collector = createCollector(plan, PRESENT_MS, past)
  expect(collector.sinceMs).toBe(past.fromMs)
  const before = collector.recordsBetween(collector.sinceMs, START_MS)
  const kinds = new Set(before.map(({ facts }) => facts.kind))
  expect(kinds).toContain('clusterserviceversions')
  expect(kinds).toContain('hyperconvergeds')
  // One object for each machine that moved would be most of it.
  expect(kinds).not.toContain('virtualmachineinstancemigrations')
  expect(before[0]!.observedMs).toBeLessThan(past.fromMs + 60_000)

  const csvs = (records: typeof before): readonly string[] =>
    records
      .flatMap(({ name, facts }) => (facts.kind === 'clusterserviceversions' ? [`${name} ${facts.phase}`] : []))
      .toSorted()
  const whole = createCollector(plan, PRESENT_MS).recordsBetween(START_MS + 60_000, PRESENT_MS)
  expect(csvs(collector.recordsBetween(START_MS + 60_000, PRESENT_MS))).toEqual(csvs(whole))
  expect(csvs(whole).length).toBeGreaterThan(2)
})

test('who is not offered what its peers were is who has a stale mirror, and nobody else', () => {
  const histories = FLEET.map(({ plan, past }) => ({
    ...historyOfPlan({ ...plan, upgrades: [] }, START_MS, past),
    tells: { objects: true, metrics: false, spans: false },
  }))
  const facts = histories.map((history) => deriveCluster(observationsOf(history)))
  const members = facts.map(({ cluster, upgrades }) => ({ cluster, steps: takenSteps(upgrades) }))
  const found = notOffered(members, START_MS).map(({ cluster }) => cluster)

  const platformMinor = ({ platform }: ClusterHistory): number =>
    Number((platform?.upgrades.at(-1)?.to ?? platform?.firstVersion ?? '0.0').split('.')[1])
  const lateOnes = histories.filter((own) => {
    const release = own.upgrades.at(-1)?.to ?? own.firstCsv.release
    const longAgo = histories.filter(
      ({ profile, upgrades, ...peer }) =>
        profile.name !== own.profile.name &&
        profile.flavour === own.profile.flavour &&
        profile.channel === own.profile.channel &&
        profile.platform === own.profile.platform &&
        platformMinor({ profile, upgrades, ...peer }) <= platformMinor(own) &&
        upgrades.some(({ from, csv }) => from === release && csv.createdMs < START_MS - LONG_AGO_MS),
    )
    return isMirrorStale(own) && longAgo.length >= PEERS_MIN
  })
  expect(found).toEqual(lateOnes.map(({ profile }) => profile.name))
  expect(found.length).toBeGreaterThan(0)
  expect(found.length).toBeLessThan(FLEET.length / 10)
})
