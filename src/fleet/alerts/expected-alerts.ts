/**
 * Alerts that a healthy upgrade raises (facts 2.8), and in which of its phases. They are marked and page nobody while
 * the phase lasts, on that cluster only; when it stands still they page, because then the upgrade is the fault.
 *
 * Not here: what is right at any time. Double migration series and the operator's own calls of old APIs are excluded by
 * the rules themselves.
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
  /** Id of the upgrade. */
  readonly upgrade: string
  /** The upgrade as people call it. */
  readonly title: string
  readonly phase: string
  readonly reason: string
}

const CYCLING = 'its pods are replaced one after the other'
/** HCO follows its operands until all of them are there. */
const HCO_UPGRADES = ['operands', 'virt_handler', 'settle'] as const
/** virt-operator begins as soon as its own pod is new, which may be before OLM is through. */
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
    reason: 'virt-handler rolls out over the nodes, which on many nodes takes longer than the alert waits',
  },
  {
    alertname: 'KubeVirtVMIExcessiveMigrations',
    phases: ['workloads', 'platform'],
    reason: 'virtual machines migrate to new launchers, and off nodes that are drained',
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

/** Whether any upgrade could explain it: without such an alert nobody needs to look for upgrades. */
export function mayBeExpected(alertname: string): boolean {
  return BY_NAME.has(alertname)
}

/**
 * The mark, or `undefined` when no upgrade of its cluster explains the alert: none gets further there, or it is in another
 * phase.
 *
 * @param alertname the present name of the alert, where it had another one
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

/** Both, for upgrades that are read anew at a time; the shape of notify's port. */
export function expectedAlertsOf(readHealthy: (nowMs: number) => Promise<readonly HealthyUpgrade[]>) {
  return {
    mayBeExpected,
    read: async (nowMs: number) => {
      const upgrades = await readHealthy(nowMs)
      return (alert: Alert, alertname: string) => expectedMarkOf(alert, alertname, upgrades)
    },
  }
}

/** The phase itself, a part of it, or what it is a part of, where no part is known. */
function covers(expected: string, phase: PhaseName): boolean {
  return phase === expected || phase.startsWith(`${expected}.`) || expected.startsWith(`${phase}.`)
}

function isFromBelow({ from }: HealthyUpgrade, version: string | undefined): boolean {
  return version === undefined || (from !== undefined && compareVersions(from, version) < 0)
}
