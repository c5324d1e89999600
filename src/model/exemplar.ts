import type { Labels } from './labels.ts'

/** An observation with the context in which a sample of its series was measured, usually a trace. */
export interface Exemplar {
  /** `trace_id` and others. Names and values have at most `EXEMPLAR_LABEL_RUNES_MAX` characters in total. */
  readonly labels: Labels
  readonly value: number
  readonly timeMs: number
}

/** The stored exemplars of one series, oldest first. */
export interface ExemplarSeries {
  readonly labels: Labels
  readonly exemplars: readonly Exemplar[]
}

/** OpenMetrics' limit, in Unicode code points; longer ones are refused. */
export const EXEMPLAR_LABEL_RUNES_MAX = 128
