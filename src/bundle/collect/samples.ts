import { messageOf } from '../../base/errors.ts'
import type { BundleCut, BundleQuery, QuerySamples } from '../content.ts'
import { cutOf } from '../limits.ts'
import { checkWaiting, type Part, type ReadContext, type ReadRange } from './context.ts'

const STEP_MS_MIN = 15_000

/** The step of the samples of a window: whole seconds. */
export function stepMsOf({ fromMs, toMs }: ReadContext['subject']['window'], pointsMax: number): number {
  return Math.max(STEP_MS_MIN, Math.ceil((toMs - fromMs) / (pointsMax - 1) / 1000) * 1000)
}

/** The samples of the queries of the subject. A query that fails has its failure as a warning. */
export async function readSamples(read: ReadRange, context: ReadContext): Promise<Part<QuerySamples>> {
  const { subject, limits, signal } = context
  const { fromMs, toMs } = subject.window
  const stepMs = stepMsOf(subject.window, limits.pointsMax)
  const items: QuerySamples[] = []
  const cuts: BundleCut[] = []
  let left = limits.samplesMax
  const take = async (query: BundleQuery): Promise<QuerySamples> => {
    const range = { expr: query.expr, startMs: fromMs, endMs: toMs, stepMs }
    const { series: all, warnings } = await read(range, signal)
    const found = all.filter(({ timesMs }) => timesMs.length > 0)
    const series: QuerySamples['series'][number][] = []
    for (const { labels, timesMs, values } of found.slice(0, limits.seriesMax)) {
      if (timesMs.length > left) break
      left -= timesMs.length
      const points = Array.from(timesMs, (ms, i) => [ms / 1000, valueOf(values[i]!)] as const)
      series.push({ labels: new Map(Object.entries(labels.toObject())), points })
    }
    cuts.push(...cutOf(`series of ${query.title}`, series.length, found.length))
    return { ...query, stepSeconds: stepMs / 1000, series, warnings }
  }
  for (const query of subject.queries.slice(0, limits.queriesMax)) {
    checkWaiting(context)
    try {
      items.push(await take(query))
    } catch (thrown) {
      if (signal?.aborted === true) throw thrown
      items.push({ ...query, stepSeconds: stepMs / 1000, series: [], warnings: [messageOf(thrown)] })
    }
  }
  return { items, cuts: [...cutOf('queries', items.length, subject.queries.length), ...cuts] }
}

/** As Prometheus writes it. */
function valueOf(value: number): string {
  if (Number.isFinite(value) || Number.isNaN(value)) return String(value)
  return value > 0 ? '+Inf' : '-Inf'
}
