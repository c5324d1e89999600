import type { AlertRun } from '../../contract/alert-history.ts'

/** What earlier runs of an alert tell whoever has it now: how often, how long, and what people wrote then. Pure. */
export interface PreviousOccurrences {
  /** Runs that are over. */
  readonly count: number
  readonly clusters: number
  /** Of them, on the cluster that is looked at. */
  readonly here: number
  /** Half of them were over in this time; absent without any. */
  readonly medianMs?: number
  readonly longestMs?: number
  readonly oldestFiredAtMs?: number
  readonly acknowledged: number
  /** Those with a note: on this cluster first, then the newest first. */
  readonly noted: readonly NotedOccurrence[]
}

export interface NotedOccurrence extends AlertRun {
  readonly acknowledgedNote: string
  readonly resolvedAtMs: number
}

/**
 * @param runs newest first, those that still fire among them
 * @param cluster that is looked at; absent where nobody looks at one
 */
export function previousOccurrences(runs: readonly AlertRun[], cluster?: string): PreviousOccurrences {
  const over = runs.flatMap((run) =>
    run.resolvedAtMs === undefined ? [] : [{ ...run, resolvedAtMs: run.resolvedAtMs }],
  )
  const lengths = over.map(({ firedAtMs, resolvedAtMs }) => resolvedAtMs - firedAtMs).sort((a, b) => a - b)
  const noted = over.filter((run): run is typeof run & NotedOccurrence => run.acknowledgedNote !== undefined)
  const isHere = (run: AlertRun): boolean => run.cluster === cluster
  return {
    count: over.length,
    clusters: new Set(over.map((run) => run.cluster)).size,
    here: over.filter(isHere).length,
    ...(over.length === 0
      ? {}
      : {
          medianMs: lengths[Math.floor((lengths.length - 1) / 2)]!,
          longestMs: lengths.at(-1)!,
          oldestFiredAtMs: Math.min(...over.map(({ firedAtMs }) => firedAtMs)),
        }),
    acknowledged: over.filter(({ acknowledgedBy }) => acknowledgedBy !== undefined).length,
    noted: [...noted.filter(isHere), ...noted.filter((run) => !isHere(run))],
  }
}
