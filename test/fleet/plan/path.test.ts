import { describe, expect, test } from 'vitest'
import type { ClusterRecord } from '../../../src/model/cluster-record.ts'
import { planClusterOf } from '../../../src/fleet/plan/plan-cluster.ts'
import { pathOf } from '../../../src/fleet/plan/path.ts'
import { withImported } from '../../../src/fleet/plan/imported-graph.ts'
import { graphOfReleases } from '../../../src/fleet/plan/plan-graph.ts'
import { openshiftMinorOf, openshiftMinorText, pairedMinorOf } from '../../../src/fleet/platform-minor.ts'
import { targetOf } from '../../../src/fleet/plan/target.ts'
import { parallelMigrations, vmUpdateOf } from '../../../src/fleet/plan/vm-update.ts'
import { createStepDurations } from '../../../src/fleet/plan/step-durations.ts'
import { memoryOfVms } from '../../../src/fleet/plan/vm-memory.ts'
import { RELEASES } from '../../../src/fleet/releases.ts'
import { community, NOW_MS, openshift, viewOf } from './clusters.ts'

const SEEN = { hco: ['4.16.4', '4.17.5', '4.18.2'], openshift: ['4.17.9', '4.18.6'] }

function movesOf(record: ClusterRecord, target: string, maxima: readonly (readonly [string, string])[] = []): unknown {
  const graph = graphOfReleases(RELEASES, SEEN, new Map(maxima))
  const path = pathOf(planClusterOf(viewOf(record), NOW_MS), targetOf(target)!, graph)
  if (path.kind !== 'moves') return `${path.kind}: ${path.reason}`
  return path.moves.map(({ operator, to, minor }) => `${operator} ${to ?? `4.${minor}.?`}`)
}

const at = (hcoVersion: string, version: string): ClusterRecord =>
  openshift({ hcoVersion, platform: { kind: 'openshift', version } })

describe('the path', () => {
  test('HCO that is behind OpenShift catches up before OpenShift goes on', () => {
    expect(movesOf(at('4.16.4', '4.17.9'), '4.18')).toEqual(['hco 4.17.5', 'openshift 4.18.6', 'hco 4.18.2'])
    expect(movesOf(at('4.16.4', '4.18.6'), '4.18')).toEqual(['hco 4.17.5', 'hco 4.18.2'])
  })

  test('HCO that is ahead waits for OpenShift', () => {
    expect(movesOf(at('4.17.5', '4.16.3'), '4.18')).toEqual(['openshift 4.17.9', 'openshift 4.18.6', 'hco 4.18.2'])
  })

  test('olm.maxOpenShiftVersion: HCO goes first, and where it cannot there is no path', () => {
    const capped = [['4.16.4', '4.16']] as const
    expect(movesOf(at('4.16.4', '4.16.3'), '4.17', capped)).toEqual(['hco 4.17.5', 'openshift 4.17.9'])
    expect(movesOf(at('4.16.4', '4.16.3'), '4.18', [...capped, ['4.17.5', '4.16']])).toBe(
      'no_path: HCO 4.17.5 declares olm.maxOpenShiftVersion 4.16, so OpenShift cannot go to 4.17.',
    )
    expect(movesOf(at('4.16.4', '4.16.3'), '4.17', [['4.16.4', '4.17']])).toEqual(['openshift 4.17.9', 'hco 4.17.5'])
  })

  test('exact targets: of HCO for its flavour, of OpenShift for the platform', () => {
    expect(movesOf(community('1.16.0'), '1.17.1')).toEqual(['hco 1.17.1'])
    expect(movesOf(community('1.17.1'), '1.17.1')).toEqual([])
    expect(movesOf(at('4.17.5', '4.17.9'), 'openshift 4.18.1')).toEqual(['openshift 4.18.1', 'hco 4.18.2'])
    expect(movesOf(at('4.18.2', '4.18.2'), 'openshift 4.18.6')).toEqual(['openshift 4.18.6'])
    expect(movesOf(at('4.18.2', '4.18.6'), 'openshift 4.18.2')).toMatch(
      /^target_older: OpenShift 4\.18\.6 is installed/,
    )
    expect(movesOf(community('1.17.3'), '1.17.1')).toMatch(
      /^target_older: HCO 1\.17\.3 is installed, newer than 1\.17\.1/,
    )
  })

  test('a z-stream that no update leads to: an exact target has no path, a minor is reached already', () => {
    const nodes = ['1.17.0', '1.17.3'].map((version) => ({ version, channels: ['stable'] }))
    const imported = { nodes, edges: [], conditionalEdges: [], channels: [] }
    const graph = withImported(imported, graphOfReleases(RELEASES, SEEN))
    const path = (target: string) =>
      pathOf(planClusterOf(viewOf(community('1.17.0')), NOW_MS), targetOf(target)!, graph)
    expect(path('1.17.3')).toEqual({
      kind: 'no_path',
      reason: 'The update graph has no supported path from HCO 1.17.0 to 1.17.3.',
    })
    expect(path('1.17')).toEqual({ kind: 'moves', moves: [] })
  })

  test('a minor of which no version is known is a step all the same, where the graph may lack versions', () => {
    expect(movesOf(at('4.18.2', '4.18.6'), '4.19')).toEqual(['openshift 4.19.?', 'hco 4.19.?'])
  })

  test('a target that nobody released has no path, and a bundle of the main branch is not released', () => {
    expect(movesOf(community('1.18.1'), '1.19')).toMatch(/^no_path: The target 1\.19 is not known/)
    expect(movesOf(openshift(), '4.40')).toMatch(/^no_path: The target 4\.40 is not known/)
  })

  test('unknown versions have no path', () => {
    const { hcoVersion, platform, ...rest } = openshift()
    expect([hcoVersion, platform]).not.toContain(undefined)
    expect(movesOf({ ...rest, platform: platform! }, '4.18')).toMatch(/^unknown: .* version of HCO/)
    expect(movesOf({ ...rest, hcoVersion: '4.16.0' }, '4.18')).toMatch(/^unknown: .* runs on OpenShift/)
    expect(movesOf(openshift({ platform: { kind: 'openshift' } }), '4.18')).toMatch(/^unknown: .* version of OpenShift/)
  })
})

describe('targets and minors', () => {
  test.each([
    ['4.18', 18],
    ['1.14', 18],
    ['1.14.2', 18],
    ['5.0', 23],
    ['4.23', 23],
    ['openshift 4.18.3', 18],
    ['openshift 5.1', 24],
  ])('%s is of the minor %d', (text, minor) => {
    expect(targetOf(text)?.minor).toBe(minor)
  })

  test.each(['', 'next', '4', '4.18.x', 'openshift', 'openshift 3.11', '2.1', '4.18.3.1', '4.1234'])(
    '%j is none',
    (text) => {
      expect(targetOf(text)).toBeUndefined()
    },
  )

  test('5.0 is the minor after 4.22', () => {
    expect([openshiftMinorOf('4.22.1'), openshiftMinorOf('5.0.3'), pairedMinorOf('1.19.0')]).toEqual([22, 23, 23])
    expect([22, 23, 24].map(openshiftMinorText)).toEqual(['4.22', '5.0', '5.1'])
  })
})

describe('the update of VMs', () => {
  const cluster = (known: Partial<ClusterRecord> = {}) => planClusterOf(viewOf(openshift(known)), NOW_MS)
  const settings = (liveMigration: ClusterRecord['settings']['liveMigration']) => ({
    settings: { apiVersion: 'hco.kubevirt.io/v1beta1', liveMigration, featureGates: {} },
  })
  const windowOf = (known: Partial<ClusterRecord> = {}) => vmUpdateOf(cluster(known), createStepDurations([])).window

  test('as many at a time as the cluster and its nodes allow', () => {
    expect(parallelMigrations(cluster())).toBe(5)
    expect(parallelMigrations(cluster(settings({ parallelMigrationsPerCluster: 20 })))).toBe(12)
    expect(
      parallelMigrations(cluster(settings({ parallelMigrationsPerCluster: 20, parallelOutboundMigrationsPerNode: 1 }))),
    ).toBe(6)
    expect(parallelMigrations(cluster(settings({ parallelMigrationsPerCluster: 'many' })))).toBe(5)
  })

  test('takes rounds of a minute or two without measurements: 40 VMs by five are eight rounds', () => {
    expect(windowOf()).toMatchObject({
      source: 'assumed',
      basis: expect.stringContaining('40 VMs in 8 rounds of 5') as unknown,
    })
    expect(windowOf().p50Seconds).toBeCloseTo(480, -1)
    expect(windowOf().p90Seconds).toBeCloseTo(960, -1)
  })

  test('takes at least the memory by the bandwidth of all migrations', () => {
    const slow = { ...settings({ bandwidthPerMigration: '64Mi' }), instanceTypes: { 'u1.8xlarge': 40 } }
    // 40 VMs of 128 GiB, by five migrations of 64 MiB a second.
    expect(windowOf(slow).p50Seconds).toBe((40 * 128 * 1024) / (64 * 5))
    expect(windowOf({ ...slow, ...settings({ bandwidthPerMigration: '0' }) }).p50Seconds).toBeLessThan(1000)
    expect(memoryOfVms({ 'u1.medium': 2, 'cx1.large': 1 })).toBe(12)
    expect(memoryOfVms({ 'u1.medium': 2, own: 1 })).toBeUndefined()
  })

  test('is unknown without a number of VMs', () => {
    const { vmsAtLastUpdate, ...known } = openshift()
    expect(vmsAtLastUpdate).toBe(40)
    const { window } = vmUpdateOf(planClusterOf(viewOf(known), NOW_MS), createStepDurations([]))
    expect(window).toMatchObject({ source: 'unknown', basis: 'The number of VMs is not reported.' })
  })
})
