/** The series of facts of which only the present is stored: the current values, and the samples to write. */
import { mapInSteps, type Steps } from '../../base/thread-slices.ts'
import type { DerivedSample } from '../../model/appender.ts'
import { Labels, METRIC_NAME } from '../../model/labels.ts'
import type { ClusterSilence } from '../../model/cluster-silence.ts'
import type { ClusterRecord } from '../../model/cluster-record.ts'
import type { Gone } from '../clusters/gone.ts'
import type { OpenUpgrade } from '../clusters/cluster-states.ts'
import { clusterValues } from './derived-clusters.ts'
import type { DerivedValue } from './derived-metrics.ts'
import type { NotOffered } from '../edges/not-offered.ts'
import type { ClusterReadiness } from '../readiness/readiness-index.ts'
import { readinessValues } from './derived-readiness.ts'

export interface DerivedFacts {
  /** Clusters that are not gone. */
  readonly clusters: Iterable<ClusterRecord>
  readonly gone: ReadonlyMap<string, Gone>
  /** Upgrades in progress, and finished ones with VMs left to update. */
  readonly open: readonly OpenUpgrade[]
  readonly notOffered: readonly NotOffered[]
  /** For the next minor version of HCO, of clusters that are not gone. */
  readonly readiness?: Iterable<ClusterReadiness>
  /** By cluster, also of clusters that are gone. */
  readonly silent?: ReadonlyMap<string, ClusterSilence>
  /** Of JSON patches. */
  readonly patches: readonly DerivedValue[]
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
    ...readinessValues(facts.readiness ?? [], nowMs),
    ...stuckValues(facts.open),
    ...silenceValues(facts, nowMs),
    ...facts.patches,
    ...facts.notOffered.map(({ cluster, version, offered, sinceMs }): DerivedValue => {
      const labels = { cluster, version, offered }
      return { name: 'daytwo_update_not_offered_seconds', labels, value: (nowMs - sinceMs) / 1000 }
    }),
  ]
}

function silenceValues({ silent = new Map(), gone }: DerivedFacts, nowMs: number): readonly DerivedValue[] {
  return Array.from(silent).flatMap(([cluster, { cause, sinceMs }]): DerivedValue[] => {
    if (gone.has(cluster)) return []
    const value = Math.max(0, nowMs - sinceMs) / 1000
    return [{ name: 'daytwo_cluster_silence_seconds', labels: { cluster, cause }, value }]
  })
}

function stuckValues(open: readonly OpenUpgrade[]): readonly DerivedValue[] {
  return open.flatMap(({ record: { upgrade }, verdict }): DerivedValue[] => {
    if (!verdict.isStuck) return []
    const { cluster, operator, from = '', to } = upgrade
    const labels = {
      cluster,
      operator,
      from,
      to,
      phase: verdict.phase ?? '',
      cause: verdict.causes[0]?.cause ?? 'unknown',
    }
    return [{ name: 'daytwo_upgrade_stuck', labels, value: 1 }]
  })
}

export interface WrittenSeries {
  readonly labels: Labels
}

/** Converts values to samples. The previously written series decide which series end. */
export interface DerivedSeriesState {
  /** The series written before the start of the process: missing series end. */
  restore(written: readonly WrittenSeries[]): void
  /** The samples of a moment. Label sets are the same objects each time. */
  next(values: readonly DerivedValue[], nowMs: number): Steps<readonly DerivedSample[]>
}

export function createDerivedSeriesState(): DerivedSeriesState {
  let written = new Map<string, Labels>()
  return {
    restore: (series) => {
      for (const { labels } of series) {
        written.set(seriesText(labels.metricName, labels.dropMetricName().toObject()), labels)
      }
    },
    next: function* (values, nowMs) {
      const now = new Map<string, Labels>()
      const samples = yield* mapInSteps(values, ({ name, labels: record, value }): DerivedSample => {
        const text = seriesText(name, record)
        const labels = written.get(text) ?? Labels.fromPairs([...Object.entries(record), [METRIC_NAME, name]])
        now.set(text, labels)
        return { labels, timeMs: nowMs, value, isStale: false }
      })
      const ended = [...written].filter(([key]) => !now.has(key))
      written = now
      return [...samples, ...ended.map(([, labels]) => ({ labels, timeMs: nowMs, value: NaN, isStale: true }))]
    },
  }
}

/** HOT: a fleet of 10,000 has as many series a minute, nearly all known. Equal texts mean equal label sets, which are not made. */
function seriesText(name: string, labels: DerivedValue['labels']): string {
  let text: string = name
  for (const label of Object.keys(labels).sort()) {
    const value = labels[label]!
    if (value !== '') text += `\u0000${label}\u0000${value}`
  }
  return text
}
