/**
 * What the fleet's pages cost the thread that answers them: how it stands, and its list of clusters, of 10,000 clusters
 * with six upgrades each of which 300 are open, asked by a page that looks on: nothing changed, the clock moved; a hundred
 * clusters were heard; one was derived anew. With what handing it to another thread takes. CPU time.
 */
import { deserialize, serialize } from 'node:v8'
import type { ClusterQuery } from '../src/fleet/clusters/cluster-index.ts'
import { createFleetIndex } from '../src/fleet/clusters/fleet-index.ts'
import { fleetNow } from '../src/fleet/now/now.ts'
import type { ClusterFacts } from '../src/model/fleet-facts.ts'
import type { PhaseName, UpgradeRecord } from '../src/model/upgrade.ts'
import { emptyRecord } from '../test/support/cluster-record.ts'
import { upgradeRecord } from '../test/support/upgrade-record.ts'

const UPGRADES_OF_CLUSTER = 6
const OPEN = 300
const NOW_MS = Date.UTC(2026, 6, 1)
const MONTH_MS = 30 * 24 * 3_600_000
const MINUTE_MS = 60_000
/** As many as the landing page shows of each list. */
const LIST_MAX = 100
const PHASES: readonly PhaseName[] = [
  'olm.pending',
  'olm.installing',
  'olm',
  'operands.kubevirt',
  'virt_handler.canary',
  'virt_handler.waves',
  'operands.cdi',
  'operands',
  'settle',
  'workloads',
]

const PAGE: ClusterQuery = { sort: 'cluster', isDescending: false, limit: 100 }
const ASKED: readonly (readonly [string, ClusterQuery])[] = [
  ['clusters', PAGE],
  ['clusters, counted', { ...PAGE, hasFacets: true }],
  ['clusters, by version', { ...PAGE, sort: 'version', isDescending: true, hasFacets: true }],
  ['clusters, stuck', { ...PAGE, states: ['stuck'], hasFacets: true }],
  ['clusters, by text', { ...PAGE, text: '42', hasFacets: true }],
]

export function run({ quick }: { readonly quick: boolean }): void {
  const clusters = quick ? 1000 : 10_000
  const every = Math.floor(clusters / OPEN)
  const index = createFleetIndex()
  for (let i = 0; i < clusters; i++) index.put(factsOf(i, i % every === 0))
  while (index.edges.estimateNext());

  const answers: readonly (readonly [string, (nowMs: number) => unknown])[] = [
    ['how it stands', (nowMs) => fleetNow(index, nowMs, LIST_MAX)],
    ...ASKED.map(([name, query]) => [name, (nowMs: number) => index.clusters(query, nowMs)] as const),
    ['one cluster', (nowMs) => index.cluster('cluster-30', nowMs)],
    ['all open upgrades', (nowMs) => index.open(nowMs)],
  ]
  console.log(`${clusters} clusters, ${index.open(NOW_MS).length} open upgrades; ms of CPU an answer`)
  console.log('                        first   clock   heard   put   handed over')
  let nowMs = NOW_MS
  for (const [name, answer] of answers) {
    const first = times(1, () => answer((nowMs += 5000)))
    times(5, () => answer((nowMs += 5000)))
    const clock = times(10, () => answer((nowMs += 5000)))
    const heard = times(10, (turn) => {
      nowMs += 5000
      for (let i = 0; i < 100; i++) index.markSeen(`cluster-${(turn * 100 + i) % clusters}`, { metricsMs: nowMs })
      return answer(nowMs)
    })
    const put = times(10, (turn) => {
      index.put(factsOf(turn * every, true))
      return answer((nowMs += 5000))
    })
    const said = answer(nowMs)
    const handed = times(10, () => deserialize(serialize(said)))
    console.log(
      `${name.padEnd(22)}${[first, clock, heard, put, handed].map((ms) => ms.toFixed(1).padStart(8)).join('')}`,
    )
  }
}

function factsOf(i: number, isOpen: boolean): ClusterFacts {
  const cluster = `cluster-${i}`
  const heardMs = NOW_MS - (i % 600) * 1000
  const upgrades = Array.from({ length: UPGRADES_OF_CLUSTER }, (_, step) =>
    upgradeOf(cluster, i, step, isOpen && step === UPGRADES_OF_CLUSTER - 1),
  )
  const record = emptyRecord(cluster, {
    aliases: [`lab-${i}`, `4f0c-${i * 7919}`],
    flavour: i % 4 === 0 ? 'community' : 'openshift',
    platform: { kind: 'openshift', version: `4.${18 + (i % 4)}.${i % 12}` },
    hcoVersion: `1.${14 + (i % 4)}.${i % 5}`,
    versions: { kubevirt: `1.${5 + (i % 4)}.${i % 5}`, cdi: '1.62.0', 'ssp-operator': '0.22.1' },
    subscription: {
      package: 'kubevirt-hyperconverged',
      channel: i % 3 === 0 ? 'candidate' : 'stable',
      approval: 'Automatic',
      source: 'community-operators',
      state: 'AtLatestKnown',
    },
    systemHealth: i % 50 === 0 ? 'error' : 'healthy',
    workloads: { running: i % 70, outdated: i % 9 === 0 ? i % 40 : 0, atMs: heardMs },
    region: `region-${i % 12}`,
    lastSeenMs: heardMs,
    coverage: { objects: true, metrics: true, spans: false, objectsLastMs: heardMs, metricsLastMs: heardMs, kinds: [] },
  })
  return { cluster: record, upgrades, intervals: [], modifications: [] }
}

function upgradeOf(cluster: string, number: number, step: number, isOpen: boolean): UpgradeRecord {
  const startedMs = isOpen ? NOW_MS - (number % 50) * MINUTE_MS : NOW_MS - (UPGRADES_OF_CLUSTER - step) * MONTH_MS
  const reached = isOpen ? number % PHASES.length : PHASES.length
  const phases = PHASES.slice(0, reached + 1).map((name, i) => {
    const isDone = i < reached
    const fromMs = startedMs + i * MINUTE_MS
    const ended = isDone ? { endedMs: fromMs + MINUTE_MS + ((number * 31 + i) % 50) * 1000 } : {}
    const state = isDone ? ('succeeded' as const) : ('in_progress' as const)
    return { name, startedMs: fromMs, ...ended, state, resolutionSeconds: 1, isReconstructed: false }
  })
  const evidence = phases.map(({ name, startedMs: atMs }) => {
    const ref = `clusterserviceversions/${cluster}`
    return { source: 'objects' as const, atMs, text: `${name} began`, ref, phase: name }
  })
  const endedMs = startedMs + PHASES.length * 2 * MINUTE_MS
  const [from, to] = [`1.${11 + step}.${number % 5}`, `1.${12 + step}.${number % 5}`]
  const state = isOpen ? ('in_progress' as const) : ('succeeded' as const)
  return upgradeRecord(
    { id: `${cluster} ${step}`, cluster, from, to, state, startedMs, ...(isOpen ? {} : { endedMs }), phases, evidence },
    { observedUntilMs: isOpen ? NOW_MS : endedMs },
  )
}

function times(count: number, work: (i: number) => unknown): number {
  const before = process.cpuUsage()
  for (let i = 0; i < count; i++) work(i)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / count
}
