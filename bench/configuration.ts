/**
 * What comparing the configurations of a fleet costs: all clusters for the first time, then again, after one cluster changed, the
 * series of a minute, and one page. Processor time, on one thread.
 */
import { createProfile } from '../sim/cluster-profile.ts'
import { settingsOf } from '../sim/history/objects/hco-settings.ts'
import { releaseOf } from '../sim/release.ts'
import { withoutPause } from '../src/base/thread-slices.ts'
import { createFleetIndex } from '../src/fleet/clusters/fleet-index.ts'
import {
  clusterDifferences,
  fleetConfiguration,
  settingDetail,
} from '../src/fleet/configuration/configuration-answers.ts'
import { differenceValues } from '../src/fleet/configuration/difference-values.ts'
import type { ClusterRecord } from '../src/model/cluster-record.ts'

const CLUSTERS = 10_000
const NOW_MS = Date.UTC(2026, 10, 1)
const VERSIONS = ['1.13.0', '1.14.0', '1.15.2', '1.16.0', '1.17.3', '1.18.1']
const ROUNDS = 5

export function run(): void {
  const index = createFleetIndex()
  const records = Array.from({ length: CLUSTERS }, (_, i) => recordOf(i))
  for (const cluster of records) index.put({ cluster, intervals: [], upgrades: [], modifications: [] })
  const rows: [string, number][] = []
  const all = () => fleetConfiguration(index, { filter: {} }, NOW_MS)
  rows.push(['all settings, first', cpuMs(all)])
  rows.push(['all settings, again', median(all)])
  rows.push([
    'all settings, after one cluster changed',
    median((round) => {
      index.put({ cluster: recordOf(round), intervals: [], upgrades: [], modifications: [] })
      all()
    }),
  ])
  rows.push(['of one region', median(() => fleetConfiguration(index, { filter: { region: 'eu-west' } }, NOW_MS))])
  const name = 'liveMigration.progressTimeout'
  rows.push(['one setting with its clusters', median(() => settingDetail(index, name, { filter: {} }, NOW_MS))])
  rows.push([
    'one cluster against the majority',
    median(() => clusterDifferences(index, records[7]!.cluster, undefined, NOW_MS)),
  ])
  rows.push(['series of a minute', median(() => withoutPause(differenceValues(records, records[0], () => [], NOW_MS)))])
  for (const [what, ms] of rows) console.log(`${what.padEnd(44)} ${ms.toFixed(1).padStart(8)} ms CPU`)
}

function recordOf(i: number): ClusterRecord {
  const profile = createProfile('bench', i, 30_000)
  const hcoVersion = VERSIONS[i % VERSIONS.length]!
  const {
    batchEvictionSize = 10,
    evictionStrategy = 'None',
    liveMigration,
    featureGates,
  } = settingsOf(profile, releaseOf(hcoVersion)!, new Set())
  return {
    ...{ cluster: `${profile.name}-${i}`, aliases: [], hcoVersion, versions: {}, conditions: [], pools: [] },
    ...{ instanceTypes: {}, preferences: {}, deprecatedApis: {}, region: profile.region },
    ...{ firstSeenMs: NOW_MS - 1000, lastSeenMs: NOW_MS },
    coverage: { objects: true, metrics: true, spans: false, kinds: [] },
    settings: {
      apiVersion: 'hco.kubevirt.io/v1beta1',
      ...{ evictionStrategy, liveMigration, featureGates },
      ...{ others: { batchEvictionSize }, goldenImages: ['centos-stream9', 'fedora'] },
      storage: { default: `class-${i % 5}`, virtDefault: '' },
    },
  }
}

function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

function median(work: (round: number) => unknown): number {
  const times = Array.from({ length: ROUNDS }, (_, round) => cpuMs(() => work(round))).sort((a, b) => a - b)
  return times[Math.floor(ROUNDS / 2)]!
}
