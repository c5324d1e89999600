/** From the fleet's facts to series of this server's own: what there is now, and the samples that say so. */
import type { DerivedSample } from '../../model/appender.ts'
import { Labels, METRIC_NAME } from '../../model/labels.ts'
import type { StuckVerdict } from '../../model/stuck.ts'
import type { UpgradeRecord } from '../../model/upgrade.ts'
import { clusterValues } from './derived-clusters.ts'
import type { ClusterWithCounts } from './derived-clusters.ts'
import type { DerivedValue } from './derived-metrics.ts'
import { edgeValues, openUpgradeValues } from './derived-upgrades.ts'
import type { EdgeSeries } from './derived-upgrades.ts'
import type { Gone } from '../clusters/gone.ts'
import type { NotOffered } from '../edges/not-offered.ts'

export interface DerivedFacts {
  /** Those that are not gone. */
  readonly clusters: Iterable<ClusterWithCounts>
  readonly gone: ReadonlyMap<string, Gone>
  /** Upgrades that run, and those whose machines still follow. */
  readonly open: readonly UpgradeRecord[]
  readonly verdicts: readonly StuckVerdict[]
  readonly edges: readonly EdgeSeries[]
  readonly notOffered: readonly NotOffered[]
}

/** How often they are written: well within the five minutes that a query looks back. */
export const DERIVED_EVERY_MS = 60_000

/** All values at a time. Pure. */
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

/** A series as it was written last. */
export interface WrittenSeries {
  readonly labels: Labels
  readonly value: number
}

/** From values to samples: what was written before decides what ends and what is born. */
export interface DerivedSeriesState {
  /** What was written before this process began: counters go on from there, and what is gone ends. */
  restore(written: readonly WrittenSeries[]): void
  /** The samples of a time. Label sets are the same objects each time. */
  next(values: readonly DerivedValue[], nowMs: number): readonly DerivedSample[]
}

/**
 * Counters never fall, though a fact may be told otherwise later (failed, then taken back): a fall would be read as a
 * new beginning, and all of it counted again. A counter that appears while others are known is born at zero, so that its
 * first rise is seen.
 */
export function createDerivedSeriesState(): DerivedSeriesState {
  let written = new Map<string, WrittenSeries>()
  return {
    restore: (series) => {
      for (const one of series) written.set(one.labels.key, one)
    },
    next: (values, nowMs) => {
      const isFirst = written.size === 0
      const now = new Map<string, WrittenSeries>()
      for (const { name, labels: record, value, isCounter } of values) {
        const fresh = Labels.fromPairs([...Object.entries(record), [METRIC_NAME, name]])
        const before = written.get(fresh.key)
        const born = isFirst ? value : 0
        const kept = isCounter === true ? (before === undefined ? born : Math.max(before.value, value)) : value
        now.set(fresh.key, { labels: before?.labels ?? fresh, value: kept })
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
