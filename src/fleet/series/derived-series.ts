/** Derives series from the fleet's facts: the current values, and the samples to write. */
import type { DerivedSample } from '../../model/appender.ts'
import { Labels, METRIC_NAME } from '../../model/labels.ts'
import type { StuckVerdict } from '../../model/stuck.ts'
import type { UpgradeRecord } from '../../model/upgrade.ts'
import { clusterValues, type ClusterWithCounts } from './derived-clusters.ts'
import type { DerivedValue } from './derived-metrics.ts'
import { edgeValues, openUpgradeValues, type EdgeSeries } from './derived-upgrades.ts'
import type { Gone } from '../clusters/gone.ts'
import type { NotOffered } from '../edges/not-offered.ts'

export interface DerivedFacts {
  /** Clusters that are not gone. */
  readonly clusters: Iterable<ClusterWithCounts>
  readonly gone: ReadonlyMap<string, Gone>
  /** Upgrades in progress, and finished ones with VMs left to update. */
  readonly open: readonly UpgradeRecord[]
  readonly verdicts: readonly StuckVerdict[]
  readonly edges: readonly EdgeSeries[]
  readonly notOffered: readonly NotOffered[]
}

/** How often the series are written: well within PromQL's lookback of five minutes. */
export const DERIVED_EVERY_MS = 60_000

/** All values at a moment. Pure. */
export function derivedSeries(facts: DerivedFacts, nowMs: number): readonly DerivedValue[] {
  return [
    ...clusterValues(facts.clusters, nowMs),
    ...Array.from(facts.gone, ([cluster, { why }]): DerivedValue => {
      return { name: 'daytwo_cluster_gone', labels: { cluster, why: why.kind }, value: 1 }
    }),
    ...openUpgradeValues(facts.open, facts.verdicts, nowMs),
    ...edgeValues(facts.edges),
    ...facts.notOffered.map(({ cluster, version, offered, sinceMs }): DerivedValue => {
      const labels = { cluster, version, offered }
      return { name: 'daytwo_update_not_offered_seconds', labels, value: (nowMs - sinceMs) / 1000 }
    }),
  ]
}

export interface WrittenSeries {
  readonly labels: Labels
  readonly value: number
}

/** Converts values to samples. The previously written series decide which series end and which start. */
export interface DerivedSeriesState {
  /** The series written before the start of the process: counters continue from there, and missing series end. */
  restore(written: readonly WrittenSeries[]): void
  /** The samples of a moment. Label sets are the same objects each time. */
  next(values: readonly DerivedValue[], nowMs: number): readonly DerivedSample[]
}

/**
 * Counters never fall, although a fact may be corrected later (failed, then not): PromQL would read a fall as a reset and
 * count everything again. A counter that appears later than the first cycle starts at zero, so that its first increase is
 * visible.
 */
export function createDerivedSeriesState(): DerivedSeriesState {
  let written = new Map<string, WrittenSeries>()
  return {
    restore: (series) => {
      for (const one of series) {
        written.set(seriesText(one.labels.metricName, one.labels.dropMetricName().toObject()), one)
      }
    },
    next: (values, nowMs) => {
      const isFirst = written.size === 0
      const now = new Map<string, WrittenSeries>()
      for (const { name, labels: record, value, isCounter } of values) {
        const text = seriesText(name, record)
        const before = written.get(text)
        const born = isFirst ? value : 0
        const next = isCounter === true ? (before === undefined ? born : Math.max(before.value, value)) : value
        const labels = before?.labels ?? Labels.fromPairs([...Object.entries(record), [METRIC_NAME, name]])
        now.set(text, { labels, value: next })
      }
      const ended = [...written].filter(([key]) => !now.has(key))
      written = now
      return [
        ...[...now.values()].map(({ labels, value }) => ({ labels, timeMs: nowMs, value, isStale: false })),
        ...ended.map(([, { labels }]) => ({ labels, timeMs: nowMs, value: NaN, isStale: true })),
      ]
    },
  }
}

/** HOT: a fleet of 10,000 has 45,000 series a minute, nearly all known. Equal texts mean equal label sets, which are not made. */
function seriesText(name: string, labels: DerivedValue['labels']): string {
  let text: string = name
  for (const label of Object.keys(labels).sort()) {
    const value = labels[label]!
    if (value !== '') text += `\u0000${label}\u0000${value}`
  }
  return text
}
