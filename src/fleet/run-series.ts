/**
 * Texts of the series of runs. Labels never change, and all runs of a series share one label object, so each text is computed
 * once per series instead of once per run.
 */
import type { MetricRun } from '../model/observation.ts'

type RunLabels = MetricRun['labels']

const texts = new WeakMap<RunLabels, string>()

/** One text per label set. */
export function labelsText(labels: RunLabels): string {
  let text = texts.get(labels)
  if (text === undefined) {
    text = JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)))
    texts.set(labels, text)
  }
  return text
}

interface SeriesKey {
  readonly signal: MetricRun['signal']
  readonly key: string
}

/** Of the signal that the labels were last used with: almost always the only one. */
const keys = new WeakMap<RunLabels, SeriesKey>()

/** The key of a run's series. */
export function runSeriesKey({ signal, labels }: Pick<MetricRun, 'signal' | 'labels'>): string {
  const known = keys.get(labels)
  if (known?.signal === signal) return known.key
  const key = `${signal} ${labelsText(labels)}`
  keys.set(labels, { signal, key })
  return key
}

/** By signal, labels and start. */
export function compareRuns(a: MetricRun, b: MetricRun): number {
  if (a.signal !== b.signal) return a.signal < b.signal ? -1 : 1
  if (a.labels === b.labels) return a.firstMs - b.firstMs
  const [left, right] = [labelsText(a.labels), labelsText(b.labels)]
  return left === right ? a.firstMs - b.firstMs : left < right ? -1 : 1
}
