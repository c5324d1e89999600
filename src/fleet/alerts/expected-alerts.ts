/**
 * Alerts that a healthy upgrade raises (facts 2.8), and in which of its phases. During the phase, on that cluster only, they
 * are marked as expected and not notified; when the upgrade is stuck they are, because then the upgrade is the fault.
 *
 * Not here: the rules themselves exclude duplicate migration series and the operator's own requests to old APIs.
 */
import type { Alert } from '../../model/alert.ts'
import { clusterOf } from '../../model/cluster-identity.ts'
import type { PhaseName } from '../../model/upgrade.ts'
import type { HealthyUpgrade } from './healthy-upgrades.ts'
import { compareVersions } from '../version-order.ts'

export interface ExpectedAlert {
  readonly alertname: string
  /** Phases of the record, each with its parts; `virt_handler` stands for both of its phases. */
  readonly phases: readonly (PhaseName | 'virt_handler')[]
  /** Why a healthy upgrade raises it, for people. */
  readonly reason: string
  /** Only upgrades that start below this version. */
  readonly fromBelow?: string
}

/** Why an upgrade is expected to raise an alert; the shape of notify's port. */
export interface ExpectedMark {
  readonly upgrade: string
  /** The upgrade, for people. */
  readonly title: string
  readonly phase: string
  readonly reason: string
}

const CYCLING = 'its pods are replaced one after the other'
/** HCO waits until all of its operands are updated. */
const HCO_UPGRADES = ['operands', 'virt_handler', 'settle'] as const
/** virt-operator starts as soon as its own pod is new, which may be before OLM has finished. */
const KUBEVIRT_UPDATES = ['olm.installing', 'operands.kubevirt', 'virt_handler'] as const

export const EXPECTED_ALERTS: readonly ExpectedAlert[] = [
  {
    alertname: 'HCOOperatorConditionsUnhealthy',
    phases: HCO_UPGRADES,
    reason: 'virt-operator reports Degraded with UpdateInProgress for the whole update of KubeVirt, and HCO repeats it',
  },
  { alertname: 'LowReadyVirtOperatorsCount', phases: ['olm.installing'], reason: `virt-operator: ${CYCLING}` },
  { alertname: 'LowReadyVirtAPICount', phases: KUBEVIRT_UPDATES, reason: `virt-api: ${CYCLING}` },
  { alertname: 'LowReadyVirtControllersCount', phases: KUBEVIRT_UPDATES, reason: `virt-controller: ${CYCLING}` },
  {
    alertname: 'LowReadyVirtHandlerCount',
    phases: KUBEVIRT_UPDATES,
    reason: `virt-handler: ${CYCLING}, node by node`,
  },
  {
    alertname: 'VirtHandlerDaemonSetRolloutFailing',
    phases: ['operands.kubevirt', 'virt_handler'],
    reason: 'virt-handler rolls out to all nodes, which on many nodes exceeds the for duration of the alert',
  },
  {
    alertname: 'KubeVirtVMIExcessiveMigrations',
    phases: ['workloads', 'platform'],
    reason: 'VMs migrate to new virt-launcher pods, and off nodes that are drained',
  },
  {
    alertname: 'OutdatedVirtualMachineInstanceWorkloads',
    phases: ['workloads'],
    reason: 'at the end of the control plane every launcher is an old one, until workloads are updated',
  },
  {
    alertname: 'KubeVirtCRModified',
    phases: HCO_UPGRADES,
    reason: 'HCO before 1.5 counted its own changes during an upgrade as modifications by others',
    fromBelow: '1.5.0',
  },
]

const BY_NAME: ReadonlyMap<string, ExpectedAlert> = new Map(EXPECTED_ALERTS.map((row) => [row.alertname, row]))

/** Whether any upgrade may explain the alert: otherwise the upgrades need not be read. */
export function mayBeExpected(alertname: string): boolean {
  return BY_NAME.has(alertname)
}

/**
 * The mark, or `undefined` when no upgrade of the cluster explains the alert: none progresses, or it is in another phase.
 *
 * @param alertname the current name of the alert, if it was renamed
 */
export function expectedMarkOf(
  alert: Alert,
  alertname: string,
  upgrades: readonly HealthyUpgrade[],
): ExpectedMark | undefined {
  const row = BY_NAME.get(alertname)
  const cluster = clusterOf(alert.labels)
  if (row === undefined || cluster === '') return undefined
  for (const upgrade of upgrades) {
    if (upgrade.cluster !== cluster || !isFromBelow(upgrade, row.fromBelow)) continue
    const phase = upgrade.phases.find((name) => row.phases.some((expected) => covers(expected, name)))
    if (phase === undefined) continue
    const { id, from = 'an unknown version', to, progress } = upgrade
    return {
      upgrade: id,
      title: `${cluster} from ${from} to ${to}`,
      phase,
      reason: progress === undefined ? row.reason : `${row.reason} (${progress})`,
    }
  }
  return undefined
}

/** Implements notify's port: reads the upgrades at each call of `read`. */
export function expectedAlertsOf(readHealthy: (nowMs: number) => Promise<readonly HealthyUpgrade[]>) {
  return {
    mayBeExpected,
    read: async (nowMs: number) => {
      const upgrades = await readHealthy(nowMs)
      return (alert: Alert, alertname: string) => expectedMarkOf(alert, alertname, upgrades)
    },
  }
}

/** The phase itself, a part of it, or the phase that it is a part of. */
function covers(expected: string, phase: PhaseName): boolean {
  return phase === expected || phase.startsWith(`${expected}.`) || expected.startsWith(`${phase}.`)
}

function isFromBelow({ from }: HealthyUpgrade, version: string | undefined): boolean {
  return version === undefined || (from !== undefined && compareVersions(from, version) < 0)
}
