import type { ClusterPlan } from './cluster-plan.ts'
import {
  excessiveSinceMs,
  FILE_SYSTEMS,
  FIXED_MACHINES,
  MOVING_MACHINE,
  outdatedSinceMs,
  QUEUEING_MACHINE,
  stalledCanarySinceMs,
  STUCK_ON_NODE,
  STUCK_WITHOUT_INSTANCE,
  THRASHING_MACHINE,
} from './scenarios/kubevirt-trouble.ts'
import { HOUR_MS, MINUTE_MS } from './scenarios/window.ts'
import type { Condition } from './truth-alert.ts'

/** The alerts of KubeVirt that are true of a cluster: from its trouble, and from upgrades that stand still or leave something behind. */
export function kubevirtAlerts(plan: ClusterPlan, timeMs: number): readonly Condition[] {
  if (!plan.isInstalled) return []
  return [...rolloutAlerts(plan, timeMs), ...outdatedAlerts(plan, timeMs), ...troubleAlerts(plan, timeMs)]
}

type Row = Pick<Condition, 'alertname' | 'severity' | 'labels'> & {
  readonly forMinutes: number
  readonly impact?: Condition['healthImpact']
}

const condition = ({ forMinutes, impact = 'none', ...row }: Row, sinceMs: number): Condition => ({
  ...row,
  healthImpact: impact,
  sinceMs,
  forMs: forMinutes * MINUTE_MS,
})

function rolloutAlerts(plan: ClusterPlan, timeMs: number): Condition[] {
  const sinceMs = stalledCanarySinceMs(plan, timeMs)
  if (sinceMs === undefined) return []
  const alertname = 'VirtHandlerDaemonSetRolloutFailing'
  return [condition({ alertname, severity: 'warning', impact: 'warning', labels: {}, forMinutes: 15 }, sinceMs)]
}

function outdatedAlerts(plan: ClusterPlan, timeMs: number): Condition[] {
  const sinceMs = outdatedSinceMs(plan, timeMs)
  if (sinceMs === undefined) return []
  const alertname = 'OutdatedVirtualMachineInstanceWorkloads'
  return [{ ...condition({ alertname, severity: 'warning', labels: {}, forMinutes: 0 }, sinceMs), forMs: 24 * HOUR_MS }]
}

function troubleAlerts(plan: ClusterPlan, timeMs: number): Condition[] {
  const { trouble } = plan
  if (trouble === undefined || timeMs < trouble.fromMs) return []
  if (trouble.kind === 'ping_pong') {
    const sinceMs = excessiveSinceMs(plan)
    const labels = { vmi: MOVING_MACHINE }
    const row: Row = { alertname: 'KubeVirtVMIExcessiveMigrations', severity: 'warning', labels, forMinutes: 0 }
    return timeMs < sinceMs ? [] : [condition(row, sinceMs)]
  }
  return ROWS[trouble.kind].map((row) => condition(row, trouble.fromMs))
}

const ROWS: Readonly<Record<Exclude<NonNullable<ClusterPlan['trouble']>['kind'], 'ping_pong'>, readonly Row[]>> = {
  api_down: [{ alertname: 'VirtAPIDown', severity: 'critical', impact: 'critical', labels: {}, forMinutes: 10 }],
  rest_errors: [
    { alertname: 'VirtControllerRESTErrorsBurst', severity: 'critical', impact: 'critical', labels: {}, forMinutes: 5 },
  ],
  not_evictable: FIXED_MACHINES.map((name) => {
    return { alertname: 'VMCannotBeEvicted', severity: 'warning', labels: { name }, forMinutes: 1 }
  }),
  outdated: [], // see outdatedAlerts
  guests: [
    ...FILE_SYSTEMS.filter(({ usedShare }) => usedShare >= 0.85).map(({ name, mountPoint, usedShare }): Row => {
      const isCritical = usedShare >= 0.95
      return {
        alertname: 'GuestFilesystemAlmostOutOfSpace',
        severity: isCritical ? 'critical' : 'warning',
        labels: { name, mount_point: mountPoint },
        forMinutes: isCritical ? 0 : 10,
      }
    }),
    {
      alertname: 'KubeVirtVMGuestMemoryPressure',
      severity: 'warning',
      labels: { name: THRASHING_MACHINE },
      forMinutes: 5,
    },
    { alertname: 'GuestVCPUQueueHighWarning', severity: 'warning', labels: { name: QUEUEING_MACHINE }, forMinutes: 0 },
  ],
  stuck_machines: [
    {
      ...{ alertname: 'VirtualMachineStuckInUnhealthyState', severity: 'warning', forMinutes: 10 },
      labels: { name: STUCK_WITHOUT_INSTANCE.name },
    },
    {
      ...{ alertname: 'VirtualMachineStuckOnNode', severity: 'warning', forMinutes: 5 },
      labels: { name: STUCK_ON_NODE.name },
    },
  ],
}
