/**
 * Plans: how well their windows are calibrated, and what a plan of 10,000 clusters costs.
 *
 * Calibration: simulated histories of a year. Durations are learned from the upgrades that ended in the first half, and predicted
 * for those that started in the second: the share of outcomes at or below p50 and p90, for single steps and for chains of steps of
 * one cluster. An upgrade that was not finished counts as above both. Shares of 50 % and 90 % are perfect.
 */
import { createEdgeIndex } from '../src/fleet/edges/edge-index.ts'
import { createFleetIndex } from '../src/fleet/clusters/fleet-index.ts'
import { deriveUpgrades } from '../src/fleet/derive/derive-cluster.ts'
import { openshiftMinorOf, pairedMinorOf, hcoMinorText } from '../src/fleet/platform-minor.ts'
import { quantile, sumDraws, type Quantiles } from '../src/fleet/plan/distribution.ts'
import { planOf } from '../src/fleet/plan/plan-query.ts'
import {
  createStepDurations,
  DEFAULT_PARALLEL,
  type StepDurations,
  type TimedStep,
} from '../src/fleet/plan/step-durations.ts'
import { edgeRunOf } from '../src/fleet/edges/edges.ts'
import { minorOf } from '../src/fleet/version-order.ts'
import type { ClusterRecord } from '../src/model/cluster-record.ts'
import type { UpgradeRecord } from '../src/model/upgrade.ts'
import { observationsOf } from '../sim/history/cluster-observations.ts'
import { planHistory } from '../sim/history/plan-history.ts'

const YEAR = { fromMs: Date.UTC(2025, 6, 1), untilMs: Date.UTC(2026, 6, 1), seed: 'plan' }
const HALF_MS = (YEAR.fromMs + YEAR.untilMs) / 2
const CLUSTERS = 400

export async function run({ quick = false }: { readonly quick?: boolean }): Promise<void> {
  calibration(quick ? 80 : CLUSTERS)
  await cost(quick ? 1000 : 10_000)
}

interface Tally {
  known: number
  unknown: number
  belowP50: number
  belowP90: number
}

function calibration(clusters: number): void {
  const records = Array.from({ length: clusters }, (_, index) =>
    deriveUpgrades(observationsOf(planHistory({ ...YEAR, index, mode: 'objects' }))),
  )
  const edges = createEdgeIndex()
  records.forEach((upgrades, i) => {
    edges.put(
      `cluster-${i}`,
      upgrades.filter(({ upgrade }) => (upgrade.endedMs ?? Infinity) < HALF_MS),
    )
  })
  const durations = createStepDurations([...edges.runs()])
  const tallies = new Map<string, Tally>()
  for (const upgrades of records) {
    const later = upgrades.filter(({ upgrade }) => (upgrade.startedMs ?? 0) >= HALF_MS)
    const chain: { readonly quantiles: Quantiles; readonly seconds: number }[] = []
    for (const record of later) {
      for (const { name, timed, seconds } of predictionsOf(record, durations)) {
        count(tallies, name, timed.window.p50Seconds, timed.window.p90Seconds, seconds)
        if (timed.quantiles !== undefined) chain.push({ quantiles: timed.quantiles, seconds })
      }
    }
    for (let i = 0; i + CHAIN <= chain.length; i += CHAIN) {
      const part = chain.slice(i, i + CHAIN)
      const sums = sumDraws(
        part.map(({ quantiles }) => quantiles),
        1000,
        1,
      )
      const seconds = part.reduce((sum, one) => sum + one.seconds, 0)
      count(tallies, `${CHAIN} steps in a row`, quantile(sums, 0.5), quantile(sums, 0.9), seconds)
    }
  }
  console.log(`${clusters} clusters over a year; learned from the first half, compared with the second`)
  console.log('| step | outcomes | unknown | at or below p50 | at or below p90 |')
  console.log('| --- | --- | --- | --- | --- |')
  for (const [name, { known, unknown, belowP50, belowP90 }] of tallies) {
    console.log(`| ${name} | ${known} | ${unknown} | ${share(belowP50, known)} | ${share(belowP90, known)} |`)
  }
}

const CHAIN = 3

function share(part: number, of: number): string {
  return of === 0 ? '-' : `${((100 * part) / of).toFixed(0)} %`
}

function count(
  tallies: Map<string, Tally>,
  name: string,
  p50: number | undefined,
  p90: number | undefined,
  seconds: number,
): void {
  const tally = tallies.get(name) ?? { known: 0, unknown: 0, belowP50: 0, belowP90: 0 }
  tallies.set(name, tally)
  if (p50 === undefined) {
    tally.unknown++
    return
  }
  tally.known++
  if (seconds <= p50) tally.belowP50++
  if (seconds <= (p90 ?? Infinity)) tally.belowP90++
}

interface Prediction {
  readonly name: string
  readonly timed: TimedStep
  readonly seconds: number
}

/** What a plan would have said before the upgrade, and what happened; Infinity: it was not finished. */
function predictionsOf(record: UpgradeRecord, durations: StepDurations): readonly Prediction[] {
  const { operator, from, to, nodes } = record.upgrade
  if (from === undefined) return []
  const { whole, phases, phaseSeconds, vms } = edgeRunOf(record)
  const seconds = whole?.isFinished === true ? whole.seconds : Infinity
  if (operator === 'openshift') {
    const minor = openshiftMinorOf(to) ?? 0
    const move = { operator, minor, isMinor: minor !== openshiftMinorOf(from), from, to } as const
    return [{ name: 'OpenShift, all nodes', timed: durations.openshift(move, 'all', nodes), seconds }]
  }
  const move = {
    operator: 'hco',
    minor: pairedMinorOf(to) ?? 0,
    isMinor: minorOf(from) !== minorOf(to),
    from,
    to,
  } as const
  const flavour = to.startsWith('1.') ? 'community' : 'openshift'
  const minors = { from: minorOf(from), to: hcoMinorText(move.minor, flavour) }
  const found = [
    { name: move.isMinor ? 'HCO, minor' : 'HCO, z-stream', timed: durations.hco(move, minors, nodes), seconds },
  ]
  const i = phases.names.indexOf('workloads')
  if (i === -1 || vms === undefined) return found
  const round = durations.migrationRound(DEFAULT_PARALLEL)
  const rounds = Math.ceil(vms / DEFAULT_PARALLEL)
  const quantiles = round.quantiles?.map((one) => one * rounds)
  const [p50Seconds, p90Seconds] = [quantile(quantiles ?? [], 0.5), quantile(quantiles ?? [], 0.9)]
  const window = { ...round.window, ...(p50Seconds && { p50Seconds }), ...(p90Seconds && { p90Seconds }) }
  const updated = phases.areFinished[i]! ? phaseSeconds[i]! : Infinity
  return [...found, { name: 'VMs', timed: { ...(quantiles && { quantiles }), window }, seconds: updated }]
}

/** All clusters from 4.16 to 4.18, ten waves, at any time and in windows; and with the runs of a large fleet. */
async function cost(clusters: number): Promise<void> {
  const index = createFleetIndex()
  const nowMs = YEAR.untilMs
  for (let i = 0; i < clusters; i++) {
    index.put({ cluster: clusterOf(i, nowMs), intervals: [], modifications: [], upgrades: upgradesOf(i) })
  }
  const query = {
    filter: {},
    target: '4.18',
    clustersAtOnce: clusters / 10,
    timeZone: 'Europe/Prague',
    startMs: nowMs,
    limit: 100,
  }
  for (const windows of [[], ['Sat 22:00-06:00', 'Sun 22:00-06:00']]) {
    const [before, startedMs] = [process.cpuUsage(), performance.now()]
    const plan = await planOf(index, { ...query, windows }, nowMs)
    const { user, system } = process.cpuUsage(before)
    const steps = plan.clusters.reduce((sum, one) => sum + one.steps.length, 0) / plan.clusters.length
    console.log(
      `a plan of ${plan.selected} clusters, ${steps.toFixed(1)} steps each, ${plan.schedule.draws} draws, ${windows.length} windows: ` +
        `${((user + system) / 1e6).toFixed(2)} s CPU, ${((performance.now() - startedMs) / 1000).toFixed(2)} s`,
    )
  }
}

function clusterOf(i: number, nowMs: number): ClusterRecord {
  return {
    ...{
      cluster: `cluster-${i}`,
      aliases: [],
      flavour: 'openshift',
      hcoVersion: '4.16.0',
      versions: {},
      conditions: [],
    },
    ...{
      instanceTypes: {},
      preferences: {},
      deprecatedApis: {},
      firstSeenMs: 0,
      lastSeenMs: nowMs,
      vmsAtLastUpdate: 5 + (i % 200),
    },
    platform: { kind: 'openshift', version: '4.16.3' },
    settings: { apiVersion: 'hco.kubevirt.io/v1beta1', liveMigration: {}, featureGates: {} },
    nodes: { count: 3 + (i % 40), ready: 3 + (i % 40), kubeletVersions: ['v1.29.5'] },
    pools: [{ name: 'worker', isPaused: false, machines: 1 + (i % 40), updated: 1 + (i % 40), degraded: 0 }],
    coverage: { objects: true, metrics: true, spans: false, kinds: [] },
  }
}

function upgradesOf(i: number): readonly UpgradeRecord[] {
  const steps = [
    ['kubevirt-hyperconverged', '4.15.0', '4.16.0'],
    ['openshift', '4.15.3', '4.16.3'],
    ['kubevirt-hyperconverged', '4.16.0', '4.17.1'],
    ['openshift', '4.16.3', '4.17.9'],
  ] as const
  return steps.map(([operator, from, to], step) => {
    const startedMs = HALF_MS + (i * 4 + step) * 1000
    const endedMs = startedMs + (600 + ((i * 7919 + step) % 1200)) * 1000
    return {
      upgrade: {
        ...{ id: `${i}-${step}`, cluster: `cluster-${i}`, operator, from, to, state: 'succeeded', startedMs, endedMs },
        ...{ nodes: 3 + (i % 40), phases: [], evidence: [], resolutionSeconds: 1 },
      },
      detail: { csvSteps: [], components: [], conditionChanges: [], featureGateChanges: [], observedUntilMs: endedMs },
    }
  })
}
