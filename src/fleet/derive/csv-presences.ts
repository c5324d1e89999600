/** HCO's versions as OLM's metrics show them: from when a version's CSV was there, and what phases it was seen in. */
import type { MetricRun } from '../../model/observation.ts'
import type { ClusterHistory } from './cluster-history.ts'
import { groupBy } from '../../base/group-by.ts'
import { scrapeMoment, type Moment } from './moment.ts'

/** A version's CSV was there over a stretch of scrapes. A CSV of an old version that comes again is another one. */
export interface CsvPresence {
  readonly version: string
  readonly firstMs: number
  /** The scrape before, at which it was not there; `undefined`: the history begins with it. */
  readonly beforeMs: number | undefined
  readonly lastMs: number
  /** The scrape at which it was gone. */
  readonly afterMs: number | undefined
  readonly succeeded: Moment | undefined
  /** Stretches in one phase and reason, oldest first; phases shorter than a scrape may be missing. */
  readonly phases: readonly MetricRun[]
}

/** By their first scrape. */
export function csvPresences(history: ClusterHistory): readonly CsvPresence[] {
  const byVersion = groupBy(history.runs('csv_succeeded'), (run) => run.labels['version'] ?? '')
  const abnormal = history.runs('csv_abnormal')
  const presences = [...byVersion].flatMap(([version, runs]) => {
    const phases = abnormal.filter((run) => run.labels['version'] === version)
    return stretchesOf(runs).map((stretch) => presenceOf(version, stretch, phases))
  })
  return presences.sort((a, b) => a.firstMs - b.firstMs || (a.version < b.version ? -1 : 1))
}

/** Runs with no scrape between them. */
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
  const success = stretch.find(({ value }) => value === 1)
  return {
    version,
    firstMs,
    beforeMs,
    lastMs,
    afterMs,
    succeeded: success === undefined ? undefined : scrapeMoment(success.firstMs, success.beforeMs),
    phases: abnormal.filter((run) => run.firstMs >= firstMs && run.firstMs <= lastMs),
  }
}

/** The version that ran before a time: the last one that had succeeded by then. */
export function succeededBefore(history: ClusterHistory, timeMs: number): string | undefined {
  const before = history.runs('csv_succeeded').filter(({ value, firstMs }) => value === 1 && firstMs < timeMs)
  return before.reduce<MetricRun | undefined>(
    (last, run) =>
      last === undefined || run.lastMs > last.lastMs || (run.lastMs === last.lastMs && run.firstMs > last.firstMs)
        ? run
        : last,
    undefined,
  )?.labels['version']
}
