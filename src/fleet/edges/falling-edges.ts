/**
 * Regressing edges: fewer upgrades succeed than before, or than on other edges to the same version. Upgrades that ended in
 * the last two weeks are compared with earlier ones on the same edge, or with those of the same two weeks on the other
 * edges; an edge regresses when both sides have enough runs and the interval of the difference is below zero.
 */
import { groupBy } from '../../base/group-by.ts'
import { COMPARED_RUNS_MIN } from './edge-comparison.ts'
import type { EdgeName, EdgeRun } from './edges.ts'
import { newcombeInterval, wilsonInterval, type DifferenceInterval } from '../statistics/wilson.ts'

export interface FallingEdge extends EdgeName {
  readonly lately: Outcomes
  readonly against: 'before' | 'other_edges'
  /** What `lately` is compared with. */
  readonly other: Outcomes
  readonly difference: DifferenceInterval
}

/** `of`: upgrades that succeeded, failed, or were rolled back. */
export interface Outcomes {
  readonly succeeded: number
  readonly of: number
}

export interface EdgeOfRuns {
  readonly name: EdgeName
  readonly runs: Iterable<EdgeRun>
}

export const LATELY_MS = 14 * 24 * 60 * 60_000

/** In the order of the edges; of two regressions of one edge the larger. */
export function fallingEdges(edges: Iterable<EdgeOfRuns>, nowMs: number): readonly FallingEdge[] {
  const outcomes = Array.from(edges, ({ name, runs }) => ({ name, ...outcomesOf(runs, nowMs - LATELY_MS) }))
  const byTarget = groupBy(outcomes, ({ name: { operator, to } }) => `${operator} ${to}`)
  return outcomes.flatMap((edge) => {
    const { operator, to } = edge.name
    const others = byTarget.get(`${operator} ${to}`)!.filter((one) => one !== edge)
    const falls = [
      fall(edge.name, edge.lately, 'before', edge.before),
      fall(edge.name, edge.lately, 'other_edges', sumOf(others.map(({ lately }) => lately))),
    ].flatMap((found) => found ?? [])
    return falls.sort((a, b) => a.difference.difference - b.difference.difference).slice(0, 1)
  })
}

function fall(
  name: EdgeName,
  lately: Outcomes,
  against: FallingEdge['against'],
  other: Outcomes,
): FallingEdge | undefined {
  if (Math.min(lately.of, other.of) < COMPARED_RUNS_MIN) return undefined
  const difference = newcombeInterval(
    wilsonInterval(lately.succeeded, lately.of),
    wilsonInterval(other.succeeded, other.of),
  )
  return difference.high < 0 ? { ...name, lately, against, other, difference } : undefined
}

function outcomesOf(
  runs: Iterable<EdgeRun>,
  sinceMs: number,
): { readonly lately: Outcomes; readonly before: Outcomes } {
  const lately = { succeeded: 0, of: 0 }
  const before = { succeeded: 0, of: 0 }
  for (const { state, lastMs } of runs) {
    if (state !== 'succeeded' && state !== 'failed' && state !== 'rolled_back') continue
    const side = lastMs >= sinceMs ? lately : before
    side.of++
    if (state === 'succeeded') side.succeeded++
  }
  return { lately, before }
}

function sumOf(all: readonly Outcomes[]): Outcomes {
  return all.reduce((sum, one) => ({ succeeded: sum.succeeded + one.succeeded, of: sum.of + one.of }), {
    succeeded: 0,
    of: 0,
  })
}
