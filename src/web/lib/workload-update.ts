import type { WorkloadsAnswer } from '../../contract/adoption.ts'

/**
 * The workload update by day: the version of the control plane, and the version of the launchers of its VMs, which lag until
 * the VMs have migrated. Shares are of all reported VMs; `null` on days without reported VMs. Pure.
 */
export interface WorkloadUpdate {
  /** Clusters on the chosen versions, of the clusters that report a version. */
  readonly clusters: readonly (number | null)[]
  /** VMs whose control plane runs the chosen versions (`planned`), and VMs whose launcher does (`real`). */
  readonly planned: readonly (number | null)[]
  readonly real: readonly (number | null)[]
  /** The last day with VMs. */
  readonly last:
    { readonly day: string; readonly real: number; readonly planned: number; readonly machines: number } | undefined
}

export function workloadUpdate({ days, versions }: WorkloadsAnswer, chosen: readonly string[]): WorkloadUpdate {
  const isChosen = new Set(chosen)
  const own = versions.filter(({ version }) => isChosen.has(version))
  const total = (rows: WorkloadsAnswer['versions'], name: 'clusters' | 'machines' | 'outdated', day: number): number =>
    rows.reduce((sum, row) => sum + row[name][day]!, 0)
  const counts = days.map((_, day) => {
    const planned = total(own, 'machines', day)
    return {
      telling: total(versions, 'clusters', day),
      clusters: total(own, 'clusters', day),
      machines: total(versions, 'machines', day),
      planned,
      real: planned - total(own, 'outdated', day),
    }
  })
  const last = counts.findLastIndex(({ machines }) => machines > 0)
  const at = counts[last]
  return {
    clusters: counts.map(({ clusters, telling }) => shareOf(clusters, telling)),
    planned: counts.map(({ planned, machines }) => shareOf(planned, machines)),
    real: counts.map(({ real, machines }) => shareOf(real, machines)),
    last:
      at === undefined ? undefined : { day: days[last]!, real: at.real, planned: at.planned, machines: at.machines },
  }
}

function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole
}
