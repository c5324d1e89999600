import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { resolveRunbook } from '../../src/catalog/resolve-runbook.ts'
import { formatDuration, parseDuration } from '../../src/model/duration.ts'
import { loadRuleFiles } from '../../src/rules/rule-file.ts'
import { ROOT, ruleTests, shippedCatalog } from './content.ts'

// Every alert that HCO and what it installs can raise is here: a rule, a unit test that fires and one that is quiet, and
// a page; and the names they had before lead to the page of today.

/** Alerts by the component that ships them. The facts about the operators, where they are at hand, are held against it. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'hyperconverged-cluster-operator': [
    'KubeVirtCRModified',
    'UnsupportedHCOModification',
    'HCOInstallationIncomplete',
    'HCOMisconfiguredDescheduler',
    'HCOOperatorConditionsUnhealthy',
    'HCOGoldenImageWithNoSupportedArchitecture',
    'HCOGoldenImageWithNoArchitectureAnnotation',
    'HCOMultiArchGoldenImagesDisabled',
    'DeprecatedMachineType',
  ],
  'cnv-observability': [
    'HighCPUWorkload',
    'HAControlPlaneDown',
    'NodeNetworkInterfaceDown',
    'PersistentVolumeFillingUp',
    'HighNodeCPUFrequency',
    'DuplicateWaspAgentDSDetected',
  ],
  kubevirt: [
    'VMNonRecoverableOSPanic',
    'ClusterVMPanicDetected',
    'LowKVMNodesCount',
    'KubeVirtNoAvailableNodesToRunVMs',
    'VirtAPIDown',
    'LowReadyVirtAPICount',
    'NoReadyVirtAPI',
    'LowVirtAPICount',
    'VirtApiRESTErrorsBurst',
    'KubeVirtDeprecatedAPIRequested',
    'LowReadyVirtControllersCount',
    'NoReadyVirtController',
    'NoLeadingVirtController',
    'VirtControllerDown',
    'LowVirtControllersCount',
    'VirtLauncherPodsStuckFailed',
    'VirtControllerRESTErrorsBurst',
    'VirtHandlerDown',
    'LowReadyVirtHandlerCount',
    'NoReadyVirtHandler',
    'OrphanedVirtualMachineInstances',
    'VirtHandlerDaemonSetRolloutFailing',
    'VirtHandlerRESTErrorsBurst',
    'VirtOperatorDown',
    'LowVirtOperatorCount',
    'VirtOperatorRESTErrorsBurst',
    'LowReadyVirtOperatorsCount',
    'NoReadyVirtOperator',
    'NoLeadingVirtOperator',
    'VMCannotBeEvicted',
    'KubeVirtVMIExcessiveMigrations',
    'OutdatedVirtualMachineInstanceWorkloads',
    'GuestVCPUQueueHighWarning',
    'GuestVCPUQueueHighCritical',
    'VirtualMachineStuckInUnhealthyState',
    'VirtualMachineStuckOnNode',
    'KubeVirtVMGuestMemoryPressure',
    'KubeVirtVMGuestMemoryAvailableLow',
    'GuestFilesystemAlmostOutOfSpace',
  ],
  'containerized-data-importer': [
    'CDIOperatorDown',
    'CDINotReady',
    'CDIDataVolumeUnusualRestartCount',
    'CDIStorageProfilesIncomplete',
    'CDIDataImportCronOutdated',
    'CDINoDefaultStorageClass',
    'CDIMultipleDefaultVirtStorageClasses',
    'CDIDefaultStorageClassDegraded',
  ],
  'ssp-operator': [
    'SSPDown',
    'SSPTemplateValidatorDown',
    'SSPFailingToReconcile',
    'SSPHighRateRejectedVms',
    'SSPCommonTemplatesModificationReverted',
    'VMStorageClassWarning',
  ],
  'cluster-network-addons-operator': ['CnaoDown', 'NetworkAddonsConfigNotReady', 'KubemacpoolDown'],
  kubemacpool: ['KubemacpoolMACCollisionDetected'],
  'hostpath-provisioner-operator': ['HPPOperatorDown', 'HPPNotReady', 'HPPSharingPoolPathWithOS'],
}

/** Of the platform, and of what installs HCO: they matter around an upgrade. */
const PLATFORM = [
  'CannotEvaluateConditionalUpdates',
  'CannotRetrieveUpdates',
  'ClusterNotUpgradeable',
  'ClusterOperatorDegraded',
  'ClusterOperatorDown',
  'ClusterOperatorFlapping',
  'ClusterReleaseNotAccepted',
  'CsvAbnormalFailedOver2Min',
  'CsvAbnormalOver30Min',
  'InstallPlanStepAppliedWithWarnings',
  'OpenShiftUpdateRiskMightApply',
  'UpdateAvailable',
]

/** Components whose alerts are all here. */
const COMPLETE = [
  'hyperconverged-cluster-operator',
  'cnv-observability',
  'kubevirt',
  'containerized-data-importer',
  'ssp-operator',
  'cluster-network-addons-operator',
  'kubemacpool',
  'hostpath-provisioner-operator',
]

const catalog = shippedCatalog()
const rules = loadRuleFiles(catalog.ruleFiles).groups.flatMap((group) => group.rules)
const alerts = rules.filter((rule) => rule.kind === 'alerting')
const rows = ruleTests().flatMap((one) => one.alert_rule_test ?? [])

describe.each([...COMPLETE.flatMap((component) => NAMES[component] ?? []), ...PLATFORM])('%s', (name) => {
  test('has a rule, a firing and a quiet case, and a page', () => {
    expect(alerts.map((alert) => alert.name)).toContain(name)
    const counts = rows.filter((row) => row.alertname === name).map((row) => row.exp_alerts.length)
    expect(Math.min(...counts)).toBe(0)
    expect(Math.max(...counts)).toBeGreaterThan(0)
    expect(catalog.pages.has(name)).toBe(true)
  })
})

test.each([
  ['KubevirtHyperconvergedClusterOperatorCRModification', 'KubeVirtCRModified'],
  ['Kubevirt_hyperconverged_out-of-band_CR_modification_detected', 'KubeVirtCRModified'],
  ['KubevirtHyperconvergedClusterOperatorUSModification', 'UnsupportedHCOModification'],
  ['KubevirtHyperconvergedClusterOperatorInstallationNotCompletedAlert', 'HCOInstallationIncomplete'],
  ['OperatorConditionsUnhealthy', 'HCOOperatorConditionsUnhealthy'],
  ['OrphanedVirtualMachineImages', 'OrphanedVirtualMachineInstances'],
  ['VirtApiRESTErrorsHigh', 'VirtApiRESTErrorsBurst'],
  ['VirtControllerRESTErrorsHigh', 'VirtControllerRESTErrorsBurst'],
  ['VirtHandlerRESTErrorsHigh', 'VirtHandlerRESTErrorsBurst'],
  ['VirtOperatorRESTErrorsHigh', 'VirtOperatorRESTErrorsBurst'],
  ['KubeVirtVMStuckInErrorState', 'VirtualMachineStuckInUnhealthyState'],
  ['KubeVirtVMStuckInStartingState', 'VirtualMachineStuckInUnhealthyState'],
  ['KubeVirtVMStuckInMigratingState', 'VirtualMachineStuckOnNode'],
  ['CdiOperatorDown', 'CDIOperatorDown'],
  ['SSPOperatorDown', 'SSPDown'],
  ['VirtualMachineCRCErrors', 'VMStorageClassWarning'],
  ['KubeMacPoolDown', 'KubemacpoolDown'],
  ['KubeMacPoolDuplicateMacsFound', 'KubemacpoolMACCollisionDetected'],
])('the old name %s leads to %s', (old, current) => {
  expect(resolveRunbook(catalog, old)).toMatchObject({ page: { name: current } })
})

describe('the facts about the operators', () => {
  const path = resolve(ROOT, '../shared/facts/kubevirt-alerts.json')
  const facts = existsSync(path)
    ? (JSON.parse(readFileSync(path, 'utf8')) as readonly {
        readonly alert: string
        readonly component: string
        readonly severity: string
        readonly healthImpact: string | null
        readonly for: string
        readonly formerNames?: readonly string[]
      }[])
    : undefined

  test('name the alerts that are named here', (context) => {
    if (facts === undefined) return context.skip('the facts about the operators are not beside the project')
    const named = (rows: readonly { readonly component: string; readonly alert: string }[]): string[] =>
      [...new Set(rows.map(({ component, alert }) => `${component} ${alert}`))].sort()
    const listed = Object.entries(NAMES).flatMap(([component, names]) => names.map((alert) => ({ component, alert })))
    expect(named(facts)).toEqual(named(listed))
  })

  test('give each alert its severity, its impact on health and its waiting time', (context) => {
    if (facts === undefined) return context.skip('the facts about the operators are not beside the project')
    const line = (...parts: readonly string[]): string => parts.join(' ')
    const wanted = facts
      .filter(({ component }) => COMPLETE.includes(component))
      // The static file that ships the alert of kubemacpool has no impact, which is none.
      .map((row) =>
        line(
          row.alert,
          row.component,
          row.severity,
          row.healthImpact ?? 'none',
          formatDuration(parseDuration(row.for) ?? NaN),
        ),
      )
    const have = alerts.map((alert) =>
      line(
        alert.name,
        alert.labels['kubernetes_operator_component'] ?? '',
        alert.labels['severity'] ?? '',
        alert.labels['operator_health_impact'] ?? '',
        formatDuration(alert.forMs),
      ),
    )
    expect(have).toEqual(expect.arrayContaining(wanted))
  })

  test('name no former name that leads nowhere', (context) => {
    if (facts === undefined) return context.skip('the facts about the operators are not beside the project')
    for (const { alert, component, formerNames = [] } of facts) {
      if (!COMPLETE.includes(component)) continue
      for (const former of formerNames) {
        const old = former.replace(/ \(.*\)$/, '')
        expect([old, resolveRunbook(catalog, old)]).toMatchObject([old, { page: { name: alert } }])
      }
    }
  })
})
