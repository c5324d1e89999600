/** One evaluation of a recording rule: the result under the rule's name and labels. */
import type { DerivedSample } from '../model/appender.ts'
import { Labels, METRIC_NAME } from '../model/labels.ts'
import type { VectorSample } from '../promql/query-engine.ts'
import type { RecordingRule } from './rule.ts'

type RecordingOutcome =
  | { readonly kind: 'refused'; readonly error: string }
  | { readonly kind: 'recording'; readonly samples: readonly DerivedSample[] }

/** `timeMs` is the time of the written samples; `limit` 0 is no limit. */
export function evaluateRecording(
  rule: RecordingRule,
  result: readonly VectorSample[],
  timeMs: number,
  limit: number,
): RecordingOutcome {
  const outputOf = outputsOf(rule)
  const seen = new Set<string>()
  const samples: DerivedSample[] = []
  for (const { labels: from, value, histogram } of result) {
    const labels = outputOf(from)
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

/**
 * The label set of a result under the rule's name and labels. The engine returns identical label sets at each evaluation,
 * ten thousand for ten thousand clusters, so each output is created once and the writer finds it by identity.
 */
function outputsOf(rule: RecordingRule): (from: Labels) => Labels {
  let known = outputs.get(rule)
  if (known === undefined) outputs.set(rule, (known = new WeakMap<Labels, Labels>()))
  const ofRule = known
  const added = [...Object.entries(rule.labels), [METRIC_NAME, rule.name] as const]
  return (from) => {
    let labels = ofRule.get(from)
    if (labels === undefined) ofRule.set(from, (labels = Labels.fromPairs([...from.pairs(), ...added])))
    return labels
  }
}

const outputs = new WeakMap<RecordingRule, WeakMap<Labels, Labels>>()
