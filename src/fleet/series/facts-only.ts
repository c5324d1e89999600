import { LabelList } from '../../model/label-rows.ts'
import type { Queryable, RunSelection } from '../../model/queryable.ts'
import type { FactHistory } from './fact-history.ts'
import { withFacts } from './with-facts.ts'

/** The series that are computed from facts, and no others. @param facts as of `withFacts` */
export function factsOnly(facts: () => FactHistory | undefined): Queryable {
  const { select, series, labelNames, labelValues, metadata } = withFacts(NOTHING, facts)
  return { select, series, labelNames, labelValues, metadata }
}

const NO_RUNS: RunSelection = {
  rows: new LabelList([]),
  readRuns: (_from, _to, into) => {
    into.clear(0)
  },
  readNewest: () => undefined,
}

const NOTHING: Required<Queryable> = {
  select: () => [],
  selectNewest: () => [],
  selectRuns: () => NO_RUNS,
  selectRollup: () => undefined,
  series: () => [],
  labelNames: () => [],
  labelValues: () => [],
  exemplars: () => [],
  metadata: () => [],
}
