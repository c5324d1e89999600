import type { MetricSignal } from '../../src/model/observation.ts'

/** A series that upgrades are read from, as a pure function of the time; `undefined` while it does not exist. */
export interface SignalSeries {
  readonly signal: MetricSignal
  /** As a run of the signal has them; sorted by name. */
  readonly labels: Readonly<Record<string, string>>
  /** Between two of these, and before the first, the value stays; in any order. */
  readonly momentsMs: readonly number[]
  readonly valueAt: (timeMs: number) => number | undefined
}
