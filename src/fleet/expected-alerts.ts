/**
 * Alerts that a healthy upgrade raises (facts 2.8), and in which of its phases. They are marked and page nobody while
 * the phase lasts, on that cluster only; when it stands still they page, because then the upgrade is the fault.
 *
 * Not here: what is right at any time. Double migration series and the operator's own calls of old APIs are excluded by
 * the rules themselves.
 */
import type { Alert } from '../model/alert.ts'
import { clusterOf } from '../model/cluster-identity.ts'
import type { ClusterUpgrade } from './upgrades.ts'
import { compareVersions } from './version-order.ts'

export interface ExpectedAlert {
  readonly alertname: string
  /** Phases as metrics show them: OLM replaces the operators, the operands follow. */
  readonly phases: readonly ClusterUpgrade['phase'][]
  /** Why a healthy upgrade raises it, for people. */
  readonly reason: string
  /** Only upgrades that start below this version. */
  readonly fromBelow?: string
}

/** `AlertName` with its mark; the shape of notify's port. */
export interface ExpectedMark {
  readonly upgrade: string
  readonly phase: string
  readonly reason: string
}

const CYCLING = 'its pods are replaced one after the other'
const BOTH = ['olm', 'operands'] as const
const OPERANDS = ['operands'] as const

export const EXPECTED_ALERTS: readonly ExpectedAlert[] = [
  {
    alertname: 'HCOOperatorConditionsUnhealthy',
    phases: OPERANDS,
    reason: 'virt-operator reports Degraded with UpdateInProgress for the whole update of KubeVirt, and HCO repeats it',
  },
  {
    alertname: 'HCOInstallationIncomplete',
    phases: BOTH,
    reason: 'HCO reports that it is upgrading until all operands have followed',
  },
  { alertname: 'LowReadyVirtAPICount', phases: BOTH, reason: `virt-api: ${CYCLING}` },
  { alertname: 'LowReadyVirtControllersCount', phases: BOTH, reason: `virt-controller: ${CYCLING}` },
  { alertname: 'LowReadyVirtOperatorsCount', phases: BOTH, reason: `virt-operator: ${CYCLING}` },
  { alertname: 'LowReadyVirtHandlerCount', phases: OPERANDS, reason: `virt-handler: ${CYCLING}, node by node` },
  {
    alertname: 'VirtHandlerDaemonSetRolloutFailing',
    phases: OPERANDS,
    reason: 'virt-handler rolls out over the nodes, which on many nodes takes longer than the alert waits',
  },
  {
    alertname: 'KubeVirtVMIExcessiveMigrations',
    phases: OPERANDS,
    reason: 'virtual machines migrate to new launchers, and off nodes that are drained',
  },
  {
    alertname: 'OutdatedVirtualMachineInstanceWorkloads',
    phases: OPERANDS,
    reason: 'at the end of the control plane every launcher is an old one, until workloads are updated',
  },
  {
    alertname: 'KubeVirtCRModified',
    phases: BOTH,
    reason: 'HCO before 1.5 counted its own changes during an upgrade as modifications by others',
    fromBelow: '1.5.0',
  },
]

const BY_NAME: ReadonlyMap<string, ExpectedAlert> = new Map(EXPECTED_ALERTS.map((row) => [row.alertname, row]))

/** Whether any upgrade could explain it: without such an alert nobody needs to look for upgrades. */
export function mayBeExpected(alertname: string): boolean {
  return BY_NAME.has(alertname)
}

/**
 * The mark, or `undefined` when no upgrade of its cluster explains the alert: none runs, it is in another phase, or it
 * is stuck.
 *
 * @param alertname the present name of the alert, where it had another one
 */
export function expectedMarkOf(
  alert: Alert,
  alertname: string,
  upgrades: readonly ClusterUpgrade[],
): ExpectedMark | undefined {
  const row = BY_NAME.get(alertname)
  const cluster = clusterOf(alert.labels)
  if (row === undefined || cluster === '') return undefined
  const upgrade = upgrades.find((candidate) => candidate.cluster === cluster)
  if (upgrade === undefined || upgrade.isStuck || !row.phases.includes(upgrade.phase)) return undefined
  if (row.fromBelow !== undefined) {
    if (upgrade.from === undefined || compareVersions(upgrade.from, row.fromBelow) >= 0) return undefined
  }
  return { upgrade: `${cluster}/${upgrade.to}`, phase: upgrade.phase, reason: `${row.reason} (${upgrade.detail})` }
}
