/** Open upgrades that progress, on reporting clusters: they may explain an alert. Pure. */
import type { PhaseName, UpgradeRecord } from '../../model/upgrade.ts'
import type { OpenUpgrade } from '../clusters/cluster-states.ts'
import { isPartOf } from '../stuck/stuck-silence.ts'

export interface HealthyUpgrade {
  readonly id: string
  readonly cluster: string
  readonly from: string | undefined
  readonly to: string
  /** The innermost phases in progress; there may be several. */
  readonly phases: readonly PhaseName[]
  /** The progress, if it can be counted: `3 of 9 nodes are updated`. */
  readonly progress: string | undefined
}

/** A stuck upgrade is the fault itself, and the state of one on a silent cluster is unknown: both explain no alert. */
export function healthyUpgrades(open: readonly OpenUpgrade[]): readonly HealthyUpgrade[] {
  return open
    .filter(({ verdict }) => !verdict.isStuck && verdict.silentSinceMs === undefined)
    .map(({ record }) => {
      const { id, cluster, from, to } = record.upgrade
      return { id, cluster, from, to, phases: goingOn(record), progress: progressOf(record) }
    })
    .filter(({ phases }) => phases.length > 0)
}

/**
 * Phases that are in progress. If the phase of the control plane is unknown (few metrics), it is `olm` until the CSV has
 * succeeded and `operands` from then on.
 */
function goingOn({ upgrade }: UpgradeRecord): readonly PhaseName[] {
  const open = upgrade.phases.filter(({ state }) => state === 'in_progress').map(({ name }) => name)
  const inner = open.filter((name) => !open.some((other) => isPartOf(other, name)))
  if (upgrade.state !== 'in_progress' || upgrade.startedMs === undefined) return inner
  if (upgrade.operator !== 'kubevirt-hyperconverged' || inner.some((name) => name !== 'workloads')) return inner
  const olm = upgrade.phases.find(({ name }) => name === 'olm')
  return [olm?.state === 'succeeded' ? 'operands' : 'olm', ...inner]
}

function progressOf({ upgrade, detail }: UpgradeRecord): string | undefined {
  const { virtHandler, workloads } = detail
  if (upgrade.state === 'in_progress') {
    if (virtHandler === undefined || virtHandler.endedMs !== undefined) return undefined
    return `${virtHandler.updated} of ${virtHandler.desired} nodes are updated`
  }
  if (workloads?.outdatedNow === undefined) return undefined
  const of = workloads.outdatedAtStart === undefined ? '' : ` of ${workloads.outdatedAtStart}`
  return `${workloads.outdatedNow}${of} VMs remaining`
}
