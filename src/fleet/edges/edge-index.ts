/**
 * The in-memory index of all edges: updated cluster by cluster as facts change. The estimates of an edge are cached until
 * its runs change.
 *
 * In a large fleet in which every edge changed, estimating takes half a second. An answer about many edges estimates at most
 * `RUNS_AT_ONCE` runs and returns the previous estimates of the other edges. The evaluation cycle then estimates these edges
 * one by one (`estimateNext`), so they are behind by one cycle at most.
 */
import type { EdgeFacts } from '../../model/stuck.ts'
import type { PhaseName, UpgradeRecord } from '../../model/upgrade.ts'
import { durationRuns, medianRun, runLength, type DurationRun, type DurationRuns } from './duration-runs.ts'
import { compareEdges, type EdgeComparison } from './edge-comparison.ts'
import { edgeFactsOf, edgeNameOf, edgeRunOf, phaseFactsOf, type EdgeName, type EdgeRun } from './edges.ts'
import { createEdgeWindows, runsSince } from './edge-windows.ts'
import { LEARNED_RUNS_MIN } from '../stuck/stuck-baseline.ts'
import { compareVersions, minorOf } from '../version-order.ts'

export interface EdgeQuery {
  readonly operator?: string
  readonly from?: string
  readonly to?: string
  /** Only upgrades that started at or after this time. */
  readonly sinceMs?: number
}

/** Single runs: of one phase, or of the whole upgrade. */
export interface RunQuery extends EdgeQuery {
  readonly phase?: PhaseName
  /** The number of runs to return. */
  readonly limit: number
}

export interface EdgeReader {
  /** By operator, then the newest target first, then the newest origin first. */
  edges(query: EdgeQuery): Promise<readonly EdgeFacts[]>
  edge(name: EdgeName, sinceMs?: number): Promise<EdgeFacts | undefined>
  /** `undefined`: no upgrade on one of the edges, or none since then. */
  compare(first: EdgeName, second: EdgeName, sinceMs?: number): Promise<EdgeComparison | undefined>
  runs(query: RunQuery): Promise<DurationRuns>
  /** The typical durations of phases with which an upgrade on the edge is compared. */
  typical(name: EdgeName): Promise<TypicalPhases>
  /** The run of an edge with which another one is compared; `undefined`: no other run finished. */
  medianRun(name: EdgeName, besidesId: string): Promise<DurationRun | undefined>
}

/** Typical durations of phases: on the edge; if it has few runs, on edges between the same minors; else the operator's newest. */
export interface TypicalPhases {
  readonly learnedFrom: 'edge' | 'minor' | 'fleet'
  readonly phases: EdgeFacts['phases']
}

/** Of all edges of an operator, this many of the newest runs are enough, and take about 5 ms. */
const TYPICAL_RUNS_MAX = 1000

/** Runs that one answer about many edges estimates: about 10 ms (bench edges). */
export const RUNS_AT_ONCE = 3000

/** In memory, on the thread that derives facts. */
export interface EdgeIndex {
  /** Replaces the runs of a cluster. Upgrades with an unknown origin are on no edge. */
  put(cluster: string, records: readonly UpgradeRecord[]): void
  edges(query?: EdgeQuery): readonly EdgeFacts[]
  edge(name: EdgeName, sinceMs?: number): EdgeFacts | undefined
  compare(first: EdgeName, second: EdgeName, sinceMs?: number): EdgeComparison | undefined
  /**
   * Estimates up to `RUNS_AT_ONCE` runs for a query with `sinceMs`; false when nothing is left. The caller calls this until
   * then, and yields in between.
   */
  prepare(query: EdgeQuery): boolean
  /** Estimates the edge whose change is the oldest; false when no estimate is pending. */
  estimateNext(): boolean
  lengths(query: RunQuery): DurationRuns
  typical(name: EdgeName): TypicalPhases
  medianRun(name: EdgeName, besidesId: string): DurationRun | undefined
  /** `revision`: changes whenever the runs of the edge do. */
  runs(): Iterable<{
    readonly name: EdgeName
    readonly runs: Iterable<EdgeRun>
    readonly byCluster: ReadonlyMap<string, readonly EdgeRun[]>
    readonly revision: number
  }>
  /** Incremented whenever an edge changes. */
  revision(): number
  /** A copy without the runs of some clusters. The estimates of unaffected edges are copied. */
  without(clusters: ReadonlySet<string>): EdgeIndex
}

interface Edge {
  readonly name: EdgeName
  /** By cluster. */
  readonly runs: Map<string, readonly EdgeRun[]>
  /** The revision of the index when the runs last changed. */
  revision: number
  /** May be of earlier runs: see `changed`. */
  estimate: EdgeFacts | undefined
}

interface EdgeIndexState {
  readonly edges: Map<string, Edge>
  readonly changed: Set<Edge>
  readonly edgesOfCluster: Map<string, readonly string[]>
}

export function createEdgeIndex(): EdgeIndex {
  return createEdgeIndexFrom({ edges: new Map(), changed: new Set(), edgesOfCluster: new Map() })
}

/** `changed`: edges that changed since their last estimate, the oldest change first. */
function createEdgeIndexFrom({ edges, changed, edgesOfCluster }: EdgeIndexState): EdgeIndex {
  const windows = createEdgeWindows()
  let sorted: readonly Edge[] | undefined
  let revision = 0

  const edgeOf = (key: string, name: EdgeName): Edge => {
    let edge = edges.get(key)
    if (edge === undefined) {
      edges.set(key, (edge = { name, runs: new Map(), revision, estimate: undefined }))
      sorted = undefined
    }
    return edge
  }
  const replace = (key: string, edge: Edge, cluster: string, runs: readonly EdgeRun[] | undefined): void => {
    if (runs === undefined) edge.runs.delete(cluster)
    else edge.runs.set(cluster, runs)
    changed.add(edge)
    edge.revision = ++revision
    if (edge.runs.size > 0) return
    edges.delete(key)
    changed.delete(edge)
    sorted = undefined
  }
  const estimateOf = (edge: Edge): EdgeFacts => {
    if (edge.estimate !== undefined && !changed.has(edge)) return edge.estimate
    changed.delete(edge)
    return (edge.estimate = edgeFactsOf(edge.name, runsOf(edge)))
  }
  const factsOf = (edge: Edge, sinceMs: number | undefined): EdgeFacts | undefined =>
    sinceMs === undefined ? estimateOf(edge) : windows.facts(edge, sinceMs)
  /** An edge without an estimate is always estimated: it is new, and has few runs. */
  const estimatesOf = (many: readonly Edge[]): readonly EdgeFacts[] => {
    let left = RUNS_AT_ONCE
    return many.map((edge) => {
      if (edge.estimate === undefined || !changed.has(edge)) return estimateOf(edge)
      left -= edge.runs.size
      return left >= 0 ? estimateOf(edge) : edge.estimate
    })
  }
  const inOrder = (): readonly Edge[] => (sorted ??= [...edges.values()].sort((a, b) => compareNames(a.name, b.name)))

  return {
    put: (cluster, records) => {
      const now = runsByEdge(records)
      for (const [key, { name, runs }] of now) {
        const edge = edgeOf(key, name)
        // A cluster is derived again whenever any of its data changes; most of its runs stay the same.
        if (JSON.stringify(edge.runs.get(cluster)) !== JSON.stringify(runs)) replace(key, edge, cluster, runs)
      }
      for (const key of edgesOfCluster.get(cluster) ?? []) {
        const edge = edges.get(key)
        if (edge !== undefined && !now.has(key)) replace(key, edge, cluster, undefined)
      }
      if (now.size === 0) edgesOfCluster.delete(cluster)
      else edgesOfCluster.set(cluster, [...now.keys()])
    },
    edges: (query = {}) => {
      const { sinceMs } = query
      const queried = inOrder().filter(({ name }) => fits(name, query))
      if (sinceMs === undefined) return estimatesOf(queried)
      return queried.flatMap((edge) => windows.facts(edge, sinceMs) ?? [])
    },
    edge: (name, sinceMs) => {
      const edge = edges.get(keyOf(name))
      return edge === undefined ? undefined : factsOf(edge, sinceMs)
    },
    compare: (firstName, secondName, sinceMs) => {
      const [first, second] = [firstName, secondName].map((name) => {
        const edge = edges.get(keyOf(name))
        const facts = edge === undefined ? undefined : factsOf(edge, sinceMs)
        if (edge === undefined || facts === undefined) return undefined
        return { facts, runs: sinceMs === undefined ? runsOf(edge) : runsSince(edge, sinceMs) }
      })
      return first === undefined || second === undefined ? undefined : compareEdges(first, second)
    },
    prepare: ({ sinceMs, ...query }) => {
      if (sinceMs === undefined) return false
      let left = RUNS_AT_ONCE
      for (const edge of inOrder()) {
        if (!fits(edge.name, query) || !windows.isDue(edge, sinceMs)) continue
        if (left <= 0) return true
        left -= edge.runs.size
        windows.facts(edge, sinceMs)
      }
      return false
    },
    estimateNext: () => {
      const [edge] = changed
      if (edge !== undefined) estimateOf(edge)
      return changed.size > 0
    },
    lengths: (query) => {
      const { phase, sinceMs = -Infinity, limit } = query
      const found = inOrder()
        .filter(({ name }) => fits(name, query))
        .flatMap((edge) => lengthsOf(edge, sinceMs, phase))
      return durationRuns(found, limit)
    },
    typical: (name) => {
      const edge = edges.get(keyOf(name))
      if (edge !== undefined && countRuns(edge) >= LEARNED_RUNS_MIN) {
        return { learnedFrom: 'edge', phases: estimateOf(edge).phases }
      }
      const ofOperator = inOrder().filter((one) => one.name.operator === name.operator)
      const alike = newestRuns(ofOperator.filter((one) => areBetweenMinors(one.name, name)))
      if (alike.length >= LEARNED_RUNS_MIN) return { learnedFrom: 'minor', phases: phaseFactsOf(alike) }
      return { learnedFrom: 'fleet', phases: phaseFactsOf(newestRuns(ofOperator)) }
    },
    medianRun: (name, besidesId) => {
      const edge = edges.get(keyOf(name))
      return edge && medianRun(lengthsOf(edge, -Infinity).filter(({ id }) => id !== besidesId))
    },
    runs: function* () {
      for (const edge of inOrder())
        yield { name: edge.name, runs: eachRun(edge), byCluster: edge.runs, revision: edge.revision }
    },
    revision: () => revision,
    without: (clusters) => createEdgeIndexFrom(startWithout({ edges, changed, edgesOfCluster }, clusters)),
  }
}

function startWithout(start: EdgeIndexState, clusters: ReadonlySet<string>): EdgeIndexState {
  const edges = new Map<string, Edge>()
  const changed = new Set<Edge>()
  for (const [key, { name, runs: all, estimate, ...edge }] of start.edges) {
    const runs = new Map([...all].filter(([cluster]) => !clusters.has(cluster)))
    if (runs.size === 0) continue
    const isSame = runs.size === all.size && !start.changed.has(start.edges.get(key)!)
    const copy: Edge = { ...edge, name, runs, estimate: isSame ? estimate : undefined }
    edges.set(key, copy)
    if (!isSame) changed.add(copy)
  }
  const edgesOfCluster = new Map([...start.edgesOfCluster].filter(([cluster]) => !clusters.has(cluster)))
  return { edges, changed, edgesOfCluster }
}

function runsByEdge(records: readonly UpgradeRecord[]): ReadonlyMap<string, { name: EdgeName; runs: EdgeRun[] }> {
  const found = new Map<string, { name: EdgeName; runs: EdgeRun[] }>()
  for (const record of records) {
    const name = edgeNameOf(record.upgrade)
    if (name === undefined) continue
    const key = keyOf(name)
    const known = found.get(key)
    if (known === undefined) found.set(key, { name, runs: [edgeRunOf(record)] })
    else known.runs.push(edgeRunOf(record))
  }
  return found
}

function runsOf(edge: Edge): readonly EdgeRun[] {
  return [...edge.runs.values()].flat()
}

function countRuns({ runs }: Edge): number {
  let count = 0
  for (const ofCluster of runs.values()) count += ofCluster.length
  return count
}

/** @param many edges, the newest first */
function newestRuns(many: readonly Edge[]): readonly EdgeRun[] {
  const found: EdgeRun[] = []
  for (const edge of many) {
    for (const run of eachRun(edge)) {
      if (found.length === TYPICAL_RUNS_MAX) return found
      found.push(run)
    }
  }
  return found
}

function areBetweenMinors(a: EdgeName, b: EdgeName): boolean {
  return minorOf(a.from) === minorOf(b.from) && minorOf(a.to) === minorOf(b.to)
}

function lengthsOf({ name, runs }: Edge, sinceMs: number, phase?: PhaseName): readonly DurationRun[] {
  const found: DurationRun[] = []
  for (const [cluster, ofCluster] of runs) {
    for (const run of ofCluster) {
      const { id, nodes, startedMs } = run
      const length = runLength(run, phase)
      if (length === undefined || (startedMs ?? -Infinity) < sinceMs) continue
      found.push({
        ...{ id, cluster, name, ...length },
        ...(nodes === undefined ? {} : { nodes }),
        ...(startedMs === undefined ? {} : { startedMs }),
      })
    }
  }
  return found
}

/** Does not build a list: an edge has as many runs as the fleet has clusters. */
function* eachRun({ runs }: Edge): Iterable<EdgeRun> {
  for (const ofCluster of runs.values()) yield* ofCluster
}

function keyOf({ operator, from, to }: EdgeName): string {
  return `${operator} ${from} ${to}`
}

function fits(name: EdgeName, query: EdgeQuery): boolean {
  return (
    (query.operator ?? name.operator) === name.operator &&
    (query.from ?? name.from) === name.from &&
    (query.to ?? name.to) === name.to
  )
}

function compareNames(a: EdgeName, b: EdgeName): number {
  if (a.operator !== b.operator) return a.operator < b.operator ? -1 : 1
  return compareVersions(b.to, a.to) || compareVersions(b.from, a.from) || (keyOf(a) < keyOf(b) ? -1 : 1)
}
