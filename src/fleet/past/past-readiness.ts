/**
 * Readiness at a past moment, from what is known of it: records, open upgrades and modifications cut at the moment, alerts that fired
 * then, and risks that were accepted then. What hazards read besides is stored with the time since when it is so: what changed
 * after the moment is unknown, and its hazards are not ruled out.
 */
import { groupBy } from '../../base/group-by.ts'
import { without } from '../../base/without.ts'
import type { Modification } from '../../model/cluster-record.ts'
import type { FleetFactsReader } from '../../model/fleet-facts.ts'
import type { AcceptedRisk, RiskAlert } from '../../model/readiness.ts'
import type { UpgradeRecord } from '../../model/upgrade.ts'
import type { ClusterIndex, VerdictOf } from '../clusters/cluster-index.ts'
import { isSilent } from '../clusters/cluster-states.ts'
import type { FleetReadiness, ReadinessReader } from '../clusters/fleet-index.ts'
import { MODIFICATION_AGE_MS } from '../readiness/hazards/out-of-band.ts'
import { createReadinessIndex, targetsOf } from '../readiness/readiness-index.ts'
import { eachModificationAt } from './past-pages.ts'

export interface PastReadinessParts {
  readonly facts: Pick<FleetFactsReader, 'modifications'>
  /** At the moment. */
  readonly clusters: ClusterIndex
  readonly verdictOf: VerdictOf
  /** Of the moment, open ones; by cluster. */
  readonly upgrades: ReadonlyMap<string, readonly UpgradeRecord[]>
  /** `undefined`: not known. */
  readonly firing: readonly RiskAlert[] | undefined
  readonly present: Pick<FleetReadiness, 'accepted' | 'calibration'>
}

export async function readPastReadiness(parts: PastReadinessParts, atMs: number): Promise<ReadinessReader> {
  const { clusters, verdictOf, upgrades, firing, present } = parts
  const modifications = groupBy(await modificationsAt(parts.facts, atMs), ({ cluster }) => cluster)
  const index = createReadinessIndex()
  for (const cluster of clusters.eachRecord()) {
    const own = {
      upgrades: upgrades.get(cluster.cluster) ?? [],
      modifications: modifications.get(cluster.cluster) ?? [],
    }
    index.put({ cluster, intervals: [], ...own })
  }
  if (firing !== undefined) index.setAlerts(firing)
  index.accept(present.accepted().flatMap((one) => acceptedThen(one, atMs)))
  return {
    list: (query) => index.list(clusters.matching(query, verdictOf, atMs), query, atMs),
    of: (name, target) => {
      const record = clusters.recordOf(name)
      if (record === undefined || clusters.goneAt(name, atMs) !== undefined) return undefined
      return index.of({ record, isSilent: isSilent(clusters.lastSeen(name), atMs) }, target, atMs)
    },
    targets: (imported) => targetsOf(clusters.eachRecord(), imported),
    calibration: present.calibration,
  }
}

async function modificationsAt(
  facts: Pick<FleetFactsReader, 'modifications'>,
  atMs: number,
): Promise<readonly Modification[]> {
  const found: Modification[] = []
  const queries = [{ kind: 'jsonpatch' }, { kind: 'out_of_band', fromMs: atMs - MODIFICATION_AGE_MS }] as const
  for (const query of queries) for await (const one of eachModificationAt(facts, query, atMs)) found.push(one)
  return found
}

function acceptedThen(risk: AcceptedRisk, atMs: number): readonly AcceptedRisk[] {
  if (risk.acceptedMs > atMs) return []
  return risk.withdrawn !== undefined && risk.withdrawn.atMs > atMs ? [without(risk, 'withdrawn')] : [risk]
}
