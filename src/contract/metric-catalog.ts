import { Type, type Static } from 'typebox'
import { PanelLink } from './dashboards.ts'
import { orNull, wordOf } from './fleet-common.ts'

/** What is known of metrics without a sample of them: what they are, since when they are sent, and what reads them. */

const METRIC_KINDS = ['gauge', 'counter', 'histogram', 'summary', 'recorded'] as const

export const KnownMetricItem = Type.Object({
  /** Of the series: parts of a histogram (`_bucket`, `_count`, `_sum`) are metrics of their own. */
  name: Type.String(),
  /** `recorded`: by a rule. `null`: not in the catalogue, only read by something. */
  type: orNull(wordOf(METRIC_KINDS)),
  /** Of its own, apart from those that a scrape or the fleet adds; `*`: whatever its rule makes. */
  labels: Type.Array(Type.String()),
  unit: orNull(Type.String()),
  /** The first version that sends it, such as `HCO 1.16`; `null`: not known. */
  since: orNull(Type.String()),
  /** Operators no longer send it. */
  isGone: Type.Boolean(),
  /** Its present name, when it is gone and has one. */
  replacedBy: orNull(Type.String()),
  /** Rules that read it themselves. */
  rules: Type.Array(Type.Object({ name: Type.String(), kind: wordOf(['alerting', 'recording']) })),
  /** Panels that read it themselves. */
  panels: Type.Array(PanelLink),
})
export type KnownMetricItem = Static<typeof KnownMetricItem>

/** `GET /api/fleet/v1/metrics`, by name. */
export const KnownMetricItems = Type.Object({ metrics: Type.Array(KnownMetricItem) })
export type KnownMetricItems = Static<typeof KnownMetricItems>
