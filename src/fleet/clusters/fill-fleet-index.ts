/** The in-memory index when the thread starts, and when somebody declared clusters decommissioned: read from the store. */
import { setImmediate } from 'node:timers/promises'
import type { Decommission } from '../../model/decommission.ts'
import type { FleetFactsReader } from '../../model/fleet-facts.ts'
import type { FleetIndex } from './fleet-index.ts'

/** What was declared of clusters that were switched off for good. */
export interface DecommissionSource {
  list(): Promise<readonly Decommission[]>
}

/** Clusters that are read before other calls run: some ten milliseconds of them. */
const CLUSTERS_AT_ONCE = 5

/** Puts what is stored of every cluster into the index. Other calls run meanwhile: reading alone never lets them. */
export async function fillFleetIndex(
  index: FleetIndex,
  facts: FleetFactsReader,
  declared: DecommissionSource,
): Promise<FleetIndex> {
  index.declare(await declared.list())
  let read = 0
  for (const { cluster } of await facts.clusters()) {
    const kept = await facts.cluster(cluster)
    if (kept !== undefined) index.put(kept)
    if (++read % CLUSTERS_AT_ONCE === 0) await setImmediate()
  }
  while (index.insight.edges.estimateNext()) await setImmediate()
  return index
}

/**
 * Reads what is declared of clusters into the index again. Answers from when on something else is declared than before;
 * `undefined`: nothing.
 */
export async function rereadDecommissions(
  index: Pick<FleetIndex, 'told' | 'declare'>,
  declared: DecommissionSource,
): Promise<number | undefined> {
  const known = new Set(index.told().map((one) => JSON.stringify(one)))
  const all = await declared.list()
  index.declare(all)
  const changed = all.filter((one) => !known.has(JSON.stringify(one)))
  return changed.length === 0 ? undefined : Math.min(...changed.map(({ sinceMs }) => sinceMs))
}
