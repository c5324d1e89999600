import { Type } from 'typebox'
import type { Shape } from './common.ts'

/** A sample's value in Daytwo's own answers: a number, or the name of one that JSON cannot hold. */
export const SampleValue = Type.Union([Type.Number(), Type.Literal('NaN'), Type.Literal('+Inf'), Type.Literal('-Inf')])
export type SampleValue = Shape<typeof SampleValue>
