import { sortInSteps } from '../base/sort-in-steps.ts'
import { FleetError } from '../base/errors.ts'
import { compareLabels, compareText, type Labels } from '../model/labels.ts'
import type { Queryable } from '../model/queryable.ts'
import { bitsOf, isStaleAt } from '../model/sample.ts'
import type { TimeRange } from '../model/time-range.ts'
import type { Budget } from './budget.ts'
import { runPieces } from './evaluate/pieces.ts'
import type { Selectors } from './query-engine.ts'

/** The newest float of a series, with its timestamp. */
export interface NewestSample {
  readonly labels: Labels
  readonly timeMs: number
  readonly value: number
}

/** A sample, and a label set whose texts are shared with others. */
const SAMPLE_BYTES = 512

/**
 * The newest sample in the range of each series that one of the selectors matches; by metric name, then by labels.
 * Series whose newest sample is a stale marker or a native histogram are omitted. Rejects with FleetError `query_limit`
 * when there are more than `samplesMax`.
 */
export async function newestSamples(
  queryable: Queryable,
  selectors: Selectors,
  range: TimeRange,
  budget: Budget,
): Promise<readonly NewestSample[]> {
  const { samplesMax } = budget.options
  const bySeries = new Map<string, NewestSample>()
  for (const matchers of selectors) {
    const request = {
      ...{ matchers, ...range, maxSamples: samplesMax, work: budget.regexWork },
      hint: { isNewestOnly: true, rangeMs: 0 },
    }
    for (const portion of queryable.selectNewest?.(request) ?? [queryable.select(request)]) {
      budget.holdBytes(portion.length * SAMPLE_BYTES)
      for (const { labels, count, timesMs, values, histograms } of portion) {
        const last = count - 1
        if (last < 0 || isStaleAt(bitsOf(values), last) || histograms?.[last] !== undefined) continue
        bySeries.set(labels.key, { labels, timeMs: timesMs[last]!, value: values[last]! })
      }
      if (bySeries.size > samplesMax) {
        throw new FleetError('query_limit', `more than ${samplesMax} series were selected`)
      }
      if (budget.isSliceOver) await budget.yieldThread()
    }
  }
  return runPieces(sortInSteps([...bySeries.values()], byName), budget)
}

function byName({ labels: a }: NewestSample, { labels: b }: NewestSample): number {
  return compareText(a.metricName, b.metricName) || compareLabels(a, b)
}
