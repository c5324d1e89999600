/** One cluster's facts from what is kept of it: what the loop does at each beat, and the command line to look after it. */
import { deriveCluster } from './fleet/derive/derive-cluster.ts'
import { spanEvidenceOf } from './fleet/span-evidence.ts'
import { traceOf } from './fleet/trace.ts'
import { upgradeTraceId } from './fleet/trace-ids.ts'
import type { ClusterFacts, ObservationReader } from './model/fleet-facts.ts'
import type { DerivedTrace, Span } from './model/span.ts'
import { UPGRADE_SCOPE } from './model/upgrade-convention.ts'

/** What is kept of clusters, as far as facts are derived from it. */
export interface EvidenceReader {
  readonly observations: Pick<ObservationReader, 'read'>
  readonly spans: { upgradeSpans(cluster: string): Promise<readonly Span[]> }
}

export async function deriveFrom({ observations, spans }: EvidenceReader, cluster: string): Promise<ClusterFacts> {
  const [observed, told] = [await observations.read(cluster), await spans.upgradeSpans(cluster)]
  return deriveCluster({ ...observed, spans: spanEvidenceOf(told).get(cluster) ?? [] })
}

/** Traces of a cluster's upgrades that have to be written: those that are different, and empty ones for what is gone. */
export function changedTraces(before: ClusterFacts | undefined, after: ClusterFacts): readonly DerivedTrace[] {
  const written = new Map((before?.upgrades ?? []).map((record) => [upgradeTraceId(record), JSON.stringify(record)]))
  const traces = after.upgrades.map((record) => [upgradeTraceId(record), record] as const)
  const present = new Set(traces.map(([traceId]) => traceId))
  const isRenamed = JSON.stringify(before?.cluster.aliases) !== JSON.stringify(after.cluster.aliases)
  const gone = [...written.keys()].filter((traceId) => !present.has(traceId))
  return [
    ...traces
      .filter(([traceId, record]) => isRenamed || written.get(traceId) !== JSON.stringify(record))
      .map(([traceId, record]) => ({ traceId, scope: UPGRADE_SCOPE, spans: traceOf(record, after.cluster) })),
    ...gone.map((traceId) => ({ traceId, scope: UPGRADE_SCOPE, spans: [] })),
  ]
}
