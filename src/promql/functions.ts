import type { ValueType } from './ast.ts'

/**
 * The functions of PromQL for the checker: names, argument types, and which arguments may be omitted or repeated. Their
 * implementations are in evaluate/; a test keeps the two tables equal.
 */
interface FunctionSignature {
  readonly args: readonly ValueType[]
  /** 0: all arguments are required. n: the last may be omitted, or given up to n times. -1: any number of times. */
  readonly variadic: number
  readonly returns: ValueType
  /** Refused unless the parser allows experimental features. */
  readonly isExperimental: boolean
}

const fn = (args: readonly ValueType[], variadic = 0, returns: ValueType = 'vector'): FunctionSignature => ({
  args,
  variadic,
  returns,
  isExperimental: false,
})

const experimental = (signature: FunctionSignature): FunctionSignature => ({ ...signature, isExperimental: true })

const overVector = fn(['vector'])
const overRange = fn(['matrix'])
const ofTime = fn(['vector'], 1)
const ofQuery = fn([], 0, 'scalar')

export const FUNCTIONS: Readonly<Record<string, FunctionSignature>> = {
  abs: overVector,
  absent: overVector,
  absent_over_time: overRange,
  acos: overVector,
  acosh: overVector,
  asin: overVector,
  asinh: overVector,
  atan: overVector,
  atanh: overVector,
  avg_over_time: overRange,
  ceil: overVector,
  changes: overRange,
  clamp: fn(['vector', 'scalar', 'scalar']),
  clamp_max: fn(['vector', 'scalar']),
  clamp_min: fn(['vector', 'scalar']),
  cos: overVector,
  cosh: overVector,
  count_over_time: overRange,
  day_of_month: ofTime,
  day_of_week: ofTime,
  day_of_year: ofTime,
  days_in_month: ofTime,
  deg: overVector,
  delta: overRange,
  deriv: overRange,
  double_exponential_smoothing: experimental(fn(['matrix', 'scalar', 'scalar'])),
  end: experimental(ofQuery),
  exp: overVector,
  first_over_time: overRange,
  floor: overVector,
  histogram_avg: overVector,
  histogram_count: overVector,
  histogram_fraction: fn(['scalar', 'scalar', 'vector']),
  histogram_quantile: fn(['scalar', 'vector']),
  histogram_quantiles: experimental(fn(['vector', 'string', 'scalar', 'scalar'], -1)),
  histogram_stddev: overVector,
  histogram_stdvar: overVector,
  histogram_sum: overVector,
  hour: ofTime,
  idelta: overRange,
  increase: overRange,
  info: experimental(fn(['vector', 'vector'], 1)),
  irate: overRange,
  label_join: fn(['vector', 'string', 'string', 'string'], -1),
  label_replace: fn(['vector', 'string', 'string', 'string', 'string']),
  last_over_time: overRange,
  ln: overVector,
  log10: overVector,
  log2: overVector,
  mad_over_time: experimental(overRange),
  max_of: experimental(fn(['scalar', 'scalar'], 0, 'scalar')),
  max_over_time: overRange,
  min_of: experimental(fn(['scalar', 'scalar'], 0, 'scalar')),
  min_over_time: overRange,
  minute: ofTime,
  month: ofTime,
  pi: fn([], 0, 'scalar'),
  predict_linear: fn(['matrix', 'scalar']),
  present_over_time: overRange,
  quantile_over_time: fn(['scalar', 'matrix']),
  rad: overVector,
  range: experimental(ofQuery),
  rate: overRange,
  resets: overRange,
  round: fn(['vector', 'scalar'], 1),
  scalar: fn(['vector'], 0, 'scalar'),
  sgn: overVector,
  sin: overVector,
  sinh: overVector,
  sort: overVector,
  sort_by_label: experimental(fn(['vector', 'string'], -1)),
  sort_by_label_desc: experimental(fn(['vector', 'string'], -1)),
  sort_desc: overVector,
  sqrt: overVector,
  start: experimental(ofQuery),
  stddev_over_time: overRange,
  stdvar_over_time: overRange,
  step: experimental(ofQuery),
  sum_over_time: overRange,
  tan: overVector,
  tanh: overVector,
  time: fn([], 0, 'scalar'),
  timestamp: overVector,
  ts_of_first_over_time: experimental(overRange),
  ts_of_last_over_time: experimental(overRange),
  ts_of_max_over_time: experimental(overRange),
  ts_of_min_over_time: experimental(overRange),
  vector: fn(['scalar']),
  year: ofTime,
}

/** Functions that Prometheus has and this engine does not, with the reason shown to users. */
export const UNSUPPORTED_FUNCTIONS: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    start_timestamp: 'start timestamps are not stored',
  }),
)
