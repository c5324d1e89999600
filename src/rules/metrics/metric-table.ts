/**
 * The notation of the metric catalogue, one line per metric: name, type, own labels, then `unit=`, `since=` and, for a
 * metric that operators no longer send, `now=` with its present name (`now=-` when it has none). `label_*` means all labels
 * with that prefix. Empty lines and lines that start with `#` are comments.
 */
import { invariant } from '../../base/invariant.ts'

export const METRIC_TYPES = ['gauge', 'counter', 'histogram', 'summary', 'recorded'] as const
/** `recorded`: by a rule, here or in the cluster; the rule determines the meaning of its values. */
export type MetricType = (typeof METRIC_TYPES)[number]

export interface KnownMetric {
  readonly name: string
  readonly type: MetricType
  /** Own labels, without those that a scrape or the fleet adds. */
  readonly labels: readonly string[]
  /** `labels` are all labels, because a rule here records the metric. */
  readonly isWhole?: boolean
  /** Unit of the values: `bytes`, `seconds`, `unix_seconds`, `percent`, ... */
  readonly unit?: string
  /** First version that sends it, such as `HCO 1.16`. */
  readonly since?: string
  /** No longer sent; the present name where there is one. */
  readonly replacedBy?: string | null
}

/** Throws for a bug in the table. */
export function readMetricTable(table: string): KnownMetric[] {
  return table
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(readLine)
}

function readLine(line: string): KnownMetric {
  const [name = '', typeText, ...rest] = line.split(' ')
  const type = METRIC_TYPES.find((known) => known === typeText)
  invariant(type !== undefined, `the metric table says ${JSON.stringify(line)}, want one of ${METRIC_TYPES.join(', ')}`)
  const fields = new Map(rest.filter((word) => word.includes('=')).map(splitField))
  const [unit, since, now] = ['unit', 'since', 'now'].map((key) => fields.get(key))
  return {
    name,
    type,
    labels: rest.filter((word) => !word.includes('=')),
    ...(unit === undefined ? {} : { unit }),
    ...(since === undefined ? {} : { since: since.replaceAll('_', ' ') }),
    ...(now === undefined ? {} : { replacedBy: now === '-' ? null : now }),
  }
}

function splitField(word: string): readonly [string, string] {
  const at = word.indexOf('=')
  return [word.slice(0, at), word.slice(at + 1)]
}
