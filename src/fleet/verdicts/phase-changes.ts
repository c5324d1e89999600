/**
 * Which phase of an upgrade takes longer to the version than to others, by how much, on clusters of the same strata. It explains a
 * verdict and makes none: the intervals are for one look, all of them together 95 %. Unfinished phases count as longer than
 * observed.
 */
import type { PhaseName } from '../../model/upgrade.ts'
import type { RatioInterval } from '../../model/rollout-verdict.ts'
import { comparePhases } from '../edges/edges.ts'
import { durationsOf, type Durations } from '../statistics/durations.ts'
import { survivalCurve, survivalQuantile } from '../statistics/kaplan-meier.ts'
import { intervalWidth } from '../statistics/normal.ts'
import { timeRatio, type TimedStratum } from '../statistics/time-ratio.ts'
import type { PhasedRun } from './cohorts.ts'

export interface PhaseSide {
  readonly runs: number
  /** Of these, not finished. */
  readonly censored: number
  /** Absent: fewer than half finished. */
  readonly medianSeconds?: number
}

export interface PhaseChange {
  /** `upgrade`: from its start to its end. */
  readonly phase: PhaseName | 'upgrade'
  readonly canary: PhaseSide
  readonly baseline: PhaseSide
  /** Strata that have both groups; others are not counted. */
  readonly strata: number
  /** How many times as long the canary's take. */
  readonly ratio?: RatioInterval
  /** `slower`, `faster`: all of the interval is. `unknown`: too few to compare. */
  readonly change: 'slower' | 'faster' | 'similar' | 'unknown'
}

/** Fewer canary runs are not compared. */
export const PHASE_RUNS_MIN = 5
const ALPHA = 0.05
/** Sources resolve no shorter time. */
const SECONDS_MIN = 1
/** Equal durations have an interval without width, whose ends are rounded. */
const ROUNDING = 1e-6

/** The whole upgrade first, then phases in their order. */
export function phaseChanges(runs: readonly PhasedRun[]): readonly PhaseChange[] {
  const lengths = new Map<PhaseChange['phase'], StratumLengths>()
  for (const run of runs) {
    if (run.whole !== undefined) addTo(lengths, 'upgrade', run, run.whole.seconds, run.whole.isFinished)
    run.phaseSeconds.forEach((seconds, i) => {
      // People decide when they approve, and what is offered waits for them.
      const name = run.phases.names[i]!
      if (name === 'offered' || name === 'approval') return
      addTo(lengths, name, run, seconds, run.phases.areFinished[i]!)
    })
  }
  const width = intervalWidth(ALPHA / Math.max(1, lengths.size))
  return [...lengths].sort(([a], [b]) => comparePlaces(a, b)).map(([phase, all]) => changeOf(phase, all, width))
}

/** By stratum, group and whether it finished. */
type StratumLengths = Map<string, Record<'canary' | 'baseline', { finished: number[]; censored: number[] }>>

function addTo(
  lengths: Map<PhaseChange['phase'], StratumLengths>,
  phase: PhaseChange['phase'],
  { stratum, isCanary }: PhasedRun,
  seconds: number,
  isFinished: boolean,
): void {
  const strata = lengths.get(phase) ?? (new Map() as StratumLengths)
  lengths.set(phase, strata)
  const groups = strata.get(stratum) ?? {
    canary: { finished: [], censored: [] },
    baseline: { finished: [], censored: [] },
  }
  strata.set(stratum, groups)
  groups[isCanary ? 'canary' : 'baseline'][isFinished ? 'finished' : 'censored'].push(Math.max(SECONDS_MIN, seconds))
}

function changeOf(phase: PhaseChange['phase'], all: StratumLengths, width: number): PhaseChange {
  const strata = [...all.values()].flatMap(({ canary, baseline }): TimedStratum[] => {
    const [first, second] = [canary, baseline].map(({ finished, censored }) => durationsOf(finished, censored))
    return sizeOf(first!) === 0 || sizeOf(second!) === 0 ? [] : [{ first: first!, second: second! }]
  })
  const canary = sideOf(strata.map(({ first }) => first))
  const baseline = sideOf(strata.map(({ second }) => second))
  const ratio = canary.runs < PHASE_RUNS_MIN ? undefined : timeRatio(strata, width)
  const { low = 0, high = Infinity } = ratio ?? {}
  const change =
    ratio === undefined ? 'unknown' : low > 1 + ROUNDING ? 'slower' : high < 1 - ROUNDING ? 'faster' : 'similar'
  return { phase, canary, baseline, strata: strata.length, change, ...(ratio === undefined ? {} : { ratio }) }
}

function sideOf(all: readonly Durations[]): PhaseSide {
  const durations = durationsOf(
    all.flatMap(({ finished }) => [...finished]),
    all.flatMap(({ censored }) => [...censored]),
  )
  const medianSeconds = survivalQuantile(survivalCurve(durations), 0.5)
  return {
    ...{ runs: sizeOf(durations), censored: durations.censored.length },
    ...(medianSeconds === undefined ? {} : { medianSeconds }),
  }
}

function sizeOf({ finished, censored }: Durations): number {
  return finished.length + censored.length
}

function comparePlaces(a: PhaseChange['phase'], b: PhaseChange['phase']): number {
  if (a === 'upgrade' || b === 'upgrade') return a === b ? 0 : a === 'upgrade' ? -1 : 1
  return comparePhases(a, b)
}
