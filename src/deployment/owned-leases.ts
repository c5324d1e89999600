import type { Lease, LeaseKind } from '../model/lease.ts'

/** Changes of the leases of this process, from the thread that holds them to one that works under them. */
export interface LeaseUpdate {
  /** Number of the update; each follows the one before it, unless it has everything. */
  readonly number: number
  readonly isWhole: boolean
  readonly gained: readonly Lease[]
  readonly lost: readonly Pick<Lease, 'kind' | 'name'>[]
  /** Until then, by a stopwatch that both threads have, nobody else takes what this process has. */
  readonly safeUntilMs: number
}

/** What the other thread answers. */
export interface LeaseNews {
  /** False: an update is missing, so the next one must be whole. */
  readonly isUpToDate: boolean
  /** Clusters without an owner, as far as it knows. */
  readonly clusters: readonly string[]
  /** Groups of rules that it can evaluate. */
  readonly groups: readonly string[]
}

/** Clusters that are named in one answer: the rest follows in the next. */
const NEWS_MAX = 5000

/** The leases of this process, on a thread that works under them. */
export class OwnedLeases {
  readonly #stopwatchMs: () => number
  readonly #held = new Map<string, Lease>()
  readonly #unowned = new Set<string>()
  #gainedClusters: string[] = []
  #gainedGroups: string[] = []
  #number = 0
  #safeUntilMs = -Infinity

  constructor(stopwatchMs: () => number) {
    this.#stopwatchMs = stopwatchMs
  }

  /** Absent: another process may have it. */
  lease(kind: LeaseKind, name: string): Lease | undefined {
    if (this.#stopwatchMs() >= this.#safeUntilMs) return undefined
    return this.#held.get(`${kind} ${name}`)
  }

  /** A cluster that nobody may have yet. */
  note(cluster: string): void {
    this.#unowned.add(cluster)
  }

  /** Clusters, and groups of rules, that were gained since the last call. */
  takeGained(kind: 'cluster' | 'rules'): readonly string[] {
    const gained = kind === 'cluster' ? this.#gainedClusters : this.#gainedGroups
    return gained.splice(0).filter((name) => this.#held.has(`${kind} ${name}`))
  }

  apply({ number, isWhole, gained, lost, safeUntilMs }: LeaseUpdate, groups: readonly string[]): LeaseNews {
    const isUpToDate = isWhole || number === this.#number + 1
    if (isUpToDate) {
      this.#number = number
      if (isWhole) this.#removeBut(gained)
      for (const { kind, name } of lost) this.#held.delete(`${kind} ${name}`)
      for (const lease of gained) this.#gain(lease)
      this.#safeUntilMs = safeUntilMs
    }
    const clusters = [...this.#unowned].slice(0, NEWS_MAX)
    for (const cluster of clusters) this.#unowned.delete(cluster)
    return { isUpToDate, clusters, groups }
  }

  #gain(lease: Lease): void {
    const key = `${lease.kind} ${lease.name}`
    // Of the same number: it was nobody else's in between.
    if (this.#held.get(key)?.fence === lease.fence) return
    this.#held.set(key, lease)
    if (lease.kind === 'cluster') this.#gainedClusters.push(lease.name)
    if (lease.kind === 'rules') this.#gainedGroups.push(lease.name)
  }

  #removeBut(kept: readonly Lease[]): void {
    const keys = new Set(kept.map(({ kind, name }) => `${kind} ${name}`))
    for (const key of this.#held.keys()) if (!keys.has(key)) this.#held.delete(key)
  }
}
