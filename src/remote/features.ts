/**
 * The language of Prometheus 3 in parts that other versions and products may not have, each with a query that only needs to be
 * accepted. The queries select nothing.
 */
import { AGGREGATE_OPS } from '../promql/ast.ts'
import { FUNCTIONS } from '../promql/functions.ts'
import type { ValueType } from '../promql/ast.ts'

export interface Feature {
  /** A function, an aggregation, or one of `LANGUAGE_PARTS`. */
  readonly name: string
  /** An instant vector. */
  readonly probe: string
}

/** Selects nothing. */
export const PROBED_METRIC = 'daytwo_probe_selects_nothing'

/** Syntax, by the name that the checker of queries uses. */
export const LANGUAGE_PARTS = {
  'the @ modifier': `${PROBED_METRIC} @ 0`,
  '@ start() and @ end()': `${PROBED_METRIC} @ start()`,
  'a negative offset': `${PROBED_METRIC} offset -1m`,
  'quoted label names': `{__name__="${PROBED_METRIC}", "a.b"="c"}`,
  'the anchored modifier': `rate(${PROBED_METRIC}[1m] anchored)`,
  'the smoothed modifier': `rate(${PROBED_METRIC}[1m] smoothed)`,
  'a fill modifier': `${PROBED_METRIC} + on (a) fill (0) ${PROBED_METRIC}`,
  'a trim operator': `${PROBED_METRIC} </ 1`,
  'a subquery': `max_over_time(${PROBED_METRIC}[1m:1m])`,
  'a duration as a number': 'vector(1m)',
  'a number as a duration': `${PROBED_METRIC} offset 60`,
  changes_prometheus: `changes_prometheus(${PROBED_METRIC}[1m])`,
  atan2: `${PROBED_METRIC} atan2 ${PROBED_METRIC}`,
} as const satisfies Record<string, string>

export type LanguagePart = keyof typeof LANGUAGE_PARTS

export const FEATURES: readonly Feature[] = [
  ...Object.entries(LANGUAGE_PARTS).map(([name, probe]) => ({ name, probe })),
  ...Object.entries(AGGREGATE_OPS).map(([name, hasParam]) => {
    const param = !hasParam ? '' : name === 'count_values' ? '"a", ' : '0.5, '
    return { name, probe: `${name}(${param}${PROBED_METRIC})` }
  }),
  ...Object.entries(FUNCTIONS).map(([name, { args, variadic, returns }]) => {
    const required = variadic === 0 ? args : args.slice(0, variadic < 0 ? args.length : args.length - 1)
    const call = `${name}(${required.map(argumentOf).join(', ')})`
    return { name, probe: returns === 'scalar' ? `vector(${call})` : call }
  }),
]

function argumentOf(type: ValueType): string {
  switch (type) {
    case 'vector':
      return PROBED_METRIC
    case 'matrix':
      return `${PROBED_METRIC}[1m]`
    case 'scalar':
      return '0.5'
    case 'string':
      return '"a"'
  }
}

/**
 * The features that a store does not accept. Many are tested at once; a half that is refused is divided again.
 * @param accepts whether the store accepts a query
 */
export async function lackingFeatures(
  features: readonly Feature[],
  accepts: (expr: string) => Promise<boolean>,
): Promise<readonly string[]> {
  if (features.length === 0 || (await accepts(features.map(({ probe }) => probe).join(' or ')))) return []
  if (features.length === 1) return [features[0]!.name]
  const half = Math.ceil(features.length / 2)
  return [
    ...(await lackingFeatures(features.slice(0, half), accepts)),
    ...(await lackingFeatures(features.slice(half), accepts)),
  ]
}
