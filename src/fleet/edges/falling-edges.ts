/**
 * Edges on which fewer upgrades succeed than before, or than on other edges to the same version. Of those that ended in the
 * last fortnight, against those that ended earlier on the same edge, or in the same fortnight on the others; believed when
 * both sides have enough and the interval of the difference is below nought, as for two edges beside each other.
 */
import { groupBy } from '../../base/group-by.ts'
import { COMPARED_RUNS_MIN } from './edge-comparison.ts'
import type { EdgeName, EdgeRun } from './edges.ts'
import { newcombeInterval, wilsonInterval } from '../statistics/wilson.ts'
import type { DifferenceInterval } from '../statistics/wilson.ts'

export interface FallingEdge extends EdgeName {
  readonly lately: Outcomes
  readonly against: 'before' | 'other_edges'
  /** What `lately` is held against. */
  readonly other: Outcomes
  readonly difference: DifferenceInterval
}

/** Of upgrades that ended: succeeded, failed, or rolled back. */
export interface Outcomes {
  readonly succeeded: number
  readonly of: number
}

/** An edge with all that took it. */
export interface EdgeOfRuns {
  readonly name: EdgeName
  readonly runs: Iterable<EdgeRun>
}

export const LATELY_MS = 14 * 24 * 60 * 60_000

/** In the order of the edges; of an edge that fell both ways the larger fall. */
export function fallingEdges(edges: Iterable<EdgeOfRuns>, nowMs: number): readonly FallingEdge[] {
  const told = Array.from(edges, ({ name, runs }) => ({ name, ...outcomesOf(runs, nowMs - LATELY_MS) }))
  const byTarget = groupBy(told, ({ name: { operator, to } }) => `${operator} ${to}`)
  return told.flatMap((edge) => {
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
