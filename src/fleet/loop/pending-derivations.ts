/**
 * Clusters to derive, and up to which of the store's numbered changes that is done: a position is reached when every
 * cluster that waited when the position was read is derived, also when newer changes wait by then.
 */
import { WaitingClusters } from '../signals/waiting-clusters.ts'

/** A cluster that failed is tried again after this time, also without new evidence. */
const RETRY_AFTER_MS = 60_000

interface Failed {
  readonly sinceMs: number
  readonly retryAtMs: number
}

export interface PendingDerivation {
  readonly cluster: string
  /** What was received until then is derived. */
  readonly sinceMs: number
}

/** @typeParam P what a position is */
export class PendingDerivations<P> {
  readonly #waiting = new WaitingClusters<string>()
  readonly #failed = new Map<string, Failed>()
  #checkpoint: { readonly position: P; readonly left: Set<string> } | undefined

  /** All that wait, in no order; a cluster that failed and changed since is in it twice. */
  clusters(): readonly string[] {
    return [...this.#waiting.keys(), ...this.#failed.keys()]
  }

  /** What was received until then is derived; Infinity: everything. -Infinity: not yet what was stored at the start. */
  get oldestMs(): number {
    let oldestMs = this.#waiting.oldestMs
    for (const { sinceMs } of this.#failed.values()) oldestMs = Math.min(oldestMs, sinceMs)
    return oldestMs
  }

  /** A cluster that was stored at the start was not tried yet. */
  get hasUntried(): boolean {
    return this.#waiting.hasUntried
  }

  add({ cluster, sinceMs }: PendingDerivation): void {
    this.#waiting.add(cluster, sinceMs)
  }

  /** Changes up to `position` were added. A later position replaces it only when it is reached. */
  addedUpTo(position: P): void {
    if (this.#checkpoint !== undefined && this.#checkpoint.left.size > 0) return
    this.#checkpoint = { position, left: new Set(this.clusters()) }
  }

  /** Clusters that failed `RETRY_AFTER_MS` ago wait again. */
  retry(nowMs: number): void {
    for (const [cluster, { sinceMs, retryAtMs }] of this.#failed) {
      if (retryAtMs > nowMs) continue
      this.#failed.delete(cluster)
      this.#waiting.add(cluster, sinceMs, true)
    }
  }

  /** Removes and returns the cluster that waits longest. */
  take(): PendingDerivation | undefined {
    const cluster = this.#waiting.next()
    return cluster === undefined ? undefined : { cluster, sinceMs: this.#waiting.take(cluster) }
  }

  fail({ cluster, sinceMs }: PendingDerivation, nowMs: number): void {
    const earlierMs = this.#failed.get(cluster)?.sinceMs ?? Infinity
    this.#failed.set(cluster, { sinceMs: Math.min(sinceMs, earlierMs), retryAtMs: nowMs + RETRY_AFTER_MS })
  }

  /** The position that is reached once the facts of these clusters are stored. */
  reachedWith(derived: readonly PendingDerivation[]): P | undefined {
    const checkpoint = this.#checkpoint
    if (checkpoint === undefined) return undefined
    const stored = new Set(derived.map(({ cluster }) => cluster))
    return [...checkpoint.left].every((cluster) => stored.has(cluster)) ? checkpoint.position : undefined
  }

  /** The facts of these clusters are stored. */
  stored(derived: readonly PendingDerivation[]): void {
    for (const { cluster } of derived) {
      this.#checkpoint?.left.delete(cluster)
      this.#failed.delete(cluster)
    }
  }
}
