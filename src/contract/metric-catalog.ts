import { Type } from 'typebox'
import { PanelLink } from './dashboards.ts'
import { orNull, wordOf, type Shape } from './common.ts'

/** The metric catalog: type, labels and first version of each metric, and its uses; independent of stored samples. */

const METRIC_KINDS = ['gauge', 'counter', 'histogram', 'summary', 'recorded'] as const

export const KnownMetricItem = Type.Object({
  /** The name of the series: parts of a histogram (`_bucket`, `_count`, `_sum`) are separate metrics. */
  name: Type.String(),
  /** `recorded`: by a rule. `null`: not in the catalog, only used. */
  type: orNull(wordOf(METRIC_KINDS)),
  /** Its own labels, without those that a scrape or the fleet adds; `*`: those of its rule. */
  labels: Type.Array(Type.String()),
  unit: orNull(Type.String()),
  /** The first version that sends it, for example `HCO 1.16`; `null`: unknown. */
  since: orNull(Type.String()),
  /** Operators no longer send it. */
  isGone: Type.Boolean(),
  /** Its successor, if it was removed and has one. */
  replacedBy: orNull(Type.String()),
  /** Rules that read it directly. */
  rules: Type.Array(Type.Object({ name: Type.String(), kind: wordOf(['alerting', 'recording']) })),
  /** Panels that read it directly. */
  panels: Type.Array(PanelLink),
})
export type KnownMetricItem = Shape<typeof KnownMetricItem>

/** `GET /api/fleet/v1/metrics`, by name. */
export const KnownMetricItems = Type.Object({ metrics: Type.Array(KnownMetricItem) })
export type KnownMetricItems = Shape<typeof KnownMetricItems>
