/**
 * All edges of the fleet, kept while the server runs: fed cluster by cluster as facts change, and estimated when asked, each
 * edge once for as long as its runs stay as they are.
 */
import type { EdgeFacts } from '../model/stuck.ts'
import type { UpgradeRecord } from '../model/upgrade.ts'
import { compareEdges } from './edge-comparison.ts'
import type { EdgeComparison } from './edge-comparison.ts'
import { edgeFactsOf, edgeNameOf, edgeRunOf, wholeDurations } from './edges.ts'
import type { EdgeName, EdgeRun } from './edges.ts'
import { compareVersions } from './version-order.ts'

export interface EdgeQuery {
  readonly operator?: string
  readonly from?: string
  readonly to?: string
}

/** Reading edges: what the API asks. */
export interface EdgeReader {
  /** By operator, then the newest target first, then the newest origin first. */
  edges(query: EdgeQuery): Promise<readonly EdgeFacts[]>
  edge(name: EdgeName): Promise<EdgeFacts | undefined>
  /** `undefined`: one of them was never taken. */
  compare(first: EdgeName, second: EdgeName): Promise<EdgeComparison | undefined>
}

/** The same, at hand: on the thread that keeps it. */
export interface EdgeBook {
  /** Replaces what a cluster's upgrades said. Those without a known origin are on no edge. */
  put(cluster: string, records: readonly UpgradeRecord[]): void
  edges(query?: EdgeQuery): readonly EdgeFacts[]
  edge(name: EdgeName): EdgeFacts | undefined
  compare(first: EdgeName, second: EdgeName): EdgeComparison | undefined
  /** All edges with how long their finished upgrades took, rising; for the series of durations. */
  finished(): readonly { readonly facts: EdgeFacts; readonly finishedSeconds: Float64Array }[]
  /** All that took each edge. */
  runs(): Iterable<{ readonly name: EdgeName; readonly runs: Iterable<EdgeRun> }>
  /** Rises whenever an edge changed. */
  revision(): number
}

interface Edge {
  readonly name: EdgeName
  /** By cluster. */
  readonly runs: Map<string, readonly EdgeRun[]>
  facts: EdgeFacts | undefined
  finishedSeconds: Float64Array | undefined
}

export function createEdgeBook(): EdgeBook {
  const edges = new Map<string, Edge>()
  const edgesOfCluster = new Map<string, readonly string[]>()
  let sorted: readonly Edge[] | undefined
  let revision = 0

  const edgeOf = (key: string, name: EdgeName): Edge => {
    let edge = edges.get(key)
    if (edge === undefined) {
      edges.set(key, (edge = { name, runs: new Map(), facts: undefined, finishedSeconds: undefined }))
      sorted = undefined
    }
    return edge
  }
  const replace = (key: string, edge: Edge, cluster: string, runs: readonly EdgeRun[] | undefined): void => {
    if (runs === undefined) edge.runs.delete(cluster)
    else edge.runs.set(cluster, runs)
    edge.facts = undefined
    edge.finishedSeconds = undefined
    revision++
    if (edge.runs.size > 0) return
    edges.delete(key)
    sorted = undefined
  }
  const factsOf = (edge: Edge): EdgeFacts => (edge.facts ??= edgeFactsOf(edge.name, runsOf(edge)))
  const inOrder = (): readonly Edge[] => (sorted ??= [...edges.values()].sort((a, b) => compareNames(a.name, b.name)))

  return {
    put: (cluster, records) => {
      const now = runsByEdge(records)
      for (const [key, { name, runs }] of now) {
        const edge = edgeOf(key, name)
        // A cluster is derived anew whenever anything of it changed; most of it says the same as before.
        if (JSON.stringify(edge.runs.get(cluster)) !== JSON.stringify(runs)) replace(key, edge, cluster, runs)
      }
      for (const key of edgesOfCluster.get(cluster) ?? []) {
        const edge = edges.get(key)
        if (edge !== undefined && !now.has(key)) replace(key, edge, cluster, undefined)
      }
      if (now.size === 0) edgesOfCluster.delete(cluster)
      else edgesOfCluster.set(cluster, [...now.keys()])
    },
    edges: (query = {}) =>
      inOrder()
        .filter(({ name }) => fits(name, query))
        .map(factsOf),
    edge: (name) => {
      const edge = edges.get(keyOf(name))
      return edge === undefined ? undefined : factsOf(edge)
    },
    compare: (firstName, secondName) => {
      const [first, second] = [edges.get(keyOf(firstName)), edges.get(keyOf(secondName))]
      if (first === undefined || second === undefined) return undefined
      return compareEdges(
        { facts: factsOf(first), runs: runsOf(first) },
        { facts: factsOf(second), runs: runsOf(second) },
      )
    },
    finished: () =>
      inOrder().map((edge) => {
        edge.finishedSeconds ??= wholeDurations(runsOf(edge)).finished
        return { facts: factsOf(edge), finishedSeconds: edge.finishedSeconds }
      }),
    runs: function* () {
      for (const edge of inOrder()) yield { name: edge.name, runs: eachRun(edge) }
    },
    revision: () => revision,
  }
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

/** Without a list of them: an edge has as many as the fleet has clusters. */
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
