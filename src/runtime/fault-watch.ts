import type { DiskRoom } from './disk-room.ts'
import type { ServerFaults } from '../model/server-fault.ts'
import { failedRules } from './rule-metrics.ts'
import type { EvaluationReport } from '../rules/rule-status.ts'
import type { StoreStats } from '../store/writer.ts'

/** Remembers what the server itself cannot do, from what its threads report. */
export class FaultWatch {
  #storage: ServerFaults['storage']
  /** Rules that failed when their group was evaluated last, by group and file. */
  readonly #failing = new Map<string, number>()

  get faults(): ServerFaults {
    return {
      storage: this.#storage,
      failingRules: [...this.#failing.values()].reduce((sum, count) => sum + count, 0),
    }
  }

  /** @returns whether the store began or ceased to fail */
  seeStore({ commitFailure }: Pick<StoreStats, 'commitFailure'>, room: DiskRoom, nowMs: number): boolean {
    const before = this.#storage
    this.#storage =
      commitFailure === undefined ? undefined : { ...commitFailure, ...room, sinceMs: before?.sinceMs ?? nowMs }
    return (before === undefined) !== (this.#storage === undefined)
  }

  /** @returns whether another number of rules fails than before */
  seeRules({ groups }: Pick<EvaluationReport, 'groups'>): boolean {
    const before = this.faults.failingRules
    for (const group of groups) this.#failing.set(`${group.file}\n${group.name}`, failedRules(group))
    return this.faults.failingRules !== before
  }

  /** Of groups that may be gone. */
  forgetRules(): void {
    this.#failing.clear()
  }
}
