/** The stages of the fleet loop that run every so often: heartbeats, derived series, day counts. */
import { eachInSteps, inSlices, ownTurn } from '../../base/thread-slices.ts'
import { countDays, type CountingPorts } from '../adoption/count-days.ts'
import type { FleetIndex } from '../clusters/fleet-index.ts'
import { DERIVED_EVERY_MS, type WrittenSeries } from '../series/derived-series.ts'
import type { DerivedValue } from '../series/derived-metrics.ts'
import type { SignalWatch } from '../signals/signal-watch.ts'
import type { AppendDerived } from '../../model/appender.ts'
import type { ObservationReader } from '../../model/fleet-facts.ts'
import type { FleetLoopState } from './loop-state.ts'

/** Due at the first call, then at most once in `everyMs`, and again when the clock was set back. */
export class Schedule {
  #lastMs = -Infinity

  isDue(everyMs: number, nowMs: number): boolean {
    if (Math.abs(nowMs - this.#lastMs) < everyMs) return false
    this.#lastMs = nowMs
    return true
  }

  reset(): void {
    this.#lastMs = -Infinity
  }
}

export interface HeartbeatParts {
  readonly signals: Pick<SignalWatch, 'eachLastSeen'>
  readonly observations: Pick<ObservationReader, 'lastSeenSince' | 'joins'>
  /** Tells other processes when a sample of a cluster was last received. */
  readonly shareSeen?: ((newestMs: ReadonlyMap<string, number>) => Promise<void>) | undefined
}

/** Longer than any source may pause. */
const LOOK_BACK_MS = 2 * 60 * 60_000

/** Marks when clusters were last seen: an idle cluster changes no fact, so only its heartbeat shows that it is not silent. */
export async function updateLastSeen(
  { signals, observations, shareSeen }: HeartbeatParts,
  { changedFacts }: Pick<FleetLoopState, 'changedFacts'>,
  index: Pick<FleetIndex, 'markSeen' | 'coverage' | 'verdicts'>,
  nowMs: number,
): Promise<void> {
  const joins = await observations.joins()
  const newestMs = new Map<string, number>()
  signals.eachLastSeen((name, metricsMs) => {
    index.markSeen(joins.get(name) ?? name, { metricsMs })
    if (shareSeen !== undefined) newestMs.set(name, metricsMs)
  })
  await shareSeen?.(newestMs)
  const seen = await observations.lastSeenSince(nowMs - LOOK_BACK_MS)
  const mark = eachInSteps(seen, ({ cluster: name, ...at }) => {
    index.markSeen(joins.get(name) ?? name, at)
  })
  await inSlices(mark, ownTurn)
  changedFacts.update(index.coverage(nowMs), index.verdicts(nowMs))
}

export interface SeriesStageParts {
  /** The series that were written before the start. */
  readonly writtenSeries: (nowMs: number) => readonly WrittenSeries[] | Promise<readonly WrittenSeries[]>
  readonly appendDerived: AppendDerived
}

/** Writes derived series once a minute; after a start, counters continue from the series written before. */
export class SeriesStage {
  readonly #parts: SeriesStageParts
  readonly #schedule = new Schedule()
  #isRestored = false

  constructor(parts: SeriesStageParts) {
    this.#parts = parts
  }

  async run(
    index: Pick<FleetIndex, 'restoreSeries' | 'series'>,
    nowMs: number,
    others: readonly DerivedValue[],
  ): Promise<void> {
    if (!this.#isRestored) index.restoreSeries(await this.#parts.writtenSeries(nowMs))
    this.#isRestored = true
    if (!this.#schedule.isDue(DERIVED_EVERY_MS, nowMs)) return
    const samples = await inSlices(index.series(nowMs, others), ownTurn)
    if (samples.length > 0) await this.#parts.appendDerived(samples)
  }
}

const EVERY_MS = 60_000
/** While days are left that could not all be counted at once. */
const EVERY_MS_WITH_DAYS_LEFT = 5_000
/** Counted again after a start: what was written and not yet counted when the process ended is among these days. */
const RECOUNTED_AT_START_MS = 2 * 24 * 60 * 60_000

/** Counts adoption by day: today, days that ended, and past days that changed. */
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
