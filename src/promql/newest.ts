import { FleetError } from '../base/errors.ts'
import { compareLabels, compareText, type Labels } from '../model/labels.ts'
import type { Matcher } from '../model/matcher.ts'
import type { Queryable } from '../model/queryable.ts'
import type { TimeRange } from '../model/time-range.ts'
import { bitsOf, isStaleAt } from '../model/sample.ts'

/** The newest float of a series, with its timestamp. */
export interface NewestSample {
  readonly labels: Labels
  readonly timeMs: number
  readonly value: number
}

/**
 * The newest sample in the range of each series that one of the selectors matches; by metric name, then by labels.
 * Series whose newest sample is a stale marker or a native histogram are omitted. Throws FleetError `query_limit` when
 * there are more than `samplesMax`.
 */
export function newestSamples(
  queryable: Queryable,
  selectors: readonly (readonly Matcher[])[],
  range: TimeRange,
  samplesMax: number,
): readonly NewestSample[] {
  const bySeries = new Map<string, NewestSample>()
  for (const matchers of selectors) {
    const hint = { isNewestOnly: true, rangeMs: 0 }
    for (const series of queryable.select({ matchers, ...range, maxSamples: samplesMax, hint })) {
      const { labels, count, timesMs, values, histograms } = series
      const last = count - 1
      if (last < 0 || isStaleAt(bitsOf(values), last) || histograms?.[last] !== undefined) continue
      bySeries.set(labels.key, { labels, timeMs: timesMs[last]!, value: values[last]! })
      if (bySeries.size > samplesMax)
        throw new FleetError('query_limit', `more than ${samplesMax} series were selected`)
    }
  }
  return [...bySeries.values()].sort(
    (a, b) => compareText(a.labels.metricName, b.labels.metricName) || compareLabels(a.labels, b.labels),
  )
}
