/** What to resolve before a plan starts, from the facts of the cluster record: blocking hazards first (facts 7). Pure. */
import type { PlanBlocker } from '../../model/plan.ts'
import { arePlacesKnown, commandsOf } from './commands.ts'
import { openshiftMinorText } from '../platform-minor.ts'
import type { PlanCluster } from './plan-cluster.ts'
import { isInEus } from './segments.ts'
import { isManual, TWO_NODES } from './step-specs.ts'

/** A source of hazards of one cluster. */
export type Blockers = (cluster: PlanCluster) => readonly PlanBlocker[]

export const presentBlockers: Blockers = (cluster) => {
  const found = CHECKS.flatMap((check) => check(cluster) ?? [])
  return found.toSorted((a, b) => BLOCKER_RANKS[a.severity] - BLOCKER_RANKS[b.severity])
}

export const BLOCKER_RANKS: Readonly<Record<PlanBlocker['severity'], number>> = { blocking: 0, warning: 1, unknown: 2 }

type Check = (cluster: PlanCluster) => PlanBlocker | readonly PlanBlocker[] | undefined

const CHECKS: readonly Check[] = [
  ({ upgrading }) =>
    upgrading === undefined
      ? undefined
      : {
          ...{ name: 'upgrading', severity: 'blocking' },
          text: `An upgrade is in progress: ${upgrading}.`,
          fix: 'Wait for its end, or repair it, before the first step.',
        },
  ({ problems, record }) => {
    const others = problems.filter(({ cause }) => cause !== 'identity_conflict')
    const blockers = others.map(({ cause, text }): PlanBlocker => {
      return { name: cause, severity: 'blocking', text, fix: FIXES.get(cause) ?? 'Repair it first.' }
    })
    if (record.systemHealth !== 'error' || blockers.length > 0) return blockers
    return {
      ...{ name: 'unhealthy', severity: 'blocking' },
      text: 'HyperConverged reports the system health error.',
      fix: 'Repair the component that its conditions name.',
    }
  },
  ({ record: { upgradeable } }) =>
    upgradeable?.status !== 'False'
      ? undefined
      : {
          ...{ name: 'not_upgradeable', severity: 'blocking' },
          text: `HCO reports Upgradeable=False (${upgradeable.reason}): ${upgradeable.message}`,
          fix: 'Resolve what the reason names: OLM holds the next version back until then.',
        },
  (cluster) => {
    const { kubeletMinor, openshiftMinor } = cluster
    if (kubeletMinor === undefined || openshiftMinor === undefined || openshiftMinor - kubeletMinor < SKEW_MAX)
      return undefined
    return {
      ...{ name: 'old_kubelets', severity: 'warning' },
      text: `Nodes have the kubelet of OpenShift ${openshiftMinorText(kubeletMinor)}, and OpenShift is ${openshiftMinorText(openshiftMinor)}: no further minor may be installed.`,
      fix: 'Unpause the pools and let all nodes update first: the plan starts with that.',
    }
  },
  ({ pools: { degraded } }) =>
    degraded.length === 0
      ? undefined
      : {
          ...{ name: 'degraded_pool', severity: 'blocking' },
          text: `Nodes of ${degraded.length === 1 ? 'pool' : 'pools'} ${degraded.join(', ')} are degraded.`,
          fix: 'Repair the nodes: a degraded pool stops the update of its nodes.',
          command: 'oc get machineconfigpools',
        },
  (cluster) =>
    (cluster.nonMigratableVms ?? 0) === 0 || cluster.vmNodes === 1
      ? undefined
      : {
          ...{ name: 'non_evictable_vms', severity: 'blocking' },
          text: `${cluster.nonMigratableVms ?? 0} VMs cannot be live migrated: with the eviction strategy LiveMigrate each of them blocks the drain of its node.`,
          fix: 'Shut the VMs down, set LiveMigrateIfPossible or None, or give them storage with ReadWriteMany.',
          command: commandsOf(cluster).nonMigratableVms(),
        },
  ({ states }) =>
    !states.includes('silent')
      ? undefined
      : {
          ...{ name: 'silent', severity: 'unknown' },
          text: 'The cluster does not report: the plan is of its last report.',
          fix: 'Restore its reports before the first step.',
        },
  (cluster) =>
    cluster.pools.paused.length === 0
      ? undefined
      : {
          ...{ name: 'paused_pool', severity: 'warning' },
          text: isInEus(cluster)
            ? `Worker pools ${cluster.pools.paused.join(', ')} are paused and behind OpenShift: an earlier plan is not finished.`
            : `Worker pools ${cluster.pools.paused.join(', ')} are already paused.`,
          fix: 'Find out who paused them and why: the plan unpauses them at its end.',
        },
  ({ updateMethods }) =>
    updateMethods?.length !== 0
      ? undefined
      : {
          ...{ name: 'no_update_methods', severity: 'warning' },
          text: 'The workload update methods are empty: no VM is updated, and the value before is not known.',
          fix: 'Find the saved value of an earlier plan. The plan restores LiveMigrate, the default of HCO.',
        },
  ({ record }) =>
    record.isTainted !== true
      ? undefined
      : {
          ...{ name: 'json_patches', severity: 'warning' },
          text: 'JSON patches are active: a patch may not apply to the operand of the next version.',
          fix: 'Remove the annotations before the upgrade, and test them after it.',
        },
  (cluster) =>
    !isManual(cluster)
      ? undefined
      : {
          ...{ name: 'manual_approval', severity: 'warning' },
          text: 'Install plans need an approval, so each version of HCO waits for a person. The time is not counted.',
          fix: 'Approve each InstallPlan in its step, or set installPlanApproval to Automatic.',
        },
  ({ vmNodes }) =>
    vmNodes === 1 || vmNodes === TWO_NODES
      ? {
          ...{ name: vmNodes === 1 ? 'single_node' : 'two_nodes', severity: 'warning' },
          text:
            vmNodes === 1
              ? 'One node runs all VMs: none can be migrated, and all of them stop while the node restarts.'
              : 'Two nodes run VMs: while one is drained, the other has to hold all of them.',
          fix:
            vmNodes === 1
              ? 'Plan a downtime of all VMs.'
              : 'Check the room on one node, or plan a downtime of some VMs.',
        }
      : undefined,
  ({ pools, platform }) =>
    platform !== 'openshift' || pools.areKnown
      ? undefined
      : {
          ...{ name: 'pools_unknown', severity: 'unknown' },
          text: 'Machine config pools are not reported: whether one is paused, and how many nodes it has, is unknown.',
          fix: 'List them before the first step, or let the cluster send its objects.',
          command: 'oc get machineconfigpools',
        },
  (cluster) =>
    cluster.updateMethods !== undefined && arePlacesKnown(cluster)
      ? undefined
      : {
          ...{ name: 'settings_unknown', severity: 'unknown' },
          text: 'HyperConverged is not reported: its workload update methods are unknown, and commands have the default names.',
          fix: 'Check the names and the value before the first step, or let the cluster send its objects.',
        },
]

/** A kubelet may be two minors older than the API server that the next minor brings. */
const SKEW_MAX = 2

const FIXES: ReadonlyMap<string, string> = new Map([
  ['cannot_plan', 'Repair the catalog or the Subscription: OLM offers no next version until then.'],
  ['csv_unhealthy', 'Repair the installed CSV: OLM does not replace a CSV that is not Succeeded.'],
  ['hyperconverged_unhealthy', 'Repair the component that the conditions of HyperConverged name.'],
  ['virt_handler_outdated', 'Repair the virt-handler pods that are not ready on the installed version.'],
])
