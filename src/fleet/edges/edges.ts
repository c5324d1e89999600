/**
 * Edges of the upgrade graph, estimated from the upgrades on them: success rate and durations, by phase. Pure, without a
 * clock: an open run is censored at the time when its cluster was last seen.
 *
 * The runs of an edge are plain numbers, so that all upgrades of a large fleet fit in memory and only the edges that changed
 * are estimated again.
 */
import type { DurationEstimate, EdgeFacts } from '../../model/stuck.ts'
import {
  PHASES,
  type PhaseName,
  type Upgrade,
  type UpgradePhase,
  type UpgradeRecord,
  type UpgradeState,
} from '../../model/upgrade.ts'
import { knownSinceMs } from '../past/known-since.ts'
import { durationsOf, type Durations } from '../statistics/durations.ts'
import { medianInterval, survivalCurve, survivalQuantile } from '../statistics/kaplan-meier.ts'
import { wilsonInterval } from '../statistics/wilson.ts'

export interface EdgeRun {
  /** Of the upgrade. */
  readonly id: string
  /** Nodes of the cluster at its start; absent: unknown. */
  readonly nodes?: number
  /** VMs to update when its workload update started; absent: unknown, or none. */
  readonly vms?: number
  readonly state: UpgradeState
  readonly whole?: RunLength
  readonly phases: PhaseShape
  /** The duration of each phase of the shape, or the observed part of it. */
  readonly phaseSeconds: readonly number[]
  readonly startedMs?: number
  /** When anything of it was first seen. */
  readonly begunMs: number
  /** Its end, or when it was last observed. */
  readonly lastMs: number
}

export interface RunLength {
  readonly seconds: number
  /** It succeeded; otherwise the length is censored. */
  readonly isFinished: boolean
}

/** Which phases have a length, and which of them are finished: all runs of a fleet share a few shapes. */
export interface PhaseShape {
  readonly names: readonly PhaseName[]
  readonly areFinished: readonly boolean[]
}

export type EdgeName = Pick<EdgeFacts, 'operator' | 'from' | 'to'>

export function edgeNameOf({ operator, from, to }: Upgrade): EdgeName | undefined {
  return from === undefined ? undefined : { operator, from, to }
}

export function edgeRunOf({ upgrade, detail }: UpgradeRecord): EdgeRun {
  const seenUntilMs = upgrade.endedMs ?? detail.observedUntilMs
  const startedMs = workStartMs(upgrade)
  const whole =
    startedMs === undefined
      ? undefined
      : lengthOf(startedMs, seenUntilMs, upgrade.state === 'succeeded' && upgrade.endedMs !== undefined)
  const phases = upgrade.phases.flatMap((phase) => phaseLength(phase, detail.observedUntilMs))
  const vms = detail.workloads?.outdatedAtStart ?? 0
  return {
    id: upgrade.id,
    ...(upgrade.nodes === undefined ? {} : { nodes: upgrade.nodes }),
    ...(vms === 0 ? {} : { vms }),
    state: upgrade.state,
    phases: shapeOf(phases),
    phaseSeconds: phases.map(([, { seconds }]) => seconds),
    begunMs: knownSinceMs(upgrade, detail),
    lastMs: seenUntilMs,
    ...(whole === undefined ? {} : { whole }),
    ...(upgrade.startedMs === undefined ? {} : { startedMs: upgrade.startedMs }),
  }
}

/** Up to this many shapes are shared; further ones only take more memory. */
const SHAPES_MAX = 10_000
const shapes = new Map<string, PhaseShape>()

function shapeOf(phases: readonly (readonly [PhaseName, RunLength])[]): PhaseShape {
  const key = phases.map(([name, { isFinished }]) => `${name}${isFinished ? '' : '+'}`).join(' ')
  const known = shapes.get(key)
  if (known !== undefined) return known
  const shape = { names: phases.map(([name]) => name), areFinished: phases.map(([, { isFinished }]) => isFinished) }
  if (shapes.size < SHAPES_MAX) shapes.set(key, shape)
  return shape
}

/**
 * When the work started: after the approval, if the upgrade needed one. People take hours to weeks, which would hide the
 * duration of the edge; the phase `approval` has that time.
 */
function workStartMs({ startedMs, phases }: Upgrade): number | undefined {
  if (startedMs === undefined) return undefined
  const approvedMs = phases.find(({ name }) => name === 'approval')?.endedMs
  return approvedMs === undefined ? startedMs : Math.max(startedMs, approvedMs)
}

/** Empty when the start is unknown. */
function phaseLength(phase: UpgradePhase, observedUntilMs: number): (readonly [PhaseName, RunLength])[] {
  const { name, startedMs, endedMs, state } = phase
  if (startedMs === undefined) return []
  const isFinished = state === 'succeeded' && endedMs !== undefined
  return [[name, lengthOf(startedMs, endedMs ?? observedUntilMs, isFinished)]]
}

function lengthOf(startedMs: number, untilMs: number, isFinished: boolean): RunLength {
  return { seconds: Math.max(0, untilMs - startedMs) / 1000, isFinished }
}

export function edgeFactsOf(name: EdgeName, runs: readonly EdgeRun[]): EdgeFacts {
  const count = (state: UpgradeState): number => runs.reduce((sum, run) => sum + (run.state === state ? 1 : 0), 0)
  const [succeeded, failed, rolledBack] = [count('succeeded'), count('failed'), count('rolled_back')]
  const ended = succeeded + failed + rolledBack
  const starts = runs.flatMap(({ startedMs }) => (startedMs === undefined ? [] : [startedMs]))
  return {
    operator: name.operator,
    from: name.from,
    to: name.to,
    attempts: runs.length,
    outcomes: {
      succeeded,
      failed,
      superseded: count('superseded'),
      rolledBack,
      inProgress: count('in_progress'),
      unknown: count('unknown'),
    },
    ...(ended === 0 ? {} : { success: wilsonInterval(succeeded, ended) }),
    duration: estimateOf(wholeDurations(runs)),
    phases: phaseFactsOf(runs),
    ...(starts.length === 0 ? {} : { firstMs: starts.reduce((first, ms) => Math.min(first, ms)) }),
    ...(runs.length === 0 ? {} : { lastMs: runs.reduce((last, run) => Math.max(last, run.lastMs), 0) }),
  }
}

export function phaseFactsOf(runs: readonly EdgeRun[]): EdgeFacts['phases'] {
  return [...phaseDurations(runs)].map(([phase, durations]) => ({ phase, ...estimateOf(durations) }))
}

export function estimateOf(durations: Durations): DurationEstimate {
  const curve = survivalCurve(durations)
  const { low, high } = medianInterval(curve)
  const named = {
    p50Seconds: survivalQuantile(curve, 0.5),
    p90Seconds: survivalQuantile(curve, 0.9),
    p95Seconds: survivalQuantile(curve, 0.95),
    p50LowSeconds: low,
    p50HighSeconds: high,
  }
  const known = Object.fromEntries(Object.entries(named).filter(([, seconds]) => seconds !== undefined))
  const censored = durations.censored.length
  return { runs: durations.finished.length + censored, censored, ...known }
}

export function wholeDurations(runs: readonly EdgeRun[]): Durations {
  const columns: Columns = { finished: [], censored: [] }
  for (const { whole } of runs) if (whole !== undefined) columnOf(columns, whole.isFinished).push(whole.seconds)
  return durationsOf(columns.finished, columns.censored)
}

/** By phase, in the order of the record's phases. */
export function phaseDurations(runs: readonly EdgeRun[]): ReadonlyMap<PhaseName, Durations> {
  const lengths = new Map<PhaseName, Columns>()
  for (const { phases, phaseSeconds } of runs) {
    for (let i = 0; i < phaseSeconds.length; i++) {
      const name = phases.names[i]!
      let columns = lengths.get(name)
      if (columns === undefined) lengths.set(name, (columns = { finished: [], censored: [] }))
      columnOf(columns, phases.areFinished[i]!).push(phaseSeconds[i]!)
    }
  }
  return new Map(
    [...lengths]
      .sort(([a], [b]) => comparePhases(a, b))
      .map(([phase, { finished, censored }]) => [phase, durationsOf(finished, censored)]),
  )
}

interface Columns {
  readonly finished: number[]
  readonly censored: number[]
}

function columnOf(columns: Columns, isFinished: boolean): number[] {
  return isFinished ? columns.finished : columns.censored
}

/** The order of `PHASES`; operands and pools after what they belong to, by name. */
export function comparePhases(a: PhaseName, b: PhaseName): number {
  return rankOf(a) - rankOf(b) || (a < b ? -1 : a > b ? 1 : 0)
}

const RANKS: ReadonlyMap<string, number> = new Map(PHASES.map((phase, rank) => [phase, rank]))

function rankOf(phase: PhaseName): number {
  const rank = RANKS.get(phase)
  return rank ?? (RANKS.get(phase.slice(0, phase.indexOf('.'))) ?? PHASES.length) + 0.5
}
