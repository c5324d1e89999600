/**
 * Readiness of 10,000 clusters for all known targets: everything evaluated from nothing, one changed cluster, one question of
 * the page. The clusters are 60 of the simulated fleet with hazards, under other names.
 */
import { createFleetIndex, type FleetIndex } from '../src/fleet/clusters/fleet-index.ts'
import { deriveCluster } from '../src/fleet/derive/derive-cluster.ts'
import { ClusterFindings, hazardClusterOf } from '../src/fleet/readiness/findings.ts'
import { positionOf } from '../src/fleet/readiness/target.ts'
import { verdictOf } from '../src/fleet/readiness/verdict.ts'
import type { ClusterFacts } from '../src/model/fleet-facts.ts'
import type { AcceptedRisk } from '../src/model/readiness.ts'
import { observationsOf } from '../sim/history/cluster-observations.ts'
import { planHazards, withHazards } from '../sim/history/hazards.ts'
import { planHistory } from '../sim/history/plan-history.ts'

const CLUSTERS = 10_000
const DISTINCT = 60
const FROM_MS = Date.UTC(2026, 2, 1)
const UNTIL_MS = Date.UTC(2026, 8, 1)

export function run(): void {
  const made = Array.from({ length: DISTINCT }, (_, index) => {
    const history = planHistory({ seed: 'readiness', index, fromMs: FROM_MS, untilMs: UNTIL_MS, mode: 'all' })
    return deriveCluster(withHazards(observationsOf(history), history, planHazards('readiness', index)))
  })
  const index = createFleetIndex()
  const facts = Array.from({ length: CLUSTERS }, (_, i) => named(made[i % DISTINCT]!, `cluster-${i}`))
  const put = cpuSeconds(() => {
    for (const one of facts) index.put(one)
  })
  const targets = index.readiness.targets([])
  const accepted = facts.slice(0, 2000).map(({ cluster: { cluster } }): AcceptedRisk => {
    const times = { acceptedMs: FROM_MS, expiresMs: Infinity }
    return { id: 'r', cluster, hazard: 'manual_approval', reason: 'r', by: 'a', ...times }
  })
  index.readiness.accept(accepted)
  index.readiness.setAlerts([])
  const all = (nowMs: number): number =>
    targets.reduce((sum, target) => sum + index.readiness.list({ ...PAGE, target }, nowMs).total, 0)
  const evaluated = cpuSeconds(() => {
    for (const { cluster: record, modifications, upgrades } of facts) {
      const input = { record, modifications, upgrades, alerts: [], nowMs: UNTIL_MS }
      const findings = new ClusterFindings(hazardClusterOf(input))
      for (const target of targets) {
        if (positionOf(findings.cluster, target) === 'candidate') verdictOf(findings.sets(target), 0, false)
      }
    }
  })
  let candidates = 0
  const first = cpuSeconds(() => (candidates = all(UNTIL_MS)))
  const again = cpuSeconds(() => all(UNTIL_MS))
  const one = median(21, () => {
    index.put(facts[7]!)
    for (const target of targets) index.readiness.of('cluster-7', target, UNTIL_MS)
  })
  const question = median(21, () => index.readiness.list({ ...PAGE, target: targets[0]!, hasFacets: true }, UNTIL_MS))
  const series = cpuSeconds(() => {
    drain(index)
  })
  console.log(`
| 10,000 clusters, ${targets.length} targets, ${candidates} pairs of a cluster and a version ahead of it | CPU |
|---|---|
| put into the index | ${put.toFixed(2)} s |
| the verdicts on all clusters for all targets, from nothing | ${evaluated.toFixed(2)} s |
| answers of the page for all targets one after the other, nothing evaluated before | ${first.toFixed(2)} s |
| the same again, no cluster changed | ${again.toFixed(2)} s |
| one changed cluster for all targets, with its evidence | ${(one * 1000).toFixed(2)} ms |
| one answer of the page, with facets | ${(question * 1000).toFixed(1)} ms |
| all written series of a minute, readiness among them | ${series.toFixed(2)} s |
`)
}

const PAGE = { isDescending: false, limit: 100 } as const

function named(facts: ClusterFacts, cluster: string): ClusterFacts {
  return {
    cluster: { ...facts.cluster, cluster, aliases: [] },
    intervals: [],
    upgrades: facts.upgrades.map((record) => ({ ...record, upgrade: { ...record.upgrade, cluster } })),
    modifications: facts.modifications.map((one) => ({ ...one, cluster })),
  }
}

function drain(index: FleetIndex): void {
  const steps = index.series(UNTIL_MS)
  while (steps.next().done !== true);
}

function cpuSeconds(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

function median(times: number, work: () => unknown): number {
  const all = Array.from({ length: times }, () => cpuSeconds(work)).sort((a, b) => a - b)
  return all[Math.floor(times / 2)]!
}
