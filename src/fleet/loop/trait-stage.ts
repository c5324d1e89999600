/**
 * Region, provider and environment of clusters: of all that report, every few minutes; and of each cluster without them
 * yet, as of its newest sample. That is a cluster that just appeared, or one that was silent when this process started.
 */
import { groupBy } from '../../base/group-by.ts'
import { eachInSteps, inSlices, ownTurn } from '../../base/thread-slices.ts'
import type { ObservationReader } from '../../model/fleet-facts.ts'
import type { ClusterTraits } from '../clusters/cluster-traits.ts'
import type { FleetIndex } from '../clusters/fleet-index.ts'
import type { LoopCycle } from './loop-cycle.ts'
import { Schedule } from './periodic-stages.ts'

export interface TraitStageParts {
  readonly observations: Pick<ObservationReader, 'joins'>
  /** @param names only of clusters with these names; absent: of all */
  readonly traitsAt: (timeMs: number, names?: readonly string[]) => Promise<ReadonlyMap<string, ClusterTraits>>
}

type DescribedIndex = Pick<FleetIndex, 'known' | 'describe'>

const EVERY_MS = 5 * 60_000
const BUDGET_MS = 100

export class TraitStage {
  readonly #parts: TraitStageParts
  readonly #schedule = new Schedule()
  /** Clusters whose traits were queried, with or without a result. */
  #queried = new Set<string>()

  constructor(parts: TraitStageParts) {
    this.#parts = parts
  }

  async run(index: DescribedIndex, cycle: LoopCycle): Promise<void> {
    if (this.#schedule.isDue(EVERY_MS, cycle.nowMs)) await this.#describeAll(index, cycle.nowMs)
    const fresh = [...index.known()].filter(
      ({ cluster, lastSeen }) => lastSeen.metricsMs !== undefined && !this.#queried.has(cluster),
    )
    if (fresh.length === 0) return
    const joins = await this.#parts.observations.joins()
    const joinsOf = groupBy(joins, ([, cluster]) => cluster)
    const next = fresh.values()
    await cycle.within(BUDGET_MS, async () => {
      const { value: one } = next.next()
      if (one === undefined) return false
      const { cluster, lastSeen } = one
      const names = (joinsOf.get(cluster) ?? []).map(([name]) => name)
      try {
        await this.#describe(index, await this.#parts.traitsAt(lastSeen.metricsMs!, [cluster, ...names]), joins)
        this.#queried.add(cluster)
      } catch (thrown) {
        cycle.fail(cluster, thrown)
      }
      return true
    })
  }

  async #describeAll(index: DescribedIndex, nowMs: number): Promise<void> {
    const joins = await this.#parts.observations.joins()
    await this.#describe(index, await this.#parts.traitsAt(nowMs), joins)
    const known = [...index.known()].map(({ cluster }) => cluster)
    this.#queried = new Set(known.filter((cluster) => this.#queried.has(cluster)))
  }

  /** In slices: at the first time, each cluster is indexed again. */
  async #describe(
    index: DescribedIndex,
    traits: ReadonlyMap<string, ClusterTraits>,
    joins: ReadonlyMap<string, string>,
  ): Promise<void> {
    const byCluster = new Map<string, ClusterTraits>()
    for (const [name, of] of traits) {
      const cluster = joins.get(name) ?? name
      const others = byCluster.get(cluster)
      byCluster.set(cluster, name === cluster ? { ...others, ...of } : { ...of, ...others })
    }
    const describe = eachInSteps(byCluster, (one) => {
      this.#queried.add(one[0])
      index.describe(new Map([one]))
    })
    await inSlices(describe, ownTurn)
  }
}
