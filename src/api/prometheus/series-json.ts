import type { ExemplarSeries } from '../../model/exemplar.ts'
import type { MetricFamily } from '../../model/metadata.ts'
import { HEAD, TRUNCATED, renderLabels, separated, tailOf } from './answer-json.ts'
import { formatValue } from './format-value.ts'

/** Answers about what is stored as JSON, piece by piece: lists, exemplars, metadata. */

/** A list of at most `limit` items as `data`; a truncated list has a warning. */
export function* listJson<T>(items: readonly T[], limit: number, render: (item: T) => string): Generator<string> {
  const isCut = items.length > limit
  yield `${HEAD}[`
  yield* separated(isCut ? items.slice(0, limit) : items, render)
  yield `]${tailOf(isCut ? { warnings: [TRUNCATED] } : {})}`
}

/** The most families, and the most metadata of each; `Infinity` for all. */
export interface MetadataLimits {
  readonly limit: number
  readonly perMetric: number
}

export function* exemplarJson(found: readonly ExemplarSeries[]): Generator<string> {
  yield '{"status":"success","data":['
  for (let i = 0; i < found.length; i++) {
    const { labels, exemplars } = found[i]!
    const rendered = exemplars.map(
      ({ labels, value, timeMs }) =>
        `{"labels":${renderLabels(labels)},"value":"${formatValue(value)}","timestamp":${timeMs / 1000}}`,
    )
    yield `${i === 0 ? '' : ','}{"seriesLabels":${renderLabels(labels)},"exemplars":[${rendered.join(',')}]}`
  }
  yield ']}'
}

export function* metadataJson(
  families: readonly MetricFamily[],
  { limit, perMetric }: MetadataLimits,
): Generator<string> {
  yield '{"status":"success","data":{'
  for (let i = 0; i < Math.min(families.length, limit); i++) {
    const { name, metadata } = families[i]!
    const shown = metadata.slice(0, perMetric).map(({ type, help, unit }) => ({ type, help, unit }))
    yield `${i === 0 ? '' : ','}${JSON.stringify(name)}:${JSON.stringify(shown)}`
  }
  yield '}}'
}
