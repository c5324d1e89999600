import type { AlertRun } from '../../contract/alert-history.ts'

/** Previous occurrences of an alert: their number, durations, and the notes of acknowledgements. Pure. */
export interface PreviousOccurrences {
  /** Resolved occurrences. */
  readonly count: number
  readonly clusters: number
  /** On the given cluster. */
  readonly here: number
  /** The median duration; absent without resolved occurrences. */
  readonly medianMs?: number
  readonly longestMs?: number
  readonly oldestFiredAtMs?: number
  readonly acknowledged: number
  /** Occurrences with a note: the given cluster first, then newest first. */
  readonly noted: readonly NotedOccurrence[]
}

export interface NotedOccurrence extends AlertRun {
  readonly acknowledgedNote: string
  readonly resolvedAtMs: number
}

/**
 * @param runs newest first, firing ones included
 * @param cluster absent on a page without a cluster
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
