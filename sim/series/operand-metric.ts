import type { OwnLabels, SimSeries } from './sim-series.ts'

/** A series that an operand's operator exposes, without the labels of its target. */
export type OperandMetric = readonly [name: string, own: OwnLabels, valueAt: SimSeries['valueAt']]
