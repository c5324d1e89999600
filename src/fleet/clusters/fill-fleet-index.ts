/** Fills the in-memory index from the store: when the thread starts, and when decommissions were declared. */
import { setImmediate } from 'node:timers/promises'
import type { ConfigurationBaseline } from '../../model/configuration.ts'
import type { Decommission } from '../../model/decommission.ts'
import type { AcceptedRisk } from '../../model/readiness.ts'
import type { FleetFactsReader } from '../../model/fleet-facts.ts'
import type { FleetIndex } from './fleet-index.ts'

export interface DecommissionSource {
  list(): Promise<readonly Decommission[]>
}

export interface AcceptedRiskSource {
  list(): Promise<readonly AcceptedRisk[]>
}

const NONE_ACCEPTED: AcceptedRiskSource = { list: () => Promise.resolve([]) }

/** Clusters that are read before other calls run: about ten milliseconds. */
const CLUSTERS_AT_ONCE = 5

/** Puts the stored facts of every cluster into the index. Yields in between, because SQLite reads are synchronous. */
export async function fillFleetIndex(
  index: FleetIndex,
  facts: FleetFactsReader,
  declared: DecommissionSource,
  accepted: AcceptedRiskSource = NONE_ACCEPTED,
): Promise<FleetIndex> {
  index.readiness.accept(await accepted.list())
  index.declare(await declared.list())
  const names = (await facts.clusters()).map(({ cluster }) => cluster)
  for (let from = 0; from < names.length; from += CLUSTERS_AT_ONCE) {
    const stored = await Promise.all(names.slice(from, from + CLUSTERS_AT_ONCE).map((name) => facts.cluster(name)))
    for (const one of stored) if (one !== undefined) index.put(one)
    await setImmediate()
  }
  while (index.edges.estimateNext()) await setImmediate()
  return index
}

/**
 * Reads the facts of clusters again that another process has written. A cluster without facts leaves the index.
 * @param names absent: all, and those that are known
 */
export async function rereadClusters(
  index: Pick<FleetIndex, 'put' | 'remove' | 'records'>,
  facts: FleetFactsReader,
  names?: readonly string[],
): Promise<void> {
  const all =
    names ??
    new Set([
      ...(await facts.clusters()).map(({ cluster }) => cluster),
      ...index.records().map(({ cluster }) => cluster),
    ])
  for (let rest = [...all]; rest.length > 0; rest = rest.slice(CLUSTERS_AT_ONCE)) {
    const some = rest.slice(0, CLUSTERS_AT_ONCE)
    const stored = await Promise.all(some.map((name) => facts.cluster(name)))
    for (const [i, name] of some.entries()) {
      const one = stored[i]
      if (one === undefined) index.remove(name)
      else index.put(one)
    }
    await setImmediate()
  }
}

/**
 * Reads the declared decommissions into the index again. Returns the earliest start of those that changed; `undefined`:
 * none changed.
 */
export async function rereadDecommissions(
  index: Pick<FleetIndex, 'decommissions' | 'declare'>,
  declared: DecommissionSource,
): Promise<number | undefined> {
  const known = new Set(index.decommissions().map((one) => JSON.stringify(one)))
  const all = await declared.list()
  index.declare(all)
  const changed = all.filter((one) => !known.has(JSON.stringify(one)))
  return changed.length === 0 ? undefined : Math.min(...changed.map(({ sinceMs }) => sinceMs))
}

/** Reads the choice of the baseline cluster into the index again. */
export async function rereadBaseline(
  index: Pick<FleetIndex, 'chooseBaseline'>,
  source: { read(): Promise<ConfigurationBaseline | undefined> },
): Promise<void> {
  index.chooseBaseline(await source.read())
}
