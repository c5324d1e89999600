/**
 * Edges over the upgrades that began lately: the estimates of some moments that are asked again and again, such as a week
 * ago. Which runs there are, the index of edges knows; here is what was made of them.
 */
import type { EdgeFacts } from '../../model/stuck.ts'
import { edgeFactsOf } from './edges.ts'
import type { EdgeName, EdgeRun } from './edges.ts'

/** Moments whose estimates are kept, those asked last: a week and a month, of now and of one hour before. */
export const WINDOWS_KEPT = 4

/** An edge as its index keeps it. */
export interface WindowedEdge {
  readonly name: EdgeName
  /** Rises whenever its runs change. */
  readonly revision: number
  readonly runs: ReadonlyMap<string, readonly EdgeRun[]>
}

export interface EdgeWindows {
  /** Of the runs that began at or after a moment; `undefined`: none did. */
  facts(edge: WindowedEdge, sinceMs: number): EdgeFacts | undefined
  /** Whether that would have to be estimated. */
  isDue(edge: WindowedEdge, sinceMs: number): boolean
}

interface WindowEstimate {
  readonly revision: number
  readonly facts: EdgeFacts | undefined
}

export function createEdgeWindows(): EdgeWindows {
  /** By moment, the one asked last at the end. An edge nobody takes any more takes its estimates with it. */
  const windows = new Map<number, WeakMap<WindowedEdge, WindowEstimate>>()
  const windowOf = (sinceMs: number): WeakMap<WindowedEdge, WindowEstimate> => {
    const window = windows.get(sinceMs) ?? new WeakMap<WindowedEdge, WindowEstimate>()
    windows.delete(sinceMs)
    windows.set(sinceMs, window)
    const [oldest] = windows.keys()
    if (windows.size > WINDOWS_KEPT && oldest !== undefined) windows.delete(oldest)
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

/** Those that began at or after a moment; of which nobody knows when it began, not. */
export function runsSince({ runs }: Pick<WindowedEdge, 'runs'>, sinceMs: number): readonly EdgeRun[] {
  const found: EdgeRun[] = []
  for (const ofCluster of runs.values()) {
    for (const run of ofCluster) if ((run.startedMs ?? -Infinity) >= sinceMs) found.push(run)
  }
  return found
}
