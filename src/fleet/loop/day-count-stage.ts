import { countDays, type CountingPorts } from '../adoption/count-days.ts'
import type { FleetLoopState } from './loop-state.ts'
import { Schedule } from './schedule.ts'

const EVERY_MS = 60_000
/** While days are left that could not all be counted at once. */
const EVERY_MS_WITH_DAYS_LEFT = 5_000
/** Counted again after a start: what was written and not yet counted when the process ended is among these days. */
const RECOUNTED_AT_START_MS = 2 * 24 * 60 * 60_000

/** Adoption, day by day: counts today, days that ended, and past days that changed. */
export class DayCountStage {
  readonly #ports: CountingPorts
  readonly #lateChanges: FleetLoopState['lateChanges']
  readonly #schedule = new Schedule()
  #hasCounted = false
  #daysLeft = 0

  constructor(ports: CountingPorts, { lateChanges }: Pick<FleetLoopState, 'lateChanges'>) {
    this.#ports = ports
    this.#lateChanges = lateChanges
  }

  /** Days that are not counted yet, or have to be counted again. */
  get daysLeft(): number {
    return this.#daysLeft
  }

  /** @param isComplete all that was stored at the start was derived once: before that, part of the fleet is no denominator */
  async run(isComplete: boolean, nowMs: number): Promise<void> {
    if (!this.#hasCounted && !isComplete) return
    if (!this.#schedule.isDue(this.#daysLeft > 0 ? EVERY_MS_WITH_DAYS_LEFT : EVERY_MS, nowMs)) return
    if (!this.#hasCounted) this.#lateChanges.note(nowMs - RECOUNTED_AT_START_MS, nowMs)
    this.#hasCounted = true
    this.#daysLeft = await countDays(this.#ports, nowMs, this.#lateChanges.changes)
  }

  /** Past days from `fromMs` on are counted again, at the next run. */
  recount(fromMs: number, nowMs: number): void {
    this.#lateChanges.note(fromMs, nowMs)
    this.#schedule.reset()
  }
}
