import { groupBy } from '../../src/base/group-by.ts'
import { createBaselineIndex, type BaselineIndex } from '../../src/fleet/stuck/stuck-baseline.ts'
import type { UpgradeRecord } from '../../src/model/upgrade.ts'

/** The baselines of these upgrades, of any clusters. */
export function learnBaselines(records: Iterable<UpgradeRecord>): BaselineIndex {
  const index = createBaselineIndex()
  for (const [cluster, all] of groupBy(records, ({ upgrade }) => upgrade.cluster)) index.put(cluster, all)
  return index
}
