import { fleetReaderOf } from '../../src/api/fleet/reader.ts'
import type { FleetReader } from '../../src/fleet/fleet-reader.ts'
import { Labels } from '../../src/model/labels.ts'
import { createLocalEngine } from '../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../src/promql/engine-options.ts'
import { MemoryQueryable } from '../support/memory-queryable.ts'

/** A small language for what clusters sent: series with values from one minute to another, counted back from now. */
export const NOW_MS = Date.parse('2026-08-20T10:00:00Z')
export const MINUTE_MS = 60_000

export interface Sent {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** Minutes before now, the older first. A stale marker follows the last sample unless it is now. */
  readonly fromMin: number
  readonly toMin?: number
  readonly value?: number
  readonly everySeconds?: number
}

export interface Fleet {
  readonly reader: FleetReader
  readonly queryable: MemoryQueryable
}

/** A reader over what was sent, with the real engine between. */
export function fleetOf(sent: readonly Sent[]): Fleet {
  const queryable = new MemoryQueryable()
  for (const { name, labels, fromMin, toMin = 0, value = 1, everySeconds = 30 } of sent) {
    const identity = Labels.of({ __name__: name, ...labels })
    const endMs = NOW_MS - toMin * MINUTE_MS
    let atMs = NOW_MS - fromMin * MINUTE_MS
    for (; atMs <= endMs; atMs += everySeconds * 1000) queryable.append(identity, atMs, value)
    if (toMin > 0) queryable.appendStale(identity, atMs)
  }
  const engine = createLocalEngine({ queryable, options: DEFAULT_ENGINE_OPTIONS, nowMs: () => NOW_MS })
  return { reader: fleetReaderOf(engine), queryable }
}

type Span = readonly [fromMin: number, toMin?: number]

export const csvName = (version: string) => `kubevirt-hyperconverged-operator.v${version}`

export function csvSucceeded(cluster: string, version: string, value: 0 | 1, [fromMin, toMin = 0]: Span): Sent {
  const labels = {
    cluster,
    name: csvName(version),
    version,
    exported_namespace: 'kubevirt-hyperconverged',
    namespace: 'olm',
  }
  return { name: 'csv_succeeded', labels, fromMin, toMin, value }
}

export function up(cluster: string, [fromMin, toMin = 0]: Span): Sent {
  return { name: 'up', labels: { cluster, job: 'kubevirt' }, fromMin, toMin }
}

/** The same from both Prometheus replicas. */
export function twice(sent: readonly Sent[]): Sent[] {
  return ['prometheus-k8s-0', 'prometheus-k8s-1'].flatMap((replica) =>
    sent.map((one) => ({
      ...one,
      labels: { ...one.labels, prometheus: 'openshift-monitoring/k8s', prometheus_replica: replica },
    })),
  )
}
