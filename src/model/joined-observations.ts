/** The observations of one cluster that are stored under two names. Pure. */
import type { ClusterObservations, MetricRun } from './observation.ts'

type Part = Pick<ClusterObservations, 'cluster' | 'objectsLastSeenMs' | 'objects' | 'absences' | 'metrics'>

export function joinObservations<P extends Part>(one: P, other: P): P {
  const lastSeenMs = Math.max(one.objectsLastSeenMs ?? -Infinity, other.objectsLastSeenMs ?? -Infinity)
  return {
    ...one,
    ...(lastSeenMs === -Infinity ? {} : { objectsLastSeenMs: lastSeenMs }),
    objects: [...one.objects, ...other.objects],
    absences: [...one.absences, ...other.absences],
    metrics: joinParts(one.metrics, other.metrics),
  }
}

/** An open run that did not grow for longer is over: `lastMs` of one that is current is up to an hour old. */
const OVER_AFTER_MS = 2 * 60 * 60_000

/**
 * When a name is joined, its series end and go on under the other name. Nothing of a signal is scraped under the old name
 * then, so its runs stay open: they end where those of the other name begin, or continue when these have the same value.
 */
function joinParts(one: readonly MetricRun[], other: readonly MetricRun[]): readonly MetricRun[] {
  if (one.length === 0 || other.length === 0) return one.length === 0 ? other : one
  const [inOne, inOther] = [spansOf(one), spansOf(other)]
  const part = (runs: readonly MetricRun[], own: Spans, others: Spans): readonly MetricRun[] =>
    runs.map((run) => begun(ended(run, own, others), others))
  return [...part(one, inOne, inOther), ...part(other, inOther, inOne)]
}

/** By signal: the starts of runs, in order, and the newest sample that is known. */
type Spans = ReadonlyMap<string, { readonly startsMs: readonly number[]; readonly newestMs: number }>

function spansOf(runs: readonly MetricRun[]): Spans {
  const spans = new Map<string, { startsMs: number[]; newestMs: number }>()
  for (const { signal, firstMs, lastMs, afterMs = -Infinity } of runs) {
    const span = spans.get(signal) ?? { startsMs: [], newestMs: -Infinity }
    span.startsMs.push(firstMs)
    span.newestMs = Math.max(span.newestMs, lastMs, afterMs)
    spans.set(signal, span)
  }
  for (const { startsMs } of spans.values()) startsMs.sort((a, b) => a - b)
  return spans
}

function ended(run: MetricRun, own: Spans, others: Spans): MetricRun {
  const next = others.get(run.signal)
  if (run.afterMs !== undefined || next === undefined) return run
  const lastMs = own.get(run.signal)!.newestMs
  if (next.startsMs[0]! <= lastMs && next.newestMs - lastMs <= OVER_AFTER_MS) return run
  const afterMs = next.startsMs.find((startMs) => startMs > lastMs) ?? next.newestMs
  return afterMs > lastMs ? { ...run, lastMs, afterMs } : run
}

/** A run with which one part begins while the other part has ended. */
function begun(run: MetricRun, others: Spans): MetricRun {
  const before = others.get(run.signal)
  const isFirst = run.beforeMs === undefined && before !== undefined && before.newestMs < run.firstMs
  return isFirst ? { ...run, beforeMs: before.newestMs } : run
}
