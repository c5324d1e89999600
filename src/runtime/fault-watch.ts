import type { DiskRoom } from './disk-room.ts'
import type { ServerFaults } from '../model/server-fault.ts'
import { failedRules } from './rule-metrics.ts'
import type { EvaluationSummary } from '../rules/rule-status.ts'
import type { StoreStats } from '../store/writer.ts'

/** The server's own faults, from the reports of its threads. */
export class FaultWatch {
  #storage: ServerFaults['storage']
  #damage: ServerFaults['damage']
  #metricsStore: string | undefined
  /** The number of rules that failed in the last evaluation of their group, by file and group. */
  readonly #failing = new Map<string, number>()

  get faults(): Omit<ServerFaults, 'threads'> {
    return {
      storage: this.#storage,
      damage: this.#damage,
      ...(this.#metricsStore === undefined ? {} : { metricsStore: this.#metricsStore }),
      failingRules: [...this.#failing.values()].reduce((sum, count) => sum + count, 0),
    }
  }

  /** @returns whether the store started or stopped failing, or has more or less damage */
  seeStore(
    { commitFailure, damage }: Pick<StoreStats, 'commitFailure' | 'damage'>,
    room: DiskRoom,
    nowMs: number,
  ): boolean {
    const before = this.#storage
    const isDamageChanged = this.#damage?.count !== damage?.count
    this.#damage = damage
    this.#storage =
      commitFailure === undefined ? undefined : { ...commitFailure, ...room, sinceMs: before?.sinceMs ?? nowMs }
    return isDamageChanged || (before === undefined) !== (this.#storage === undefined)
  }

  /** @param fault of the metrics store; `undefined`: it answers */
  seeMetricsStore(fault: string | undefined): void {
    this.#metricsStore = fault
  }

  /** @returns whether the number of failing rules changed */
  seeRules({ groups }: Pick<EvaluationSummary, 'groups'>): boolean {
    const before = this.faults.failingRules
    for (const group of groups) this.#failing.set(`${group.file}\n${group.name}`, failedRules(group))
    return this.faults.failingRules !== before
  }

  /** After a reload, which may have removed groups. */
  forgetRules(): void {
    this.#failing.clear()
  }
}
