/** One evaluation of a recording rule: the result under the rule's name and labels. */
import type { DerivedSample } from '../model/appender.ts'
import { Labels, METRIC_NAME } from '../model/labels.ts'
import type { VectorSample } from '../promql/query-engine.ts'
import type { RecordingRule } from './rule.ts'

export type RecordingOutcome =
  | { readonly kind: 'refused'; readonly error: string }
  | { readonly kind: 'recording'; readonly samples: readonly DerivedSample[] }

/** `timeMs` is that of the samples written; `limit` 0 is no limit. */
export function evaluateRecording(
  rule: RecordingRule,
  result: readonly VectorSample[],
  timeMs: number,
  limit: number,
): RecordingOutcome {
  const ruleLabels = Object.entries(rule.labels)
  const seen = new Set<string>()
  const samples: DerivedSample[] = []
  for (const { labels: from, value, histogram } of result) {
    const labels = Labels.fromPairs([...from.pairs(), ...ruleLabels, [METRIC_NAME, rule.name]])
    if (seen.has(labels.key)) {
      return { kind: 'refused', error: 'vector contains metrics with the same labelset after applying rule labels' }
    }
    seen.add(labels.key)
    const sample = { labels, timeMs, value, isStale: false }
    samples.push(histogram === undefined ? sample : { ...sample, histogram })
  }
  if (limit > 0 && samples.length > limit) {
    return { kind: 'refused', error: `exceeded limit of ${limit} with ${samples.length} series` }
  }
  return { kind: 'recording', samples }
}
