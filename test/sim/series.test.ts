import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Labels } from '../../src/model/labels.ts'
import { createProfile } from '../../sim/cluster-profile.ts'
import { createFleet, type Fleet } from '../../sim/fleet.ts'
import { RELEASES } from '../../sim/release.ts'
import type { Role } from '../../sim/cluster-plan.ts'
import { nodePodName } from '../../sim/series/sim-series.ts'
import { createPrometheus } from '../../sim/sim-prometheus.ts'

const PRESENT = Date.UTC(2026, 10, 21, 12)
const HISTORY_MS = 2 * 3_600_000
const FACTS = resolve(import.meta.dirname, '../../../shared/facts/kubevirt-metrics.json')

const fleet = createFleet({ seed: 'series', clusters: 40, startMs: PRESENT - HISTORY_MS, presentMs: PRESENT })

interface Seen {
  readonly labels: Labels
  readonly samples: { readonly timeMs: number; readonly value: number; readonly isStale: boolean }[]
}

/** Everything a fleet sends in its history, by label set. */
function historyOf(of: Fleet): Map<string, Seen> {
  const seen = new Map<string, Seen>()
  for (const prometheus of of.prometheuses) {
    for (const { labels, samples } of prometheus.collect(prometheus.scrapesBetween(PRESENT - HISTORY_MS, PRESENT))) {
      const known = seen.get(labels.key) ?? { labels, samples: [] }
      for (const { timeMs, value, isStale = false } of samples) known.samples.push({ timeMs, value, isStale })
      seen.set(labels.key, known)
    }
  }
  return seen
}

const history = historyOf(fleet)
const all = [...history.values()]
const named = (name: string): Seen[] => all.filter(({ labels }) => labels.metricName === name)

const EXTERNAL = ['cluster', 'cluster_id', 'region', 'provider', 'environment', 'prometheus', 'prometheus_replica']
const TARGET = ['job', 'instance', 'pod', 'namespace', 'service', 'endpoint', 'container']

/** Counts of machines whose own series are left out, as the rules of the server record them. */
const COUNTED = ['cluster:kubevirt_vmi_non_evictable:sum', 'cluster:kubevirt_vm_deprecated_machine_type:count']

describe('series', () => {
  test('names and labels are those that the operators expose', (context) => {
    if (!existsSync(FACTS)) context.skip('the table of known metrics is not beside the project')
    const known = new Map(
      (JSON.parse(readFileSync(FACTS, 'utf8')) as { name: string; labels: string[] }[]).map((metric) => [
        metric.name,
        new Set(metric.labels),
      ]),
    )
    const unknown = new Set<string>()
    for (const { labels } of all) {
      const name = labels.metricName
      if (name.startsWith('scrape_')) continue // made by Prometheus itself
      if (COUNTED.includes(name)) continue
      if (!known.has(name)) unknown.add(name)
      for (const [label] of labels.pairs()) {
        const isKnown = EXTERNAL.includes(label) || TARGET.includes(label) || known.get(name)?.has(label) === true
        if (!isKnown && label !== '__name__') unknown.add(`${name} with ${label}`)
      }
    }
    expect([...unknown]).toEqual([])
  })

  test('a common cluster sends about sixty series with twelve to twenty labels', () => {
    const sent = [...fleet.samplesAt(PRESENT)]
    const perPrometheus = sent.length / fleet.prometheuses.length
    expect(perPrometheus).toBeGreaterThan(50)
    expect(perPrometheus).toBeLessThan(75)
    const sizes = sent.map(({ labels }) => labels.size)
    expect(sizes.reduce((sum, size) => sum + size, 0) / sizes.length).toBeGreaterThan(13)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(24)
  })

  // Offenders are gathered before the expectation: there are hundreds of thousands of samples.
  test('samples of a series rise in time, and no scrape has a label set twice', () => {
    const offenders = all.filter(({ samples }) =>
      samples.some(({ timeMs }, i) => timeMs <= (samples[i - 1]?.timeMs ?? 0)),
    )
    expect(offenders.map(({ labels }) => labels.toString())).toEqual([])
  })

  test('counters fall only when their process started anew: after a stale marker', () => {
    const counters = all.filter(({ labels }) => /_total$|^csv_upgrade_count$/.test(labels.metricName))
    expect(counters.length).toBeGreaterThan(50)
    const offenders = counters.filter(({ samples }) => {
      let last = 0
      return samples.some(({ value, isStale }) => {
        const hasFallen = !isStale && value < last
        last = isStale ? 0 : value
        return hasFallen
      })
    })
    expect(offenders.map(({ labels }) => labels.toString())).toEqual([])
  })

  test('a series that ends says so, once, and then says nothing until it lives again', () => {
    const ends = all.flatMap(({ samples }) => samples.filter(({ isStale }) => isStale))
    expect(ends.length).toBeGreaterThan(50)
    const offenders = all.filter(({ samples }) =>
      samples.some(({ isStale }, i) => isStale && samples[i - 1]?.isStale !== false),
    )
    expect(offenders.map(({ labels }) => labels.toString())).toEqual([])
  })

  test.each([
    [false, true, 'never'],
    [false, false, 'never'],
    [true, true, 'at the farewell'],
    [true, false, 'at the farewell'],
  ])(
    'a silence with a farewell %s, collected whole %s: what went meanwhile is said to end %s',
    (hasStaleMarkers, isWhole) => {
      const [plan] = createFleet({
        ...{ seed: 'outage', clusters: 1, startMs: PRESENT - HISTORY_MS, presentMs: PRESENT },
        roleOf: () => 'upgrading',
      }).plans
      const upgrade = plan!.upgrades[0]!
      const anchorMs = upgrade.startMs - 5 * 60_000
      // Back at the very moment at which the old CSV goes: it was there at the last scrape that got lost.
      const silence = { anchorMs, onMs: upgrade.oldCsvGoneMs - anchorMs, everyMs: 1e12, hasStaleMarkers }
      const prometheus = createPrometheus({ ...plan!, silence }, 0, 30_000)
      const scrapes = prometheus.scrapesBetween(anchorMs - 5 * 60_000, anchorMs + silence.onMs + 30_000)
      const runs = isWhole ? prometheus.collect(scrapes) : scrapes.flatMap((timeMs) => prometheus.collect([timeMs]))
      const ends = runs.flatMap(({ samples }) => samples.filter(({ isStale }) => isStale === true))
      expect(runs.some(({ samples }) => samples.at(-1)!.timeMs >= anchorMs + silence.onMs)).toBe(true)
      expect([...new Set(ends.map(({ timeMs }) => timeMs))]).toEqual(
        hasStaleMarkers ? [scrapes.find((timeMs) => timeMs >= anchorMs)] : [],
      )
    },
  )

  test('a series that ended before the history is never said to end', () => {
    const [plan] = fleet.plans
    const prometheus = createPrometheus(plan!, 0, 30_000)
    const firstMs = prometheus.scrapesBetween(plan!.startMs, plan!.startMs + 30_000)[0]!
    // An upgrade whose old CSV goes between the scrape before the history and its first one.
    const upgrade = { ...fleet.plans.find(({ role }) => role === 'upgrading')!.upgrades[0]! }
    const ended = createPrometheus({ ...plan!, upgrades: [{ ...upgrade, oldCsvGoneMs: firstMs - 1000 }] }, 0, 30_000)
    const stale = ended
      .collect(prometheus.scrapesBetween(plan!.startMs, plan!.startMs + 60_000))
      .filter(({ samples }) => samples.some(({ isStale }) => isStale === true))
    expect(stale.map(({ labels }) => labels.toString())).toEqual([])
  })

  test('series without a gap are scraped at every interval', () => {
    const exists = named('kubevirt_hco_system_health_status').filter(({ samples }) => samples.length > 200)
    expect(exists.length).toBeGreaterThan(20)
    const gaps = exists.flatMap(({ samples }) => samples.slice(1).map(({ timeMs }, i) => timeMs - samples[i]!.timeMs))
    expect(new Set(gaps)).toEqual(new Set([30_000]))
  })

  test('each of an HA pair sends everything, told apart by its replica', () => {
    const pairs = fleet.plans.filter(({ profile }) => profile.isHa)
    expect(pairs.length).toBeGreaterThan(0)
    for (const { profile } of pairs) {
      const replicas = ['prometheus-k8s-0', 'prometheus-k8s-1'].map((replica) =>
        all
          .filter(
            ({ labels }) => labels.get('cluster') === profile.name && labels.get('prometheus_replica') === replica,
          )
          .map(({ labels }) => labels.with('prometheus_replica', '').key)
          .sort(),
      )
      expect(replicas[0]).toEqual(replicas[1])
    }
  })
})

test.each(['daytwo', 'rules', 'b'])('each node of a cluster has a pod of its own (seed %s)', (seed) => {
  for (let index = 0; index < 300; index++) {
    const profile = createProfile(seed, index, 30_000)
    const pods = profile.nodes.map((node) => nodePodName(profile, 'virt-handler', 'v1.8.4', node))
    expect([profile.name, new Set(pods).size]).toEqual([profile.name, pods.length])
  }
})

describe('what a version exposes', () => {
  /** Metric names of a healthy cluster that runs a release and is not upgraded. */
  function namesOn(hco: string, role: Role = 'unsafe'): Set<string> {
    const release = RELEASES.find((candidate) => candidate.hco === hco)!
    const still = createFleet({ seed: 'versions', clusters: 1, startMs: PRESENT, roleOf: () => role })
    const [plan] = still.plans
    const pinned = { ...plan!, profile: { ...plan!.profile, firstRelease: release }, upgrades: [] }
    const prometheus = createPrometheus(pinned, 0, 30_000)
    const runs = prometheus.collect(prometheus.scrapesBetween(PRESENT, PRESENT + 30_000))
    return new Set(runs.map(({ labels }) => labels.metricName))
  }

  test.each([
    ['kubevirt_hco_misconfigured_descheduler', '1.12.0', '1.13.0'],
    ['kubevirt_hco_memory_overcommit_percentage', '1.15.2', '1.16.0'],
    ['kubevirt_hco_dataimportcrontemplate_with_supported_architectures', '1.15.2', '1.16.0'],
    ['kubevirt_hco_dataimportcrontemplate_with_architecture_annotation', '1.15.2', '1.16.0'],
    ['kubevirt_virt_handler_ready_status', '1.17.3', '1.18.0'],
    ['cluster:kubevirt_hco_operator_health_status:count', '1.17.3', '1.18.0'],
    ['namespace:kubevirt_vm:sum', '1.17.3', '1.18.0'],
  ])('%s is not there on %s and is on %s', (name, without, since) => {
    expect(namesOn(without)).not.toContain(name)
    expect(namesOn(since)).toContain(name)
  })

  test.each(RELEASES.map(({ hco }) => hco))('%s has what every version has', (hco) => {
    const names = namesOn(hco)
    for (const name of [
      'kubevirt_hco_hyperconverged_cr_exists',
      'kubevirt_hco_system_health_status',
      'kubevirt_hco_unsafe_modifications',
      'kubevirt_hyperconverged_operator_health_status',
      'kubevirt_info',
      'kubevirt_vmi_number_of_outdated',
      'csv_succeeded',
      'subscription_sync_total',
      'catalogsource_ready',
      'up',
    ]) {
      expect(names).toContain(name)
    }
    expect(names).not.toContain('kubevirt_hco_out_of_band_modifications_total')
    expect(names).not.toContain('csv_abnormal')
  })

  test('kubevirt_info is there once per node, and says the bundled version', () => {
    for (const plan of fleet.plans.filter(({ role }) => role === 'unsafe' || role === 'descheduler')) {
      const infos = named('kubevirt_info').filter(({ labels }) => labels.get('cluster') === plan.profile.name)
      expect(infos).toHaveLength(plan.profile.nodes.length * (plan.profile.isHa ? 2 : 1))
      expect(new Set(infos.map(({ labels }) => labels.get('kubeversion')))).toEqual(
        new Set([plan.profile.firstRelease.kubevirt]),
      )
    }
  })

  test('without a HyperConverged object there are operators and no operands', () => {
    const names = namesOn('1.17.3', 'missing')
    expect(names).toContain('kubevirt_virt_operator_ready_status')
    expect(names).toContain('kubevirt_hco_hyperconverged_cr_exists')
    for (const name of ['kubevirt_info', 'kubevirt_virt_api_ready_status', 'kubevirt_vmi_number_of_outdated']) {
      expect(names).not.toContain(name)
    }
  })
})
