/**
 * Daytwo's own metrics as series in its own store: what its alerts about itself are evaluated on, and what can be asked
 * after the fact. Counters and gauges only; those of the process, and how long things took, stand in `/metrics`.
 */
import type { OwnMetrics } from '../base/metrics.ts'
import type { DerivedSample } from '../model/appender.ts'
import { Labels, METRIC_NAME } from '../model/labels.ts'

/** Half of what a rate over a minute needs. */
export const OWN_SERIES_EVERY_MS = 30_000

const NAME_PREFIX = 'daytwo_'

/** @param instance which server this is, as a scrape would name it: `host:port` */
export async function ownSeries(metrics: OwnMetrics, instance: string, nowMs: number): Promise<DerivedSample[]> {
  const all = await metrics.registry.getMetricsAsJSON()
  // The types of prom-client name the kind by a number, and the values are texts.
  const kept = all.filter(({ name, type }) => name.startsWith(NAME_PREFIX) && KINDS.has(String(type)))
  return kept.flatMap(({ name, values }) =>
    values.map(({ labels, value }) => ({
      labels: Labels.fromPairs([
        ...Object.entries(labels).map(([label, text]) => [label, String(text)] as const),
        ['instance', instance],
        ['job', 'daytwo'],
        [METRIC_NAME, name],
      ]),
      timeMs: nowMs,
      value,
      isStale: false,
    })),
  )
}

const KINDS: ReadonlySet<string> = new Set(['counter', 'gauge'])
