import { WaitingClusters } from '../signals/waiting-clusters.ts'

/**
 * Clusters whose facts are to be derived anew, and how far in the store's numbering of changes that is done: a position is
 * reached when all that waited when it was taken is derived, also where newer changes wait by then.
 */

/** A cluster that failed is tried again after so long, also when nothing new came. */
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

  /** All that wait, in no order; one that failed and changed since is told twice. */
  clusters(): readonly string[] {
    return [...this.#waiting.keys(), ...this.#failed.keys()]
  }

  /** What was received until then is derived; Infinity: all is. -Infinity: not yet all that was there at the start. */
  get oldestMs(): number {
    let oldestMs = this.#waiting.oldestMs
    for (const { sinceMs } of this.#failed.values()) oldestMs = Math.min(oldestMs, sinceMs)
    return oldestMs
  }

  /** A cluster that was there at the start was not derived yet, nor was that tried. */
  get hasUntried(): boolean {
    return this.#waiting.hasUntried
  }

  add({ cluster, sinceMs }: PendingDerivation): void {
    this.#waiting.add(cluster, sinceMs)
  }

  /** The change up to `position` was added. A later one takes its place only when it is reached. */
  addedUpTo(position: P): void {
    if (this.#checkpoint !== undefined && this.#checkpoint.left.size > 0) return
    this.#checkpoint = { position, left: new Set(this.clusters()) }
  }

  /** Those that failed a while ago wait again. */
  retry(nowMs: number): void {
    for (const [cluster, { sinceMs, retryAtMs }] of this.#failed) {
      if (retryAtMs > nowMs) continue
      this.#failed.delete(cluster)
      this.#waiting.add(cluster, sinceMs, true)
    }
  }

  /** The one that waits longest, which waits no longer. */
  take(): PendingDerivation | undefined {
    const cluster = this.#waiting.next()
    return cluster === undefined ? undefined : { cluster, sinceMs: this.#waiting.take(cluster) }
  }

  fail({ cluster, sinceMs }: PendingDerivation, nowMs: number): void {
    const earlierMs = this.#failed.get(cluster)?.sinceMs ?? Infinity
    this.#failed.set(cluster, { sinceMs: Math.min(sinceMs, earlierMs), retryAtMs: nowMs + RETRY_AFTER_MS })
  }

  /** The position that is reached when what is derived of these is kept. */
  reachedWith(derived: readonly PendingDerivation[]): P | undefined {
    const checkpoint = this.#checkpoint
    if (checkpoint === undefined) return undefined
    const kept = new Set(derived.map(({ cluster }) => cluster))
    return [...checkpoint.left].every((cluster) => kept.has(cluster)) ? checkpoint.position : undefined
  }

  /** What is derived of these is kept. */
  kept(derived: readonly PendingDerivation[]): void {
    for (const { cluster } of derived) {
      this.#checkpoint?.left.delete(cluster)
      this.#failed.delete(cluster)
    }
  }
}
