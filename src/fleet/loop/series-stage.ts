/** Derived series, once a minute; at a start the counters go on from what was written before. */
import type { Gone } from '../clusters/gone.ts'
import { DERIVED_EVERY_MS, type WrittenSeries } from '../series/derived-series.ts'
import type { AppendDerived, DerivedSample } from '../../model/appender.ts'
import type { StuckVerdict } from '../../model/stuck.ts'
import { Schedule } from './schedule.ts'

export interface SeriesStageParts {
  /** The series that were written before the start. */
  readonly writtenSeries: (nowMs: number) => readonly WrittenSeries[]
  readonly appendDerived: AppendDerived
}

export interface SeriesIndex {
  verdicts(nowMs: number): readonly StuckVerdict[]
  gone(nowMs: number): ReadonlyMap<string, Gone>
  readonly insight: {
    restoreSeries(written: readonly WrittenSeries[]): void
    series(verdicts: readonly StuckVerdict[], gone: ReadonlyMap<string, Gone>, nowMs: number): readonly DerivedSample[]
  }
}

export class SeriesStage {
  readonly #parts: SeriesStageParts
  readonly #schedule = new Schedule()
  #isRestored = false

  constructor(parts: SeriesStageParts) {
    this.#parts = parts
  }

  async run(index: SeriesIndex, nowMs: number): Promise<void> {
    if (!this.#isRestored) index.insight.restoreSeries(this.#parts.writtenSeries(nowMs))
    this.#isRestored = true
    if (!this.#schedule.isDue(DERIVED_EVERY_MS, nowMs)) return
    const samples = index.insight.series(index.verdicts(nowMs), index.gone(nowMs), nowMs)
    if (samples.length > 0) await this.#parts.appendDerived(samples)
  }
}
