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

/** What happened, by name: alerts; modified components. */
export interface NamedChange extends CountedCluster {
  readonly before: readonly string[]
  readonly after: readonly string[]
}

type NamesIn = (cluster: string, fromMs: number, toMs: number) => Promise<readonly string[]>
type Windows = Pick<RolloutPolicy, 'windowMs' | 'horizonMs'>

/** More in one window count as this many. */
const COUNTED_MAX = 100
/** Windows that are remembered. */
const KNOWN_MAX = 100_000

export interface ClusterCounts {
  /** Of the clusters whose windows are over at the look. */
  alerts(clusters: readonly CountedCluster[], windows: Windows, lookMs: number): Promise<readonly NamedChange[]>
  modifications(clusters: readonly CountedCluster[], windows: Windows, lookMs: number): Promise<readonly NamedChange[]>
}

export function createClusterCounts(
  alerts: Pick<FiredAlertReader, 'firedOn'>,
  facts: Pick<FleetFactsReader, 'modifications'>,
): ClusterCounts {
  const alertsIn: NamesIn = async (cluster, fromMs, toMs) => {
    const fired = await alerts.firedOn(cluster, { fromMs, toMs: toMs - 1 }, COUNTED_MAX)
    return fired.filter(isOfTheCluster).map(({ alertname }) => alertname)
  }
  const modificationsIn: NamesIn = async (cluster, fromMs, toMs) => {
    const query = { cluster, kind: 'out_of_band', fromMs, toMs: toMs - 1, limit: COUNTED_MAX } as const
    const found = await facts.modifications(query)
    return found.filter(({ isUpgradeMode }) => !isUpgradeMode).map(({ component }) => component)
  }
  return { alerts: countedBy(alertsIn), modifications: countedBy(modificationsIn) }
}

export function changeOf({ before, after, ...one }: NamedChange): RolloutChange {
  return { ...one, before: before.length, after: after.length }
}

/** Alerts about the upgrade itself are its outcome, which has a signal of its own. */
function isOfTheCluster({ alertname, severity }: { readonly alertname: string; readonly severity: string }): boolean {
  return (severity === 'critical' || severity === 'warning') && !alertname.startsWith('Daytwo')
}

function countedBy(namesIn: NamesIn): ClusterCounts['alerts'] {
  const known = new Map<string, Pick<NamedChange, 'before' | 'after'>>()
  return async (clusters, { windowMs, horizonMs }, lookMs) => {
    const over = clusters.filter(({ startedMs }) => dayOf(startedMs) + DAY_MS + horizonMs + windowMs <= lookMs)
    const counted: NamedChange[] = []
    for (const one of over) {
      const { cluster, startedMs } = one
      const key = `${startedMs} ${windowMs} ${horizonMs} ${cluster}`
      let change = known.get(key)
      if (change === undefined) {
        const afterMs = startedMs + horizonMs
        const before = await namesIn(cluster, startedMs - windowMs, startedMs)
        change = { before, after: await namesIn(cluster, afterMs, afterMs + windowMs) }
        if (known.size < KNOWN_MAX) known.set(key, change)
      }
      counted.push({ ...one, ...change })
    }
    return counted
  }
}
