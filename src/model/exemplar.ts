import type { Labels } from './labels.ts'

/** One observation that stands for many: beside a series, it names what it was measured at, as a rule a trace. */
export interface Exemplar {
  /** As sent: `trace_id` and whatever else. Names and values together have at most `EXEMPLAR_LABEL_RUNES_MAX` characters. */
  readonly labels: Labels
  readonly value: number
  readonly timeMs: number
}

/** What is kept beside one series, oldest first. */
export interface ExemplarSeries {
  readonly labels: Labels
  readonly exemplars: readonly Exemplar[]
}

/** OpenMetrics' limit; longer ones are not kept. Counted in Unicode code points. */
export const EXEMPLAR_LABEL_RUNES_MAX = 128
