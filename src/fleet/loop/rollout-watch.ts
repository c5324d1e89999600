/** The present verdicts on rollouts, for series: computed beside the cycles, because the first count of a large fleet takes seconds. */
import { messageOf } from '../../base/errors.ts'
import { UPGRADE_OPERATORS, type UpgradeOperator } from '../../model/upgrade.ts'
import { rolloutValues } from '../series/derived-rollouts.ts'
import type { DerivedValue } from '../series/derived-metrics.ts'
import type { Rollout } from '../verdicts/rollouts.ts'
import { Schedule } from './periodic-stages.ts'

const EVERY_MS = 2 * 60_000

export type RolloutReader = (operator: UpgradeOperator, nowMs: number) => Promise<readonly Rollout[]>

export class RolloutWatch {
  readonly #read: RolloutReader
  readonly #schedule = new Schedule()
  #values: readonly DerivedValue[] | undefined
  #running: Promise<void> | undefined
  #failure: Error | undefined

  constructor(read: RolloutReader) {
    this.#read = read
  }

  /** Of the last verdicts that were computed. */
  get values(): readonly DerivedValue[] {
    return this.#values ?? []
  }

  /** Starts a computation when one is due; waits for the first one, so that series do not end at a start. Throws what failed before. */
  async advance(nowMs: number): Promise<void> {
    if (this.#running === undefined && this.#schedule.isDue(EVERY_MS, nowMs)) this.#running = this.#compute(nowMs)
    if (this.#values === undefined) await this.#running
    const failure = this.#failure
    this.#failure = undefined
    if (failure !== undefined) throw failure
  }

  /** Resolves when nothing is computed. */
  async settled(): Promise<void> {
    await this.#running
  }

  async #compute(nowMs: number): Promise<void> {
    try {
      const found: Rollout[] = []
      for (const operator of UPGRADE_OPERATORS) found.push(...(await this.#read(operator, nowMs)))
      this.#values = rolloutValues(found)
    } catch (thrown) {
      this.#failure = thrown instanceof Error ? thrown : new Error(messageOf(thrown))
    } finally {
      this.#running = undefined
    }
  }
}
