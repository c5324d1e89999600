/**
 * How often something happened on clusters before and after their upgrades. A window that is over is read once: late alerts and
 * modifications of it do not count.
 */
import type { FiredAlertReader } from '../../model/alert-run.ts'
import type { FleetFactsReader } from '../../model/fleet-facts.ts'
import type { RolloutChange, RolloutPolicy } from '../../model/rollout-verdict.ts'
import { dayOf, DAY_MS } from './blocks.ts'

/** A cluster and the moment between its two windows. */
export type CountedCluster = Omit<RolloutChange, 'before' | 'after'>

type CountIn = (cluster: string, fromMs: number, toMs: number) => Promise<number>

/** More in one window count as this many. */
const COUNTED_MAX = 100
/** Windows that are remembered. */
const KNOWN_MAX = 100_000

export interface ClusterCounts {
  /** Of the clusters whose windows are over at the look. */
  alerts(clusters: readonly CountedCluster[], lookMs: number): Promise<readonly RolloutChange[]>
  modifications(clusters: readonly CountedCluster[], lookMs: number): Promise<readonly RolloutChange[]>
}

export function createClusterCounts(
  alerts: Pick<FiredAlertReader, 'firedOn'>,
  facts: Pick<FleetFactsReader, 'modifications'>,
  policy: Pick<RolloutPolicy, 'windowMs' | 'horizonMs'>,
): ClusterCounts {
  const alertsIn: CountIn = async (cluster, fromMs, toMs) => {
    const fired = await alerts.firedOn(cluster, { fromMs, toMs: toMs - 1 }, COUNTED_MAX)
    return fired.filter(isOfTheCluster).length
  }
  const modificationsIn: CountIn = async (cluster, fromMs, toMs) => {
    const query = { cluster, kind: 'out_of_band', fromMs, toMs: toMs - 1, limit: COUNTED_MAX } as const
    return (await facts.modifications(query)).filter(({ isUpgradeMode }) => !isUpgradeMode).length
  }
  return { alerts: countedBy(alertsIn, policy), modifications: countedBy(modificationsIn, policy) }
}

/** Alerts about the upgrade itself are its outcome, which has a signal of its own. */
function isOfTheCluster({ alertname, severity }: { readonly alertname: string; readonly severity: string }): boolean {
  return (severity === 'critical' || severity === 'warning') && !alertname.startsWith('Daytwo')
}

function countedBy(
  countIn: CountIn,
  { windowMs, horizonMs }: Pick<RolloutPolicy, 'windowMs' | 'horizonMs'>,
): ClusterCounts['alerts'] {
  const known = new Map<string, RolloutChange>()
  return async (clusters, lookMs) => {
    const over = clusters.filter(({ startedMs }) => dayOf(startedMs) + DAY_MS + horizonMs + windowMs <= lookMs)
    const counted: RolloutChange[] = []
    for (const one of over) {
      const { cluster, startedMs } = one
      const key = `${startedMs} ${cluster}`
      let change = known.get(key)
      if (change === undefined) {
        const afterMs = startedMs + horizonMs
        const before = await countIn(cluster, startedMs - windowMs, startedMs)
        change = { ...one, before, after: await countIn(cluster, afterMs, afterMs + windowMs) }
        if (known.size < KNOWN_MAX) known.set(key, change)
      }
      counted.push({ ...change, ...one })
    }
    return counted
  }
}
