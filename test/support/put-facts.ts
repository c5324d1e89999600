import { factsChangeOf } from '../../src/fleet/loop/merge-facts.ts'
import type { ClusterFacts } from '../../src/model/fleet-facts.ts'
import type { SqlFleetFacts } from '../../src/store/facts/fleet-facts.ts'

/** Replaces the stored facts of clusters; answers the clusters of which something was different. */
export async function putFacts(fleet: SqlFleetFacts, facts: readonly ClusterFacts[]): Promise<readonly string[]> {
  const changes = []
  for (const after of facts) changes.push(factsChangeOf(await fleet.cluster(after.cluster.cluster), after) ?? [])
  await fleet.write({ changes: changes.flat(), meta: [] })
  return changes.flat().map(({ cluster }) => cluster)
}
