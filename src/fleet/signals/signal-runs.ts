/**
 * From the series of one group of one cluster to runs of its signals. Pure; depends only on the set of samples, not on the
 * order of their arrival. `MetricRun` defines a run; this file decides:
 *
 * - A series is gone at its stale marker, or else at the first scrape of its group without it, once it was missed for
 *   `MISSED_MS`. A gap of the whole group has no meaning: a run continues over it.
 * - Series of one meaning (overlapping operator pods) are one: the largest value, or their number.
 * - Targets of one group are scraped one after the other. A change at a scrape may have happened since the group's previous
 *   round, so `beforeMs` is the oldest of the other targets' last scrapes.
 * - `lastMs` of an open run is rounded down to `SETTLED_EVERY_MS`: else each scrape of the fleet would change every
 *   cluster's record. The newest sample says how fresh a cluster is.
 */
import type { MetricRun } from '../../model/observation.ts'
import type { ScrapeRun, SignalSeries } from '../../model/signal-samples.ts'
import { groupBy } from '../../base/group-by.ts'
import { runSeriesKey } from '../run-series.ts'
import { Instants, lastUpTo, MISSED_MS, mergeReplicas, stretchesOf } from './scrapes.ts'

/** The runs of all samples of a group's series. @param stored of times before these */
export function runsOfSamples(
  cluster: string,
  series: readonly SignalSeries[],
  stored: readonly MetricRun[],
): readonly MetricRun[] {
  return signalRunsOf(cluster, series, stored, -Infinity, true).runs
}

export const SETTLED_EVERY_MS = 60 * 60_000

type Draft = { -readonly [K in keyof MetricRun]: MetricRun[K] }

/** The state of all series of one meaning. */
interface Output {
  readonly series: SignalSeries
  readonly live: Map<number, number>
  run: Draft | undefined
  /** Since when it has its value, or is missing. */
  sinceMs: number
}

/** A series starts, changes its value, or is gone (`undefined`). */
interface Step {
  readonly atMs: number
  readonly input: number
  readonly value: number | undefined
}

export interface SignalEvaluation {
  /** In no order; stored runs that stay as they are are the same objects. */
  readonly runs: readonly MetricRun[]
  /** The stored runs do not match the samples at their end: all samples have to be read again. */
  readonly isTorn: boolean
}

/**
 * @param series all samples from `MISSED_MS` before `fromMs` on
 * @param fromMs the time of a sample of the group, up to which `stored` is valid; or the start of all samples
 * @param stored the stored runs of the group
 * @param isAnew only runs up to the first sample are taken from `stored`
 */
export function signalRunsOf(
  cluster: string,
  series: readonly SignalSeries[],
  stored: readonly MetricRun[],
  fromMs: number,
  isAnew: boolean,
): SignalEvaluation {
  const instants = new Instants(series.map(({ runs }) => runs))
  const newestMs = instants.upTo(Infinity)
  const startMs = isAnew ? instants.from(-Infinity) : fromMs
  if (newestMs === undefined || startMs === undefined) return { runs: stored, isTorn: false }
  const inputs = inputsOf(series)
  const outputs = new Map<string, Output>()
  const outputOf = (one: SignalSeries): Output => {
    const key = runSeriesKey(one)
    let output = outputs.get(key)
    if (output === undefined)
      outputs.set(key, (output = { series: one, live: new Map(), run: undefined, sinceMs: -Infinity }))
    return output
  }
  const steps = inputs.flatMap((one, input) => stepsOf(one, input, instants, newestMs))
  steps.sort((a, b) => a.atMs - b.atMs || a.input - b.input)

  let next = 0
  const apply = (untilMs: number): Set<Output> => {
    const touched = new Set<Output>()
    for (; next < steps.length && steps[next]!.atMs <= untilMs; next++) {
      const { input, value } = steps[next]!
      const output = outputOf(inputs[input]!.series)
      if (value === undefined) output.live.delete(input)
      else output.live.set(input, value)
      touched.add(output)
    }
    return touched
  }
  apply(startMs)
  const done: Draft[] = []
  // After a gap the series before it are unknown: they are further back than the samples read.
  const isAfterSilence = !isAnew && !((instants.before(startMs) ?? -Infinity) >= startMs - MISSED_MS)
  let isTorn = begin(cluster, stored, startMs, isAnew, outputOf, outputs, done)

  while (next < steps.length) {
    const atMs = steps[next]!.atMs
    const lastMs = instants.before(atMs)
    let roundMs: number | undefined
    const since = (): number => (roundMs ??= roundBefore(inputs, outputs, atMs, lastMs!))
    // Before the steps are applied: the round is that of the targets until then.
    const beforeMs = lastMs === undefined ? undefined : since()
    for (const output of apply(atMs)) {
      const value = valueOf(output)
      if (value === output.run?.value) continue
      if (output.run !== undefined) done.push({ ...output.run, lastMs: lastMs!, afterMs: atMs })
      const sinceMs = output.sinceMs
      output.sinceMs = atMs
      output.run = undefined
      if (value === undefined) continue
      output.run = draftOf(cluster, output.series, value, atMs)
      if (beforeMs !== undefined) output.run.beforeMs = Math.max(beforeMs, sinceMs)
    }
  }
  const settledMs = instants.upTo(Math.floor(newestMs / SETTLED_EVERY_MS) * SETTLED_EVERY_MS)
  for (const { run } of outputs.values()) {
    if (run !== undefined) done.push({ ...run, lastMs: Math.max(run.firstMs, settledMs ?? -Infinity) })
  }
  if (isAfterSilence || done.some(({ firstMs, lastMs }) => lastMs < firstMs)) isTorn = true
  return { runs: done, isTorn }
}

/**
 * Continues the stored runs: ended runs stay, runs that are open at `startMs` are continued.
 * True when stored runs and samples do not match.
 */
function begin(
  cluster: string,
  stored: readonly MetricRun[],
  startMs: number,
  isAnew: boolean,
  outputOf: (series: SignalSeries) => Output,
  outputs: ReadonlyMap<string, Output>,
  done: Draft[],
): boolean {
  let isTorn = false
  const goneMs = new Map<string, number>()
  let knownMs = -Infinity
  for (const run of stored) {
    const { firstMs, lastMs } = run
    if (firstMs > startMs) continue
    // Of one that continues over the start, only its own start was surely scraped before.
    if (firstMs < startMs) knownMs = Math.max(knownMs, lastMs < startMs ? lastMs : firstMs)
    const key = runSeriesKey(run)
    if ((run.afterMs ?? Infinity) <= startMs) {
      done.push(run)
      goneMs.set(key, Math.max(goneMs.get(key) ?? -Infinity, run.afterMs!))
      continue
    }
    const output = outputs.get(key)
    if (output !== undefined && valueOf(output) === run.value && output.run === undefined) {
      output.run = withoutEnd(run)
      output.sinceMs = firstMs
    } else if (!isAnew) isTorn = true
    else if (firstMs < startMs) done.push({ ...run, lastMs: Math.min(lastMs, startMs - 1), afterMs: startMs })
  }
  for (const [key, output] of outputs) {
    if (output.run === undefined) output.sinceMs = goneMs.get(key) ?? -Infinity
    const value = valueOf(outputOf(output.series))
    if (value === undefined || output.run !== undefined) continue
    if (!isAnew) isTorn = true
    output.run = draftOf(cluster, output.series, value, startMs)
    output.sinceMs = startMs
    if (isAnew && knownMs > -Infinity) output.run.beforeMs = knownMs
  }
  return isTorn
}

function withoutEnd({ cluster, signal, labels, value, firstMs, lastMs, beforeMs }: MetricRun): Draft {
  return { cluster, signal, labels, value, firstMs, lastMs, ...(beforeMs === undefined ? {} : { beforeMs }) }
}

interface Input {
  readonly series: SignalSeries
  readonly runs: readonly ScrapeRun[]
  /** Without stale markers. */
  readonly samples: readonly ScrapeRun[]
  readonly aliveUntilMs: number
}

function inputsOf(series: readonly SignalSeries[]): readonly Input[] {
  return [...groupBy(series, ({ identity }) => identity).values()].map((same) => {
    const runs = mergeReplicas(same.map(({ runs }) => runs))
    const aliveUntilMs = same.reduce((newest, one) => Math.max(newest, one.aliveUntilMs ?? -Infinity), -Infinity)
    return { series: same[0]!, runs, samples: runs.filter(({ isStale }) => !isStale), aliveUntilMs }
  })
}

function stepsOf({ runs, aliveUntilMs }: Input, input: number, instants: Instants, newestMs: number): Step[] {
  const stretches = stretchesOf(runs)
  return stretches.flatMap(({ firstMs, lastMs, value, staleMs }, i) => {
    const step: Step = { atMs: firstMs, input, value }
    const nextMs = stretches[i + 1]?.firstMs ?? newestMs + 1
    const isLast = i === stretches.length - 1
    const knownMs = isLast ? Math.max(lastMs, aliveUntilMs) : lastMs
    const goneMs = staleMs === undefined ? missedAt(lastMs, knownMs, nextMs, instants) : instants.from(staleMs)
    return goneMs === undefined || goneMs >= nextMs ? [step] : [step, { atMs: goneMs, input, value: undefined }]
  })
}

/** The first scrape without the series, if the series was missed for `MISSED_MS`. @param knownMs it was not missed until then */
function missedAt(lastMs: number, knownMs: number, nextMs: number, instants: Instants): number | undefined {
  const witnessMs = instants.after(knownMs + MISSED_MS)
  return witnessMs === undefined || witnessMs >= nextMs ? undefined : instants.after(lastMs)
}

/** The start of the previous round: since then all live targets were scraped. */
function roundBefore(
  inputs: readonly Input[],
  outputs: ReadonlyMap<string, Output>,
  atMs: number,
  lastMs: number,
): number {
  let oldestMs = lastMs
  for (const { live } of outputs.values()) {
    for (const input of live.keys()) oldestMs = Math.min(oldestMs, lastUpTo(inputs[input]!.samples, atMs - 1) ?? lastMs)
  }
  return oldestMs
}

function valueOf({ series, live }: Output): number | undefined {
  if (live.size === 0) return undefined
  return series.combine === 'count' ? live.size : Math.max(...live.values())
}

function draftOf(cluster: string, { signal, labels }: SignalSeries, value: number, firstMs: number): Draft {
  return { cluster, signal, labels, value, firstMs, lastMs: firstMs }
}
