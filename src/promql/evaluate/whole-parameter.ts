import { FleetError } from '../../base/errors.ts'

/** A parameter that counts series: NaN and what no integer can hold are refused. */
export function wholeParameter(value: number): number {
  if (Number.isNaN(value)) throw new FleetError('query_execution', 'Parameter value is NaN')
  if (Math.abs(value) >= 2 ** 63) throw new FleetError('query_execution', `Scalar value ${value} overflows int64`)
  return Math.trunc(value)
}
