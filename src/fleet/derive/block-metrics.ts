/**
 * What blocks an open upgrade according to metrics (facts 5.10 with 1.3 to 1.5), where no object reports it. OLM exports
 * neither plans nor conditions, so nothing is known of an upgrade before its CSV. Gauges of VMs and migrations count only
 * when they do not change for a while: `../stuck/stuck-causes.ts` reads those.
 */
import type { MetricRun } from '../../model/observation.ts'
import type { UpgradeBlock, UpgradeRecord } from '../../model/upgrade.ts'
import { isOpen, metricEvidence, phaseOf, type BlockSignature } from './block-evidence.ts'
import type { ClusterHistory } from './cluster-history.ts'
import { countsProgress } from './metric-end.ts'
import { unreadyRuns } from './metric-phases.ts'

export const METRIC_SIGNATURES: readonly BlockSignature[] = [
  csvHeldBack,
  operandNotReady,
  reconcileIncomplete,
  machineConfigDegraded,
]

function now(runs: readonly MetricRun[]): readonly MetricRun[] {
  return runs.filter(({ afterMs }) => afterMs === undefined)
}

const PENDING_CAUSES = {
  RequirementsNotMet: ['requirements_not_met', 'Something that the new CSV requires is missing.'],
  OperatorConditionNotUpgradeable: ['not_upgradeable', 'The installed operator reports Upgradeable=False.'],
} as const

/** OLM's reason. If the CSV object was observed, its path says more. */
export function csvHeldBack(history: ClusterHistory, { upgrade, detail }: UpgradeRecord): UpgradeBlock | undefined {
  if (upgrade.operator !== 'kubevirt-hyperconverged' || detail.csvUid !== undefined) return undefined
  const run = now(history.runs('csv_abnormal')).find(
    ({ labels }) => labels['version'] === upgrade.to && labels['phase'] === 'Pending',
  )
  const reason = run?.labels['reason'] ?? ''
  if (run === undefined || !isPendingReason(reason)) return undefined
  const [cause, text] = PENDING_CAUSES[reason]
  const ref = `csv_abnormal{version="${upgrade.to}",phase="Pending",reason="${reason}"}`
  const evidence = [metricEvidence(run, `CSV ${upgrade.to} is Pending (${reason})`, ref, 'olm.pending')]
  return { cause, text, sinceMs: run.firstMs, evidence }
}

function isPendingReason(reason: string): reason is keyof typeof PENDING_CAUSES {
  return Object.hasOwn(PENDING_CAUSES, reason)
}

/** All nodes have the new KubeVirt, and another operand reports that it is not ready. */
export function operandNotReady(history: ClusterHistory, record: UpgradeRecord): UpgradeBlock | undefined {
  const { components, virtHandler } = record.detail
  const isRolling = virtHandler !== undefined && virtHandler.endedMs === undefined
  const isReported = components.some(({ name }) => name !== 'kubevirt')
  const olmMs = phaseOf(record, 'olm')?.endedMs
  if (record.upgrade.state !== 'in_progress' || isRolling || isReported || olmMs === undefined) return undefined
  // An operand that was not ready before OLM finished does not block the upgrade.
  const runs = unreadyRuns(history).filter(({ firstMs }) => firstMs >= olmMs)
  const [first] = runs
  if (first === undefined) return undefined
  const evidence = runs.map((run) => {
    const component = run.labels['component']!
    return metricEvidence(run, `${component} reports not ready`, READY_METRICS.get(component)!, `operands.${component}`)
  })
  const text = `${first.labels['component']!} has not reached its new version.`
  return { cause: 'operand_failing', text, sinceMs: first.firstMs, evidence }
}

const READY_METRICS: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    cdi: 'kubevirt_cdi_cr_ready',
    'network-addons': 'kubevirt_cnao_cr_ready',
    ssp: 'kubevirt_ssp_operator_reconcile_succeeded',
  }),
)

/**
 * Every operand is updated and HCO's health is a warning: during an upgrade, HCO could not reconcile. Before 1.16 a warning
 * also means that an upgrade is in progress, so it is ignored (facts 5.4).
 */
export function reconcileIncomplete(history: ClusterHistory, record: UpgradeRecord): UpgradeBlock | undefined {
  const { upgrade, detail } = record
  if (upgrade.state !== 'in_progress' || detail.hco !== undefined || !isOpen(record, 'settle')) return undefined
  const run = now(history.runs('hco_health')).find(({ value }) => value === 1)
  if (run === undefined || countsProgress(upgrade.to)) return undefined
  const text = 'HCO reports a reconcile failure in a warning event'
  return {
    cause: 'reconcile_error',
    text: 'KubeVirt is updated, and HyperConverged cannot be reconciled.',
    sinceMs: run.firstMs,
    evidence: [metricEvidence(run, text, 'kubevirt_hco_system_health_status', 'settle')],
  }
}

const EVIDENCE_MAX = 5

/** machine-config is degraded while the platform is updated. A node that is cordoned meanwhile is not drained. */
export function machineConfigDegraded(history: ClusterHistory, record: UpgradeRecord): UpgradeBlock | undefined {
  const { upgrade } = record
  const isReported = history.of('machineconfigpools').length > 0 || history.of('clusteroperators').length > 0
  if (upgrade.operator !== 'openshift' || upgrade.state !== 'in_progress' || isReported) return undefined
  const nodes = now(history.runs('cordoned'))
  const degraded = now(history.runs('machine_config')).filter(({ value }) => value === 1)
  // Without the gauges of nodes, either may be the cause.
  if (nodes.length === 0 || degraded.length === 0) return undefined
  const cordoned = nodes.filter(({ value }) => value === 1)
  const [node] = cordoned
  const reason = degraded[0]!.labels['reason'] ?? 'no reason reported'
  const reported = degraded.map((run) =>
    metricEvidence(run, `machine-config is Degraded (${reason})`, 'cluster_operator_conditions', 'platform'),
  )
  if (node === undefined) {
    return {
      cause: 'pool_degraded',
      text: `machine-config is degraded (${reason}), and no node is cordoned. Read the conditions of the machine config pools.`,
      sinceMs: degraded[0]!.firstMs,
      evidence: reported,
    }
  }
  return {
    cause: 'node_drain_blocked',
    text: `Node ${node.labels['node'] ?? ''} is not drained: something on it may not be evicted.`,
    sinceMs: Math.max(node.firstMs, degraded[0]!.firstMs),
    evidence: [
      ...reported,
      ...cordoned.slice(0, EVIDENCE_MAX).map((run) => {
        const text = `node ${run.labels['node'] ?? ''} is not schedulable`
        return metricEvidence(run, text, 'kube_node_spec_unschedulable', 'platform')
      }),
    ],
  }
}
