/** HCO's versions according to OLM's metrics: when the CSV of a version existed, and its phases. */
import type { MetricRun } from '../../model/observation.ts'
import type { ClusterHistory } from './cluster-history.ts'
import { groupBy } from '../../base/group-by.ts'
import { isBeingReplaced } from './csv-path.ts'
import { endOfRun } from './metric-series.ts'
import { runMoment, type Moment } from './moment.ts'

/** The CSV of a version existed over a stretch of scrapes. A CSV of an earlier version that is created again is another one. */
export interface CsvPresence {
  readonly version: string
  readonly firstMs: number
  /** The previous scrape, without it; `undefined`: the history begins with it. */
  readonly beforeMs: number | undefined
  readonly lastMs: number
  /** The first scrape without it. */
  readonly afterMs: number | undefined
  readonly succeeded: Moment | undefined
  /** When OLM started to install it; `undefined`: it waits in Pending, or nothing of it is reported. */
  readonly begunMs: number | undefined
  /** Runs of one phase and reason, oldest first; phases shorter than a scrape may be missing. */
  readonly phases: readonly MetricRun[]
}

/** By their first scrape. */
export function csvPresences(history: ClusterHistory): readonly CsvPresence[] {
  const byVersion = groupBy(history.runs('csv_succeeded'), (run) => run.labels['version'] ?? '')
  const abnormal = history.runs('csv_abnormal')
  const presences = [...byVersion].flatMap(([version, runs]) => {
    const phases = abnormal.filter((run) => run.labels['version'] === version)
    const renewals = renewalsOf(runs, phases)
    const parts = [undefined, ...renewals].map((from, i) => partOf(runs, from, renewals[i]))
    return parts.flatMap(stretchesOf).map((stretch) => presenceOf(version, stretch, phases))
  })
  return presences.sort((a, b) => a.firstMs - b.firstMs || (a.version < b.version ? -1 : 1))
}

/** The CSV of a version was replaced by another one of the same version, and no scrape lies between them. */
interface Renewal {
  /** The last scrape of the old one. */
  readonly beforeMs: number
  /** The first scrape of the new one. */
  readonly atMs: number
}

/** OLM only deletes a CSV that is being replaced: with any other phase after that, it was created again. */
function renewalsOf(runs: readonly MetricRun[], phases: readonly MetricRun[]): readonly Renewal[] {
  const steps = [...phases, ...runs.filter(({ value }) => value === 1)].sort((a, b) => a.firstMs - b.firstMs)
  return steps.flatMap((step, i) => {
    const before = steps[i - 1]
    if (before === undefined || !isLeaving(before) || isLeaving(step)) return []
    return (before.afterMs ?? Infinity) <= step.firstMs ? [{ beforeMs: before.lastMs, atMs: step.firstMs }] : []
  })
}

function isLeaving({ labels }: MetricRun): boolean {
  return isBeingReplaced(labels['phase'] ?? '')
}

/** What the runs contain of one CSV: `csv_succeeded` of two may be one run. */
function partOf(runs: readonly MetricRun[], from: Renewal | undefined, to: Renewal | undefined): readonly MetricRun[] {
  const isPart = ({ firstMs, afterMs }: MetricRun): boolean =>
    firstMs < (to?.atMs ?? Infinity) && (afterMs ?? Infinity) > (from?.atMs ?? -Infinity)
  return runs.filter(isPart).map((run) => ({
    ...run,
    ...(from !== undefined &&
      run.firstMs < from.atMs && {
        beforeMs: from.beforeMs,
        firstMs: from.atMs,
        lastMs: Math.max(run.lastMs, from.atMs),
      }),
    ...(to !== undefined && (run.afterMs ?? Infinity) > to.atMs && { lastMs: to.beforeMs, afterMs: to.atMs }),
  }))
}

function stretchesOf(runs: readonly MetricRun[]): readonly (readonly MetricRun[])[] {
  const stretches: MetricRun[][] = []
  let lastMs: number | undefined
  for (const run of runs) {
    const isNext = lastMs !== undefined && (run.beforeMs === undefined || run.beforeMs <= lastMs)
    if (isNext) stretches.at(-1)!.push(run)
    else stretches.push([run])
    lastMs = Math.max(lastMs ?? -Infinity, run.lastMs)
  }
  return stretches
}

function presenceOf(version: string, stretch: readonly MetricRun[], abnormal: readonly MetricRun[]): CsvPresence {
  const { firstMs, beforeMs } = stretch[0]!
  const { lastMs, afterMs } = stretch.reduce((last, run) => (run.lastMs > last.lastMs ? run : last))
  const phases = abnormal.filter((run) => run.firstMs >= firstMs && run.firstMs < (afterMs ?? Infinity))
  const succeeded = runMoment(stretch.find(({ value }) => value === 1))
  return {
    version,
    firstMs,
    beforeMs,
    lastMs,
    afterMs,
    succeeded,
    begunMs: begunMs(firstMs, phases, succeeded),
    phases,
  }
}

/** OLM holds a CSV in Pending until the installed operator can be upgraded: the previous upgrade continues meanwhile. */
function begunMs(firstMs: number, phases: readonly MetricRun[], succeeded: Moment | undefined): number | undefined {
  const installing = phases.find((run) => ['InstallReady', 'Installing', 'Failed'].includes(run.labels['phase'] ?? ''))
  const knownMs = Math.min(installing?.firstMs ?? Infinity, succeeded?.atMs ?? Infinity)
  if (knownMs === Infinity) return undefined
  const pending = phases.filter((run) => isPending(run) && run.firstMs < knownMs)
  // Pending was shorter than a scrape, or only `csv_succeeded` is sent.
  if (pending.length === 0) return firstMs
  return Math.min(knownMs, Math.max(...pending.map(({ afterMs }) => afterMs ?? Infinity)))
}

export function isPending({ labels }: MetricRun): boolean {
  return labels['phase'] === 'Pending'
}

/** The version that ran before a time: the last one whose CSV had succeeded. */
export function succeededBefore(history: ClusterHistory, timeMs: number): string | undefined {
  const before = history.runs('csv_succeeded').filter(({ value, firstMs }) => value === 1 && firstMs < timeMs)
  const untilMs = (run: MetricRun): number => Math.min(timeMs, endOfRun(run))
  return before.reduce<MetricRun | undefined>(
    (last, run) =>
      last === undefined ||
      untilMs(run) > untilMs(last) ||
      (untilMs(run) === untilMs(last) && run.firstMs > last.firstMs)
        ? run
        : last,
    undefined,
  )?.labels['version']
}
