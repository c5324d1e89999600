/**
 * Single runs with the size of their cluster, for the plot of durations, and the medians by class of size. Pure.
 */
import type { DurationEstimate } from '../../model/stuck.ts'
import type { PhaseName } from '../../model/upgrade.ts'
import { estimateOf, type EdgeName, type EdgeRun, type RunLength } from './edges.ts'
import { durationsOf } from '../statistics/durations.ts'

export interface DurationRun extends RunLength {
  readonly id: string
  readonly cluster: string
  readonly name: EdgeName
  /** Absent: unknown. */
  readonly nodes?: number
  readonly startedMs?: number
}

/** Upper bounds, inclusive; larger clusters are the last class. Each bound is about three times the previous one. */
export const SIZE_CLASSES = [3, 10, 30, 100, 300] as const

export interface SizeClass extends DurationEstimate {
  /** Inclusive; absent in the class of unknown size. */
  readonly fromNodes?: number
  /** Inclusive; absent: no bound. */
  readonly toNodes?: number
}

export interface DurationRuns {
  /** The newest ones. */
  readonly runs: readonly DurationRun[]
  /** The number of all runs, shown or not. */
  readonly total: number
  /** Over all runs, without empty classes. The class of unknown size is last. */
  readonly classes: readonly SizeClass[]
}

/** The length of the whole upgrade or of one phase; `undefined`: the phase was skipped, or its start is unknown. */
export function runLength({ whole, phases, phaseSeconds }: EdgeRun, phase?: PhaseName): RunLength | undefined {
  if (phase === undefined) return whole
  const i = phases.names.indexOf(phase)
  return i === -1 ? undefined : { seconds: phaseSeconds[i]!, isFinished: phases.areFinished[i]! }
}

/** @param most the number of runs to show */
export function durationRuns(all: readonly DurationRun[], most: number): DurationRuns {
  return { runs: newestOf(all, most), total: all.length, classes: classesOf(all) }
}

function newestOf(all: readonly DurationRun[], most: number): readonly DurationRun[] {
  const startOf = ({ startedMs = -Infinity }: DurationRun): number => startedMs
  return all.toSorted((a, b) => startOf(b) - startOf(a) || (a.id < b.id ? -1 : 1)).slice(0, most)
}

function classesOf(all: readonly DurationRun[]): readonly SizeClass[] {
  const columns = Array.from({ length: SIZE_CLASSES.length + 2 }, () => ({
    finished: [] as number[],
    censored: [] as number[],
  }))
  for (const { nodes, seconds, isFinished } of all) {
    const { finished, censored } = columns[classOf(nodes)]!
    ;(isFinished ? finished : censored).push(seconds)
  }
  return columns.flatMap(({ finished, censored }, i) => {
    if (finished.length + censored.length === 0) return []
    return [{ ...boundsOf(i), ...estimateOf(durationsOf(finished, censored)) }]
  })
}

function classOf(nodes: number | undefined): number {
  if (nodes === undefined) return SIZE_CLASSES.length + 1
  const found = SIZE_CLASSES.findIndex((most) => nodes <= most)
  return found === -1 ? SIZE_CLASSES.length : found
}

function boundsOf(i: number): Pick<SizeClass, 'fromNodes' | 'toNodes'> {
  if (i > SIZE_CLASSES.length) return {}
  const [before, most] = [SIZE_CLASSES[i - 1], SIZE_CLASSES[i]]
  return { fromNodes: (before ?? 0) + 1, ...(most === undefined ? {} : { toNodes: most }) }
}

/** The finished run with the duration nearest to their median; at a tie the newer one. `undefined`: none finished. */
export function medianRun(all: readonly DurationRun[]): DurationRun | undefined {
  const finished = all.filter(({ isFinished }) => isFinished)
  const { p50Seconds } = estimateOf(
    durationsOf(
      finished.map(({ seconds }) => seconds),
      [],
    ),
  )
  if (p50Seconds === undefined) return undefined
  const offOf = ({ seconds }: DurationRun): number => Math.abs(seconds - p50Seconds)
  return newestOf(finished, Infinity).reduce((best, run) => (offOf(run) < offOf(best) ? run : best))
}
