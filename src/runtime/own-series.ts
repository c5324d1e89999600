/**
 * Daytwo's own metrics as series in its own store, for alerts about the server itself and for later queries. Counters
 * and gauges only; histograms and metrics of the process are available only at `/metrics`.
 */
import { ownMetricNames, type OwnMetrics } from '../base/metrics.ts'
import type { DerivedSample } from '../model/appender.ts'
import { Labels, METRIC_NAME } from '../model/labels.ts'

/** Gives a rate over one minute its two samples. */
export const OWN_SERIES_EVERY_MS = 30_000

/** @param instance the server as a scrape names it: `host:port` */
export async function ownSeries(metrics: OwnMetrics, instance: string, nowMs: number): Promise<DerivedSample[]> {
  const names = new Set(ownMetricNames(metrics))
  const all = await metrics.registry.getMetricsAsJSON()
  return all
    .filter(({ name }) => names.has(name))
    .flatMap(({ name, values }) =>
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
