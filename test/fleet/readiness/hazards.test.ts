import { quoteShellWord } from '../../../src/base/quoting.ts'
import { describe, expect, test } from 'vitest'
import { ClusterFindings, hazardClusterOf } from '../../../src/fleet/readiness/findings.ts'
import { HAZARDS } from '../../../src/fleet/readiness/hazards/hazards.ts'
import { parseTarget } from '../../../src/fleet/readiness/target.ts'
import { setsOf, verdictOf } from '../../../src/fleet/readiness/verdict.ts'
import { RELEASES } from '../../../src/fleet/releases.ts'
import { HAZARD_IDS, type HazardFinding, type HazardId } from '../../../src/model/readiness.ts'
import { recordOf } from '../edge-script.ts'
import { HEALTHY, HOUR, inputOf, modification, NOW, seen, type Changed } from './healthy.ts'

function findingsOf(changed: Changed, to = '4.21.0'): ReadonlyMap<HazardId, HazardFinding> {
  const target = parseTarget(to, RELEASES)!
  const all = new ClusterFindings(hazardClusterOf(inputOf(changed))).all(target)
  return new Map(all.map(({ id, finding }) => [id, finding]))
}

function verdictFor(changed: Changed, to = '4.21.0', isSilent = false): string {
  const target = parseTarget(to, RELEASES)!
  return verdictOf(new ClusterFindings(hazardClusterOf(inputOf(changed))).sets(target), 0, isSilent)
}

const NO_METRICS = { metrics: false } as const
/** A cluster of the oldest versions that hazards 3 and 4 concern. */
const OLD = {
  hcoVersion: '4.10.2',
  platform: { kind: 'openshift', version: '4.11.9' },
  descheduler: { profiles: [] },
} as const
const OLD_TO = '4.11.0'
/** Before the release with other defaults and another layout. */
const MODERN = { hcoVersion: '4.22.0', platform: { kind: 'openshift', version: '5.0.1' } } as const
const UPGRADE = recordOf({ cluster: 'prague', startMinute: 0 })

interface Case {
  readonly hazard: HazardId
  readonly to?: string
  /** The hazard is there. */
  readonly planted: Changed
  readonly verdict: 'at_risk' | 'not_recommended'
  /** A part of its text. */
  readonly text: string
  /** Its signal is missing. */
  readonly withheld?: Changed
  /** The version that makes it applicable, for a cluster without the hazard. */
  readonly base?: Changed
}

const CASES: readonly Case[] = [
  {
    hazard: 'json_patch',
    planted: {
      modifications: [
        modification({
          annotation: 'kubevirt.kubevirt.io/jsonpatch',
          operations: [{ op: 'add', path: '/spec/a' }],
          by: 'argocd',
        }),
      ],
    },
    verdict: 'at_risk',
    text: 'An annotation patches kubevirt.',
    withheld: { without: ['isTainted'] },
  },
  {
    hazard: 'out_of_band',
    planted: { modifications: [modification({ kind: 'out_of_band', count: 3, startedMs: NOW - 29 * 24 * HOUR })] },
    verdict: 'at_risk',
    text: '3 out-of-band modifications of kubevirt in the last 30 days: a client keeps overwriting the object.',
    withheld: { kindsWithout: ['events'], ...NO_METRICS },
  },
  {
    hazard: 'node_maintenance_operator',
    to: OLD_TO,
    base: { record: OLD },
    planted: { record: OLD, facts: { nodeMaintenances: seen(2, 'metrics') } },
    verdict: 'not_recommended',
    text: 'Nodes are in maintenance',
    withheld: { record: OLD, facts: { nodeMaintenances: undefined } },
  },
  {
    hazard: 'nmstate_operator',
    to: OLD_TO,
    base: { record: OLD },
    planted: { record: OLD, facts: { nmstateCondition: seen('InstallNMState: missing') } },
    verdict: 'not_recommended',
    text: 'still deploys NMState',
    withheld: { record: OLD, facts: { nmstateCondition: undefined } },
  },
  {
    hazard: 'non_evictable_vms',
    planted: { facts: { nonEvictable: seen(2), notMigratable: seen({ HostDeviceNotLiveMigratable: 2 }) } },
    verdict: 'at_risk',
    text: '2 VMs must be live-migrated before eviction, and cannot be: HostDeviceNotLiveMigratable (2).',
    withheld: { facts: { nonEvictable: undefined } },
  },
  {
    hazard: 'non_evictable_vms',
    to: 'openshift 4.22.0',
    base: { record: { hcoVersion: '4.21.0' } },
    planted: { record: { hcoVersion: '4.21.0' }, facts: { nonEvictable: seen(1) } },
    verdict: 'not_recommended',
    text: '1 VM must be',
  },
  {
    hazard: 'rwo_volumes',
    planted: { facts: { rwoClasses: seen(['local']) } },
    verdict: 'at_risk',
    text: 'the default storage class local has no ReadWriteMany.',
    withheld: { facts: { rwoClasses: undefined, notMigratable: undefined } },
  },
  {
    hazard: 'live_migrate_only',
    planted: { facts: { notMigratable: seen({ CPUModeLiveMigratable: 4 }) } },
    verdict: 'at_risk',
    text: 'VMs are updated by live migration only, and 4 cannot be migrated.',
    withheld: { facts: { nonEvictable: undefined, notMigratable: undefined } },
  },
  {
    hazard: 'empty_update_methods',
    planted: {
      record: { settings: { ...HEALTHY.settings, workloadUpdateMethods: [] }, workloads: { outdated: 7, atMs: NOW } },
      facts: { workloadUpdateMethods: seen([]) },
    },
    verdict: 'at_risk',
    text: 'workloadUpdateMethods is empty: 7 outdated VMs stay on the old virt-launcher.',
    withheld: {
      record: { settings: { liveMigration: {}, featureGates: {} } },
      kindsWithout: ['hyperconvergeds'],
    },
  },
  {
    hazard: 'paused_pool',
    planted: { facts: { pausedPools: seen(['worker']) } },
    verdict: 'at_risk',
    text: 'Paused: worker (6 of 6 nodes updated).',
    withheld: { facts: { pausedPools: undefined } },
  },
  {
    hazard: 'eus_order',
    planted: { record: { hcoVersion: '4.19.2', platform: { kind: 'openshift', version: '4.21.0' } } },
    verdict: 'at_risk',
    text: '2 minor versions ahead of 4.19.2: upgrade through 1.16 (4.20) first.',
    withheld: { without: ['hcoVersion'] },
  },
  {
    hazard: 'manual_approval',
    planted: { record: { subscription: { ...HEALTHY.subscription!, approval: 'Manual' } } },
    verdict: 'at_risk',
    text: 'The Subscription (channel stable) requires manual approval.',
    withheld: { without: ['subscription'] },
  },
  {
    hazard: 'version_skew',
    planted: { record: { platform: { kind: 'openshift', version: '4.20.3' } } },
    verdict: 'not_recommended',
    text: 'OpenShift Virtualization 4.21 needs OpenShift 4.21; the platform is at 4.20.',
    withheld: { without: ['platform'] },
  },
  {
    hazard: 'migration_retries',
    planted: { facts: { retriedMigrations: seen({ vms: 1, tries: 5, reason: 'unschedulable' }) } },
    verdict: 'at_risk',
    text: '1 VM failed to migrate 5 times in a day.',
    withheld: { facts: { retriedMigrations: undefined } },
  },
  {
    hazard: 'descheduler',
    planted: { record: { descheduler: { profiles: ['SoftTopologyAndDuplicates'], isMisconfigured: true } } },
    verdict: 'at_risk',
    text: 'The profiles of the descheduler (SoftTopologyAndDuplicates) do not support VMs.',
    withheld: {
      without: ['descheduler', 'platform'],
      facts: { isDeschedulerMisconfigured: undefined },
      kindsWithout: ['clusterversions'],
    },
  },
  {
    hazard: 'descheduler_after_upgrade',
    to: '4.19.0',
    base: { record: { hcoVersion: '4.18.0', platform: { kind: 'openshift', version: '4.19.0' } } },
    planted: {
      record: {
        hcoVersion: '4.18.0',
        platform: { kind: 'openshift', version: '4.19.0' },
        descheduler: { profiles: ['LongLifecycle'], isMisconfigured: false },
      },
    },
    verdict: 'at_risk',
    text: 'does not accept the profiles LongLifecycle.',
    withheld: {
      without: ['descheduler', 'platform'],
      facts: { isDeschedulerMisconfigured: undefined },
      kindsWithout: ['clusterversions'],
    },
  },
  {
    hazard: 'few_nodes',
    planted: { facts: { kvmNodes: seen(1) } },
    verdict: 'at_risk',
    text: 'Nodes that can run VMs: 1.',
    withheld: { facts: { kvmNodes: undefined, isHighlyAvailable: undefined } },
  },
  {
    hazard: 'max_openshift_version',
    to: 'openshift 4.22.0',
    base: { record: { hcoVersion: '4.21.0' } },
    planted: { record: { hcoVersion: '4.21.0' }, facts: { maxOpenShiftVersion: seen('4.21') } },
    verdict: 'not_recommended',
    text: 'The installed bundle of HCO supports OpenShift up to 4.21.',
    withheld: {
      record: { hcoVersion: '4.21.0' },
      facts: { maxOpenShiftVersion: undefined, platformUpgradeable: undefined },
    },
  },
  {
    hazard: 'machine_types',
    planted: { facts: { deprecatedMachineTypes: seen({ 'pc-q35-rhel8.2.0': 3 }) } },
    verdict: 'at_risk',
    text: 'VMs by deprecated machine type: pc-q35-rhel8.2.0 (3).',
    withheld: { facts: { deprecatedMachineTypes: undefined } },
  },
  {
    hazard: 'deprecated_apis',
    planted: { facts: { deprecatedApis: seen(['kubevirt.io/v1alpha3 virtualmachines']) } },
    verdict: 'at_risk',
    text: 'Requested: kubevirt.io/v1alpha3 virtualmachines.',
    withheld: { facts: { deprecatedApis: undefined } },
  },
  {
    hazard: 'storage_version',
    to: '5.0.0',
    base: { record: { ...MODERN, settings: EXPLICIT() } },
    planted: {
      record: { ...MODERN, settings: EXPLICIT() },
      facts: { hyperConvergedWriter: seen({ manager: 'argocd', apiVersion: 'hco.kubevirt.io/v1beta1' }) },
    },
    verdict: 'at_risk',
    text: 'argocd writes HyperConverged as hco.kubevirt.io/v1beta1',
    withheld: { record: { ...MODERN, settings: EXPLICIT() }, facts: { hyperConvergedWriter: undefined } },
  },
  {
    hazard: 'migration_defaults',
    to: '5.0.0',
    base: { record: { ...MODERN, settings: EXPLICIT() } },
    planted: { record: { ...MODERN, settings: { ...EXPLICIT(), liveMigration: { completionTimeoutPerGiB: 150 } } } },
    verdict: 'at_risk',
    text: 'The upgrade changes completionTimeoutPerGiB (to 20) and parallelOutboundMigrationsPerNode (to 1).',
    withheld: { record: MODERN, kindsWithout: ['hyperconvergeds'] },
  },
  {
    hazard: 'rollout_race',
    planted: { facts: { kubernetesVersion: seen('1.36.0') } },
    verdict: 'at_risk',
    text: 'Kubernetes 1.36.0',
    withheld: { facts: { kubernetesVersion: undefined } },
  },
  {
    hazard: 'fail_forward',
    planted: {
      facts: {
        operatorGroupStrategy: { ...seen('TechPreviewUnsafeFailForward'), ref: 'operatorgroups/openshift-cnv/group' },
      },
    },
    verdict: 'at_risk',
    text: 'The OperatorGroup group has upgradeStrategy TechPreviewUnsafeFailForward.',
    withheld: { facts: { operatorGroupStrategy: undefined } },
  },
  {
    hazard: 'disruption_budget_alerts',
    planted: { alerts: ['PodDisruptionBudgetAtLimit'] },
    verdict: 'at_risk',
    text: 'PodDisruptionBudgetAtLimit fires.',
    withheld: NO_METRICS,
  },
  {
    hazard: 'golden_images',
    planted: { record: { goldenImages: { crons: 8, outdated: 2 } } },
    verdict: 'at_risk',
    text: '2 of 8 imports are not up to date.',
    withheld: { without: ['goldenImages'] },
  },
  {
    hazard: 'operator_unhealthy',
    planted: { record: { conditions: [{ type: 'Degraded', status: 'True', reason: 'CDIDegraded', message: 'm' }] } },
    verdict: 'not_recommended',
    text: 'HyperConverged reports Degraded=True (CDIDegraded).',
    withheld: { record: { conditions: [] }, without: ['systemHealth'] },
  },
  {
    hazard: 'not_upgradeable',
    planted: { record: { upgradeable: { status: 'False', reason: 'SSPNotUpgradeable', message: 'm' } } },
    verdict: 'not_recommended',
    text: 'The installed operator reports Upgradeable=False (SSPNotUpgradeable).',
    withheld: { without: ['upgradeable'] },
  },
  {
    hazard: 'degraded_pool',
    planted: { record: { pools: [{ name: 'worker', isPaused: false, machines: 6, updated: 5, degraded: 1 }] } },
    verdict: 'at_risk',
    text: 'Degraded: worker (1 of 6 nodes).',
    withheld: { kindsWithout: ['machineconfigpools'] },
  },
  {
    hazard: 'nodes',
    planted: { record: { nodes: { count: 9, ready: 8, kubeletVersions: ['v1.33.4', 'v1.34.1'] } } },
    verdict: 'at_risk',
    text: '8 of 9 nodes ready; kubelet v1.33.4, v1.34.1.',
    withheld: { without: ['nodes'] },
  },
  {
    hazard: 'critical_alerts',
    planted: { alerts: ['VirtHandlerDaemonSetRolloutFailing', 'SSPDown'] },
    verdict: 'at_risk',
    text: 'Firing: SSPDown, VirtHandlerDaemonSetRolloutFailing.',
    withheld: NO_METRICS,
  },
  {
    hazard: 'open_upgrade',
    planted: { upgrades: [UPGRADE] },
    verdict: 'at_risk',
    text: 'In progress: kubevirt-hyperconverged to',
  },
]

/** Both settings whose defaults change in 1.19. */
function EXPLICIT() {
  return { ...HEALTHY.settings, liveMigration: { completionTimeoutPerGiB: 100, parallelOutboundMigrationsPerNode: 2 } }
}

describe('hazards', () => {
  test('each has a case below, and its place is its number', () => {
    expect(HAZARDS.map(({ id }) => id)).toEqual(HAZARD_IDS)
    expect(new Set(CASES.map(({ hazard }) => hazard))).toEqual(new Set(HAZARD_IDS))
    // Sets of hazards are the bits of a number.
    expect(HAZARD_IDS.length).toBeLessThanOrEqual(31)
  })

  test('a cluster that reports everything and has none is ready', () => {
    const states = [...findingsOf({})].filter(([, { state }]) => state !== 'absent' && state !== 'not_applicable')
    expect(states).toEqual([])
    expect(verdictFor({})).toBe('ready')
    expect(verdictFor({}, '4.21.0', true)).toBe('unknown')
  })

  test.each(CASES)('$hazard is found, with its evidence and a fix', ({ hazard, to, planted, verdict, text }) => {
    const finding = findingsOf(planted, to).get(hazard)!
    expect(finding).toMatchObject({ state: 'present', verdict, text: expect.stringContaining(text) as unknown })
    if (finding.state !== 'present') return
    expect(finding.evidence.length).toBeGreaterThan(0)
    expect(finding.evidence.every(({ atMs = 1 }) => Number.isFinite(atMs) && atMs > 0 && atMs <= NOW)).toBe(true)
    expect(finding.fix.text).not.toBe('')
    expect(verdictFor(planted, to)).not.toBe('ready')
  })

  test.each(CASES)('$hazard has the same evidence after later reports of the same', ({ hazard, to, planted }) => {
    const { coverage } = inputOf(planted).record
    const later = { ...planted, record: { ...planted.record, coverage: { ...coverage, objectsLastMs: NOW - 1 } } }
    expect(findingsOf(later, to).get(hazard)).toEqual(findingsOf(planted, to).get(hazard))
  })

  test.each(CASES)('$hazard is ruled out without it', ({ hazard, to, base = {} }) => {
    expect(findingsOf(base, to).get(hazard)).toEqual({ state: 'absent' })
  })

  test.each(CASES.flatMap((one) => (one.withheld === undefined ? [] : [{ ...one, withheld: one.withheld }])))(
    '$hazard is unknown without its signal, and such a cluster is never ready',
    ({ hazard, to, withheld }) => {
      expect(findingsOf(withheld, to).get(hazard)).toMatchObject({
        state: 'unknown',
        text: expect.stringMatching(/^Not reported: /) as unknown,
      })
      expect(verdictFor(withheld, to)).not.toBe('ready')
    },
  )

  test.each([
    ['node_maintenance_operator', '4.21.0', {}],
    ['nmstate_operator', '4.12.0', { record: { hcoVersion: '4.11.0' } }],
    ['storage_version', '4.21.0', {}],
    ['migration_defaults', '4.21.0', {}],
    ['version_skew', '1.17.0', { record: { flavour: 'community', hcoVersion: '1.16.0' } }],
    ['paused_pool', '4.21.0', { record: { platform: { kind: 'kubernetes', version: '1.33.4' } } }],
    ['max_openshift_version', '4.21.0', {}],
    ['json_patch', 'openshift 4.22.0', { modifications: [modification({})] }],
  ] as const)('%s does not apply to %s', (hazard, to, changed) => {
    expect(findingsOf(changed as Changed, to).get(hazard)).toEqual({ state: 'not_applicable' })
  })

  test('JSON patches are as bad as their analysis finds, and its findings are evidence', () => {
    const withClass = (found: 'broken' | 'fragile') =>
      findingsOf({
        modifications: [modification({ operations: [{ op: 'remove', path: '/spec/a' }] })],
        patchFindings: (patch, from, to) => [
          {
            class: found,
            weight: found === 'broken' ? 'breaks' : 'check',
            at: 'target',
            text: `${patch.component} ${from} ${to}`,
          },
        ],
      }).get('json_patch')
    expect(withClass('fragile')).toMatchObject({ verdict: 'at_risk' })
    expect(withClass('broken')).toMatchObject({
      verdict: 'not_recommended',
      evidence: [
        { text: 'kubevirt: remove /spec/a' },
        { text: expect.stringMatching(/^broken: kubevirt 4.20.1 1.17/) as unknown },
      ],
    })
  })

  test('out-of-band modifications older than 30 days, and those of upgrades, are none', () => {
    const oob = (more: Parameters<typeof modification>[0]) =>
      findingsOf({ modifications: [modification({ kind: 'out_of_band', ...more })] }).get('out_of_band')!.state
    expect(oob({ startedMs: NOW - 30 * 24 * HOUR })).toBe('present')
    expect(oob({ startedMs: NOW - 30 * 24 * HOUR - 1 })).toBe('absent')
    expect(oob({ isUpgradeMode: true })).toBe('absent')
  })

  test('a platform that is not upgradeable allows z-streams', () => {
    const facts = {
      platformUpgradeable: seen({ status: 'False', reason: 'IncompatibleOperatorsInstalled', message: 'm' }),
    }
    const of = (to: string) => findingsOf({ record: { hcoVersion: '4.21.0' }, facts }, to)
    expect(of('openshift 4.21.9').get('not_upgradeable')!.state).toBe('absent')
    expect(of('openshift 4.21.9').get('max_openshift_version')!.state).toBe('absent')
    expect(of('openshift 4.22.0').get('not_upgradeable')!.state).toBe('present')
    expect(of('openshift 4.22.0').get('max_openshift_version')!.state).toBe('present')
  })

  test('a platform goes on only when the operator is at its minor', () => {
    const of = (hcoVersion: string) =>
      findingsOf({ record: { hcoVersion } }, 'openshift 4.22.0').get('version_skew')!.state
    expect([of('4.20.1'), of('4.21.0')]).toEqual(['present', 'absent'])
  })

  test('a cluster with two nodes for VMs can migrate; what nodes report counts more than the condition', () => {
    const of = (facts: Changed['facts']) => findingsOf({ facts: facts! }).get('few_nodes')!.state
    expect(of({ kvmNodes: seen(2) })).toBe('absent')
    expect(of({ kvmNodes: seen(2), isHighlyAvailable: seen(false) })).toBe('absent')
    expect(of({ kvmNodes: undefined, isHighlyAvailable: seen(false) })).toBe('present')
  })

  test('conditions of an operator that is being upgraded are no fault of it', () => {
    const record = { conditions: [{ type: 'Degraded', status: 'True', reason: 'HCOProgressing', message: 'm' }] }
    expect(findingsOf({ record, upgrades: [UPGRADE] }).get('operator_unhealthy')!.state).toBe('absent')
  })

  test('values of a cluster are quoted for the shell', () => {
    expect(quoteShellWord('worker')).toBe('worker')
    expect(quoteShellWord("a'; rm -rf / #")).toBe(`'a'\\''; rm -rf / #'`)
    const evil = findingsOf({ facts: { pausedPools: seen(['$(reboot)']) } }).get('paused_pool')!
    expect(evil).toMatchObject({
      fix: { command: expect.stringContaining("machineconfigpool '$(reboot)' --type") as unknown },
    })
  })

  test('the patch of HyperConverged is for the layout that the cluster has', () => {
    const of = (apiVersion: string) =>
      findingsOf({
        record: { settings: { ...HEALTHY.settings, apiVersion, workloadUpdateMethods: [] } },
      }).get('empty_update_methods')
    const methods = '"workloadUpdateStrategy":{"workloadUpdateMethods":["LiveMigrate"]}'
    expect(of('hco.kubevirt.io/v1')).toMatchObject({
      fix: { command: expect.stringContaining(`{"spec":{"virtualization":{${methods}}}}`) as unknown },
    })
    expect(of('hco.kubevirt.io/v1beta1')).toMatchObject({
      fix: { command: expect.stringContaining(`{"spec":{${methods}}}`) as unknown },
    })
  })
})

describe('verdicts', () => {
  const present = (verdict: 'at_risk' | 'not_recommended'): HazardFinding => {
    return { state: 'present', verdict, text: '', evidence: [], fix: { text: '' } }
  }
  test('the worst hazard that is not accepted counts, then what is missing', () => {
    const sets = setsOf([
      present('at_risk'),
      present('not_recommended'),
      { state: 'unknown', text: '' },
      { state: 'absent' },
    ])
    expect(sets).toEqual({ atRisk: 1, notRecommended: 2, unknown: 4 })
    expect(verdictOf(sets, 0, false)).toBe('not_recommended')
    expect(verdictOf(sets, 2, false)).toBe('at_risk')
    expect(verdictOf(sets, 3, false)).toBe('unknown')
    expect(verdictOf(sets, 7, false)).toBe('ready')
    expect(verdictOf(sets, 7, true)).toBe('unknown')
    expect(verdictOf(sets, 5, true)).toBe('not_recommended')
  })

  test('the sets of a target agree with its findings', () => {
    for (const { planted, to = '4.21.0' } of CASES) {
      const target = parseTarget(to, RELEASES)!
      const findings = new ClusterFindings(hazardClusterOf(inputOf(planted)))
      expect(findings.sets(target)).toEqual(setsOf(findings.all(target).map(({ finding }) => finding)))
    }
  })
})
