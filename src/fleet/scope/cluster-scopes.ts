/**
 * Which clusters each scope has, and the index of each scope: an index of these clusters alone, so that no count, baseline
 * or comparison of an answer contains another cluster. Indexes of scopes follow the fleet: `fleet` passes every change on. A
 * cluster is known here once it has sent metrics or objects; until then no scope has it.
 */
import { createHash } from 'node:crypto'
import { formatSelectors, selects, type ClusterSelectors } from '../../model/cluster-scope.ts'
import type { ClusterRecord } from '../../model/cluster-record.ts'
import type { RiskAlert } from '../../model/readiness.ts'
import type { ClusterTraits } from '../clusters/cluster-traits.ts'
import type { FleetIndex } from '../clusters/fleet-index.ts'

/** One scope, as of the present. */
export interface ScopedFleet {
  readonly index: FleetIndex
  /** By their own names. */
  readonly clusters: ReadonlySet<string>
  /** Whether this is one of `names`. */
  includes(name: string): boolean
  /** `clusters`, and the other names that they go by, without names of clusters outside. */
  names(): ScopeNames
}

export interface ScopeNames {
  readonly names: readonly string[]
  /** Of equal names equal, also after a restart. */
  readonly revision: string
}

export interface ClusterScopes {
  /** The whole fleet. Use this one instead of the index that it was made of. */
  readonly fleet: FleetIndex
  /** The same object until a change of labels brings a known cluster into the scope. */
  readonly scope: (selectors: ClusterSelectors) => ScopedFleet
}

/** Indexes of scopes in memory, each as large as its clusters; the one not used for longest is dropped. */
export const SCOPES_MAX = 32

export function createClusterScopes(fleet: FleetIndex): ClusterScopes {
  const scopes = new Map<string, LiveScope>()
  /** As described, for clusters that join a scope. */
  const traitsOf = new Map<string, ClusterTraits>()
  let alerts: readonly RiskAlert[] | undefined
  const acceptRisks = ({ index, clusters }: LiveScope): void => {
    index.readiness.accept(fleet.readiness.accepted().filter(({ cluster }) => clusters.has(cluster)))
  }
  const each = (change: (scope: LiveScope) => void): void => {
    for (const scope of scopes.values()) change(scope)
  }
  /** What an index knows of a cluster besides its facts. */
  const catchUp = (scope: LiveScope, cluster: string): void => {
    const { index, clusters } = scope
    index.markSeen(cluster, fleet.lastSeen(cluster))
    const traits = traitsOf.get(cluster)
    if (traits !== undefined) index.describe(new Map([[cluster, traits]]))
    if (alerts !== undefined) index.readiness.setAlerts(alerts.filter((alert) => clusters.has(alert.cluster)))
    acceptRisks(scope)
  }
  return {
    fleet: {
      ...fleet,
      put: (facts) => {
        const { cluster } = facts.cluster
        const [wasKnown, before] = [fleet.has(cluster), fleet.recordOf(cluster)?.aliases]
        fleet.put(facts)
        const record = fleet.recordOf(cluster)!
        const isRenamed = !wasKnown || String(before) !== String(record.aliases)
        each((scope) => {
          if (isRenamed) scope.forgetNames()
          const wasIn = scope.clusters.has(cluster)
          if (!scope.decide(record)) return
          scope.index.put({ ...facts, cluster: withoutOthers(facts.cluster) })
          if (!wasIn) catchUp(scope, cluster)
        })
      },
      remove: (cluster) => {
        fleet.remove(cluster)
        traitsOf.delete(cluster)
        each((scope) => {
          scope.leave(cluster)
          scope.forgetNames()
        })
      },
      markSeen: (cluster, seen) => {
        const isNew = !fleet.has(cluster)
        fleet.markSeen(cluster, seen)
        each((scope) => {
          if (isNew) {
            scope.forgetNames()
            if (scope.decide({ cluster })) catchUp(scope, cluster)
          }
          if (scope.clusters.has(cluster)) scope.index.markSeen(cluster, seen)
        })
      },
      describe: (traits) => {
        fleet.describe(traits)
        for (const [cluster, of] of traits) traitsOf.set(cluster, of)
        for (const [key, scope] of scopes) {
          const known = Array.from(fleet.known(), ({ cluster, record }) => record ?? { cluster })
          // What is known of a cluster is not in the index of the scope that it joins: a new index is made of it.
          if (known.some((one) => !scope.clusters.has(one.cluster) && scope.selects(one))) scopes.delete(key)
          else {
            for (const one of known) scope.decide(one)
            scope.index.describe(new Map([...traits].filter(([cluster]) => scope.clusters.has(cluster))))
          }
        }
      },
      declare: (all) => {
        fleet.declare(all)
        each((scope) => {
          scope.index.declare(all.filter(({ cluster }) => scope.clusters.has(cluster)))
        })
      },
      readiness: {
        ...fleet.readiness,
        setAlerts: (all) => {
          alerts = all
          fleet.readiness.setAlerts(all)
          each(({ index, clusters }) => {
            index.readiness.setAlerts(all.filter(({ cluster }) => clusters.has(cluster)))
          })
        },
        accept: (all) => {
          fleet.readiness.accept(all)
          each(acceptRisks)
        },
      },
      chooseBaseline: (chosen) => {
        fleet.chooseBaseline(chosen)
        each((scope) => {
          scope.chooseBaseline()
        })
      },
    },
    scope: (selectors) => {
      const key = formatSelectors(selectors)
      const scope = scopes.get(key) ?? new LiveScope(fleet, selectors)
      // Inserted again: the map's order is the order of last use.
      scopes.delete(key)
      scopes.set(key, scope)
      for (const oldest of scopes.keys()) {
        if (scopes.size <= SCOPES_MAX) break
        scopes.delete(oldest)
      }
      return scope
    },
  }
}

class LiveScope implements ScopedFleet {
  readonly index: FleetIndex
  readonly clusters: Set<string>
  readonly #fleet: FleetIndex
  readonly #selectors: ClusterSelectors
  #names: ScopeNames | undefined
  #known: ReadonlySet<string> | undefined

  constructor(fleet: FleetIndex, selectors: ClusterSelectors) {
    this.#fleet = fleet
    this.#selectors = selectors
    const selected = Array.from(fleet.known(), ({ cluster, record }) => record ?? { cluster }).filter((one) =>
      this.selects(one),
    )
    this.clusters = new Set(selected.map(({ cluster }) => cluster))
    this.index = fleet.only((cluster) => this.clusters.has(cluster), withoutOthers)
  }

  selects(cluster: Parameters<typeof selects>[1]): boolean {
    return selects(this.#selectors, cluster)
  }

  /** Whether the cluster is in the scope from now on. */
  decide(cluster: Parameters<typeof selects>[1]): boolean {
    const isIn = this.selects(cluster)
    if (!isIn) this.leave(cluster.cluster)
    else if (!this.clusters.has(cluster.cluster)) {
      this.clusters.add(cluster.cluster)
      this.#changed()
    }
    return isIn
  }

  leave(cluster: string): void {
    if (!this.clusters.delete(cluster)) return
    this.index.remove(cluster)
    this.#changed()
  }

  forgetNames(): void {
    this.#names = undefined
    this.#known = undefined
  }

  includes(name: string): boolean {
    return (this.#known ??= new Set(this.names().names)).has(name)
  }

  names(): ScopeNames {
    if (this.#names !== undefined) return this.#names
    const aliases = [...this.clusters].flatMap((cluster) => this.#fleet.recordOf(cluster)?.aliases ?? [])
    const names = [...new Set([...this.clusters, ...aliases.filter((name) => !this.#fleet.has(name))])].sort()
    const revision = createHash('sha256').update(JSON.stringify(names)).digest('base64url')
    return (this.#names = { names, revision })
  }

  #changed(): void {
    this.forgetNames()
    this.index.declare(this.#fleet.decommissions().filter(({ cluster }) => this.clusters.has(cluster)))
    this.chooseBaseline()
  }

  /** A baseline outside of the scope is none: it would show how another cluster is configured. */
  chooseBaseline(): void {
    const chosen = this.#fleet.baseline()
    this.index.chooseBaseline(chosen !== undefined && this.clusters.has(chosen.cluster) ? chosen : undefined)
  }
}

/** A record whose problems name no other cluster. */
function withoutOthers(record: ClusterRecord): ClusterRecord {
  if (record.problems?.some(({ reason }) => reason === 'taken') !== true) return record
  const problems = record.problems.map((problem) =>
    problem.reason === 'taken' ? { ...problem, text: OTHER_CLAIMS, evidence: [] } : problem,
  )
  return { ...record, problems }
}

const OTHER_CLAIMS =
  'A name of this cluster is claimed by another cluster too. Check the names that the senders of both clusters set.'
