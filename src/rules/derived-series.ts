/** The series that rules write: the samples that an evaluation adds, and the stale markers of series that end. */
import type { DerivedSample } from '../model/appender.ts'
import { METRIC_NAME, type Labels } from '../model/labels.ts'
import type { AlertPhase } from './alert-state.ts'

/** Prometheus' names, which karma and Grafana query. */
export const ALERTS_METRIC = 'ALERTS'
export const ALERTS_FOR_STATE_METRIC = 'ALERTS_FOR_STATE'
const ALERT_STATE_LABEL = 'alertstate'

/** Label sets by their key. */
export type SeriesSet = ReadonlyMap<string, Labels>

export function seriesSetOf(samples: readonly DerivedSample[]): SeriesSet {
  return new Map(samples.map(({ labels }) => [labels.key, labels]))
}

/** A stale marker for each series of the previous evaluation that this evaluation does not write. */
export function staleMarkers(before: SeriesSet, now: SeriesSet, timeMs: number): DerivedSample[] {
  return [...before.values()]
    .filter((labels) => !now.has(labels.key))
    .map((labels) => ({ labels, timeMs, value: NaN, isStale: true }))
}

/** `ALERTS` (1) and `ALERTS_FOR_STATE` (active since, in seconds) of one alert; nothing for a resolved alert. */
export function alertSamples(labels: Labels, phase: AlertPhase, timeMs: number): DerivedSample[] {
  if (phase.state === 'resolved') return []
  const series = alertSeries(labels)
  const sinceSeconds = Math.trunc(phase.activeAtMs / 1000)
  return [
    { labels: series[phase.state], timeMs, value: 1, isStale: false },
    { labels: series.forState, timeMs, value: sinceSeconds, isStale: false },
  ]
}

interface AlertSeries {
  readonly pending: Labels
  readonly firing: Labels
  readonly forState: Labels
}

/** Written at each evaluation while the alert is active, so the label sets are created once. */
const seriesOfAlerts = new WeakMap<Labels, AlertSeries>()

function alertSeries(labels: Labels): AlertSeries {
  let series = seriesOfAlerts.get(labels)
  if (series === undefined) {
    const alerts = labels.with(METRIC_NAME, ALERTS_METRIC)
    series = {
      pending: alerts.with(ALERT_STATE_LABEL, 'pending'),
      firing: alerts.with(ALERT_STATE_LABEL, 'firing'),
      forState: labels.with(METRIC_NAME, ALERTS_FOR_STATE_METRIC),
    }
    seriesOfAlerts.set(labels, series)
  }
  return series
}
