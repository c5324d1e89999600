/**
 * What JSON patches cost: 10,000 clusters, of which a third has one of the simulator's patches, checked against the next minor, then
 * against each known release, then once more; and each analysed on its own, as if no two clusters had the same. CPU time.
 */
import { patchOperations } from '../sim/history/patch-operations.ts'
import { analysePatches } from '../src/fleet/patches/analyse-patches.ts'
import { detailOf, fleetPatches } from '../src/fleet/patches/fleet-patches.ts'
import { createPatchSeries } from '../src/fleet/patches/patch-series.ts'
import { RELEASES } from '../src/fleet/releases.ts'
import type { ClusterRecord, Modification } from '../src/model/cluster-record.ts'
import { emptyRecord } from '../test/support/cluster-record.ts'

const COMPONENTS = ['kubevirt', 'cdi', 'network-addons', 'ssp'] as const

export function run({ quick = false }: { readonly quick?: boolean } = {}): void {
  const clusters = quick ? 1000 : 10_000
  const records = Array.from({ length: clusters }, (_, i) => recordOf(i))
  const patches = records.flatMap(({ cluster }, i) => (i % 3 === 0 ? [patchOf(cluster, i)] : []))
  const targets = RELEASES.map(({ version }) => version)
  const groups = fleetPatches(records, patches)
  console.log(`${clusters} clusters, ${patches.length} patches, ${groups.length} distinct; CPU ms`)
  const ofAllTargets = (): void => {
    for (const to of targets) fleetPatches(records, patches, to)
  }
  report('the next minor, again', () => fleetPatches(records, patches))
  report(`${targets.length} targets, the first time`, ofAllTargets)
  report(`${targets.length} targets, again`, ofAllTargets)
  report('one patch with its differences', () => detailOf(groups[0]!))
  const series = createPatchSeries()
  const facts = records.map((record, i) => ({ record, patches: i % 3 === 0 ? [patches[i / 3]!] : [] }))
  report('series, the first time', () => series(facts))
  report('series, again', () => series(facts))
  report('each analysed on its own, one target', () => {
    for (const patch of patches) analysePatches(patch, '1.17.3', '1.18.1', 'hco.kubevirt.io/v1beta1')
  })
}

function report(what: string, work: () => unknown): void {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  console.log(`${what.padEnd(40)} ${((user + system) / 1000).toFixed(1).padStart(9)}`)
}

function recordOf(i: number): ClusterRecord {
  const released = RELEASES.filter(({ seenAt }) => seenAt !== 'main')
  const hcoVersion = released[released.length - 1 - (i % 12)]!.version
  return emptyRecord(`cluster-${i}`, {
    hcoVersion,
    settings: { apiVersion: 'hco.kubevirt.io/v1beta1', liveMigration: {}, featureGates: {} },
  })
}

function patchOf(cluster: string, i: number): Modification {
  const component = COMPONENTS[i % COMPONENTS.length]!
  const operations = patchOperations(cluster, component, 1 + (i % 3))
  return {
    ...{ id: `patch-${i}`, cluster, kind: 'jsonpatch', component, startedMs: 0, count: operations.length, operations },
    ...{ annotation: `${component}/jsonpatch`, text: 'patched', isUpgradeMode: false, resolutionSeconds: 1 },
  }
}
