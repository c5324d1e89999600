/**
 * Estimates of edges over the upgrades since a moment, cached for the moments that are queried repeatedly, such as a week
 * ago. The EdgeIndex has the runs.
 */
import type { EdgeFacts } from '../../model/stuck.ts'
import { edgeFactsOf, type EdgeName, type EdgeRun } from './edges.ts'

/** Moments whose estimates are cached, least recently used first out: a week and a month, of now and of one hour before. */
export const WINDOWS_CACHED = 4

/** An edge of the EdgeIndex. */
export interface WindowedEdge {
  readonly name: EdgeName
  /** Incremented whenever its runs change. */
  readonly revision: number
  readonly runs: ReadonlyMap<string, readonly EdgeRun[]>
}

export interface EdgeWindows {
  /** Of the runs that started at or after a moment; `undefined`: there are none. */
  facts(edge: WindowedEdge, sinceMs: number): EdgeFacts | undefined
  /** Whether `facts` would have to estimate. */
  isDue(edge: WindowedEdge, sinceMs: number): boolean
}

interface WindowEstimate {
  readonly revision: number
  readonly facts: EdgeFacts | undefined
}

export function createEdgeWindows(): EdgeWindows {
  /** By moment, the last used at the end. The estimates of an edge are released with the edge. */
  const windows = new Map<number, WeakMap<WindowedEdge, WindowEstimate>>()
  const windowOf = (sinceMs: number): WeakMap<WindowedEdge, WindowEstimate> => {
    const window = windows.get(sinceMs) ?? new WeakMap<WindowedEdge, WindowEstimate>()
    windows.delete(sinceMs)
    windows.set(sinceMs, window)
    const [oldest] = windows.keys()
    if (windows.size > WINDOWS_CACHED && oldest !== undefined) windows.delete(oldest)
    return window
  }
  return {
    facts: (edge, sinceMs) => {
      const window = windowOf(sinceMs)
      const known = window.get(edge)
      if (known?.revision === edge.revision) return known.facts
      const runs = runsSince(edge, sinceMs)
      const facts = runs.length === 0 ? undefined : edgeFactsOf(edge.name, runs)
      window.set(edge, { revision: edge.revision, facts })
      return facts
    },
    isDue: (edge, sinceMs) => windowOf(sinceMs).get(edge)?.revision !== edge.revision,
  }
}

/** The runs that started at or after a moment, without those with an unknown start. */
export function runsSince({ runs }: Pick<WindowedEdge, 'runs'>, sinceMs: number): readonly EdgeRun[] {
  const found: EdgeRun[] = []
  for (const ofCluster of runs.values()) {
    for (const run of ofCluster) if ((run.startedMs ?? -Infinity) >= sinceMs) found.push(run)
  }
  return found
}
