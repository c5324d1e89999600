/**
 * `deriveUpgrades`: all upgrades of one cluster from all that is known of it. Pure: the same set of observations in any
 * order and with any repeats gives the same bytes; nothing here reads a clock. Objects count over spans, spans over
 * metrics, and what nothing tells is unknown.
 */
import type { ClusterObservations } from '../../model/observation.ts'
import type { UpgradeRecord } from '../../model/upgrade.ts'
import { blocksOf } from './block-signatures.ts'
import { clusterHistory } from './cluster-history.ts'
import type { ClusterHistory } from './cluster-history.ts'
import { hcoUpgrades } from './hco-upgrades.ts'
import { hasHco, kubevirtUpgradesByMetrics, kubevirtUpgradesByObjects } from './kubevirt-upgrades.ts'
import { mergeDrafts } from './merge-upgrades.ts'
import { metricUpgrades } from './metric-upgrades.ts'
import { platformUpgradesByMetrics, platformUpgradesByObjects } from './platform-upgrades.ts'
import { spanUpgrades } from './span-upgrades.ts'
import { isOpen, toRecord } from './upgrade-record.ts'

/** Oldest first; at a tie by id. */
export function deriveUpgrades(observations: ClusterObservations): readonly UpgradeRecord[] {
  return upgradesOf(clusterHistory(observations))
}

/** The same for who has the history already. */
export function upgradesOf(history: ClusterHistory): readonly UpgradeRecord[] {
  const isPlain = !hasHco(history)
  const drafts = mergeDrafts([
    [
      ...hcoUpgrades(history),
      ...(isPlain ? kubevirtUpgradesByObjects(history) : []),
      ...platformUpgradesByObjects(history),
    ],
    spanUpgrades(history),
    [
      ...metricUpgrades(history),
      ...(isPlain ? kubevirtUpgradesByMetrics(history) : []),
      ...platformUpgradesByMetrics(history),
    ],
  ])
  const records = drafts.map((draft) => withBlock(toRecord(draft, history), history, isOpen(draft)))
  return records.sort((a, b) => startOf(a) - startOf(b) || (a.upgrade.id < b.upgrade.id ? -1 : 1))
}

/** What is in the way of an open one, when the cluster says so. */
function withBlock(record: UpgradeRecord, history: ClusterHistory, isOpen: boolean): UpgradeRecord {
  const blockedBy = isOpen ? blocksOf(history, record)[0] : undefined
  return blockedBy === undefined ? record : { ...record, upgrade: { ...record.upgrade, blockedBy } }
}

function startOf({ upgrade }: UpgradeRecord): number {
  return upgrade.startedMs ?? -Infinity
}
