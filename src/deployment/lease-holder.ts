/**
 * The leases of this process: renewed, taken and given back in small steps, so that every living process gets an equal share
 * and what a dead one had is taken over within seconds. A process that cannot reach the database gives up its leases before
 * others may take them.
 */
import { createSerialQueue } from '../base/serial-queue.ts'
import {
  ALERTS_LEASE,
  LEASE_KINDS,
  type Lease,
  type LeaseKind,
  type LeaseStore,
  type ProcessRecord,
} from '../model/lease.ts'
import type { ProcessReport } from '../model/process-report.ts'

/** Between two heartbeats. */
export const BEAT_EVERY_MS = 2000
/** Without a heartbeat for this long, others take over: less than the shortest usual interval of rules. */
export const LIVES_FOR_MS = 10_000
/** Of a kind, in one step: a share of 100,000 clusters takes some steps, and no step holds up a write for long. */
const TAKEN_MAX = 5000
/** Of what is above the share, so that two processes do not pass leases to and fro. */
const SLACK = 0.05

export interface LeaseHolderParts {
  readonly store: LeaseStore
  /** Milliseconds that only rise. */
  readonly stopwatchMs: () => number
  /** Of this process. Leases are shared by those that have the role `evaluate`. */
  readonly roles: readonly string[]
  /** What this process reports about itself, without its leases. */
  readonly report: () => Omit<ProcessReport, 'leases'>
  /** Called with each change, before the next step. */
  readonly onChange: (change: LeaseChange) => void
}

export interface LeaseChange {
  readonly gained: readonly Lease[]
  readonly lost: readonly Pick<Lease, 'kind' | 'name'>[]
}

export class LeaseHolder {
  readonly #parts: LeaseHolderParts
  readonly #held = new Map<string, Lease>()
  readonly #inOrder = createSerialQueue()
  /** Until then, by the stopwatch, nobody else takes what this process has. */
  #safeUntilMs = -Infinity
  #processes: readonly ProcessRecord[] = []
  #heardMs: number
  #isReplaced = false

  constructor(parts: LeaseHolderParts) {
    this.#parts = parts
    this.#heardMs = parts.stopwatchMs()
  }

  /** By the stopwatch; until then nobody else takes what this process has. */
  get safeUntilMs(): number {
    return this.#safeUntilMs
  }

  /** All that are known, as of the last heartbeat that the store took. */
  get processes(): readonly ProcessRecord[] {
    return this.#processes
  }

  /** By the stopwatch: the last heartbeat that the store took; before it, the start. */
  get heardMs(): number {
    return this.#heardMs
  }

  /** A later start of a process of the same name has taken its place. */
  get isReplaced(): boolean {
    return this.#isReplaced
  }

  /** Absent: another process may have it. */
  lease(kind: LeaseKind, name: string): Lease | undefined {
    if (this.#parts.stopwatchMs() >= this.#safeUntilMs) return undefined
    return this.#held.get(keyOf(kind, name))
  }

  /** All that are held now. */
  leases(): readonly Lease[] {
    return this.#parts.stopwatchMs() >= this.#safeUntilMs ? [] : [...this.#held.values()]
  }

  /**
   * One step. Rejects when the store does; then what is held ends by itself in time.
   * @param groups the groups of rules that this process can evaluate
   */
  step(groups: readonly string[]): Promise<void> {
    return this.#inOrder(() => this.#step(groups))
  }

  register(kind: LeaseKind, names: readonly string[]): Promise<void> {
    return this.#parts.store.register(kind, names)
  }

  /** Gives everything back: others take it at once. */
  stop(): Promise<void> {
    return this.#inOrder(async () => {
      this.#change([], [...this.#held.values()])
      this.#safeUntilMs = -Infinity
      await this.#parts.store.leave(this.#report())
    })
  }

  #report(): ProcessReport {
    const held = this.leases()
    const leases = LEASE_KINDS.map((kind) => [kind, held.filter((lease) => lease.kind === kind).length] as const)
    return { ...this.#parts.report(), leases: Object.fromEntries(leases) }
  }

  async #step(groups: readonly string[]): Promise<void> {
    const { store, stopwatchMs, roles } = this.#parts
    const startedMs = stopwatchMs()
    // Too late: others may have taken what is held.
    const isLate = startedMs >= this.#safeUntilMs
    const processes = await store.beat(LIVES_FOR_MS, this.#report())
    if (processes === undefined) {
      this.#isReplaced = true
      this.#safeUntilMs = -Infinity
      this.#change([], [...this.#held.values()])
      return
    }
    this.#processes = processes
    this.#heardMs = startedMs
    if (isLate) this.#keepOnly(await store.mine())
    // By its own clock it lives a little shorter than by that of the database.
    this.#safeUntilMs = startedMs + LIVES_FOR_MS
    if (!takesLeases(roles)) return
    const living = Math.max(
      1,
      processes.filter(({ roles: all, state }) => state === 'running' && takesLeases(all)).length,
    )
    await this.#share('cluster', living)
    await this.#share('rules', living, groups)
    await this.#share('alerts', living, [ALERTS_LEASE])
  }

  /** Takes what is free, or gives back what is too much. */
  async #share(kind: LeaseKind, living: number, names?: readonly string[]): Promise<void> {
    const { store } = this.#parts
    const { total, mine, free } = await store.count(kind)
    const share = Math.ceil(total / living)
    if (mine < share) {
      if (free > 0) this.#change(await store.take(kind, Math.min(TAKEN_MAX, share - mine), names), [])
    } else if (mine > share * (1 + SLACK)) {
      const own = [...this.#held.values()].filter((lease) => lease.kind === kind)
      const given = own.slice(0, Math.min(TAKEN_MAX, mine - share))
      // First here, then for others: in between nobody has them.
      this.#change([], given)
      await store.release(
        kind,
        given.map(({ name }) => name),
      )
    }
  }

  /** A number that is the same was nobody else's in between. */
  #keepOnly(mine: readonly Lease[]): void {
    const gained = mine.filter(({ kind, name, fence }) => this.#held.get(keyOf(kind, name))?.fence !== fence)
    const owned = new Set(mine.map(({ kind, name }) => keyOf(kind, name)))
    const lost = [...this.#held.values()].filter(({ kind, name }) => !owned.has(keyOf(kind, name)))
    this.#change(gained, lost)
  }

  #change(gained: readonly Lease[], lost: readonly Lease[]): void {
    if (gained.length + lost.length === 0) return
    for (const { kind, name } of lost) this.#held.delete(keyOf(kind, name))
    for (const lease of gained) this.#held.set(keyOf(lease.kind, lease.name), lease)
    this.#parts.onChange({ gained, lost })
  }
}

function takesLeases(roles: readonly string[]): boolean {
  return roles.includes('evaluate')
}

function keyOf(kind: LeaseKind, name: string): string {
  return `${kind} ${name}`
}
