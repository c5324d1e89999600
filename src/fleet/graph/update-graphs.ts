/** The update graphs of the operators, on the query worker: made of the stored imports, else of the known releases. */
import type { GraphImport, GraphOperator } from '../../model/graph-import.ts'
import type { UpdateGraph } from '../../model/update-graph.ts'
import { compareTexts } from '../version-order.ts'
import { catalogGraph } from './catalog-graph.ts'
import type { Catalog } from './catalog.ts'
import { cincinnatiOf, type CincinnatiGraph } from './cincinnati.ts'
import { graphProblems, type GraphProblem } from './graph-problems.ts'
import { mergedGraph } from './merged-graph.ts'
import { releaseGraph } from './release-graph.ts'

/** An import without its document, and what is irregular in it. */
export type ImportFacts = Omit<GraphImport, 'document'> & { readonly problems: readonly GraphProblem[] }

export interface OperatorGraph {
  readonly graph: UpdateGraph
  /** The newest first; empty: the graph is made of the known releases, or (of OpenShift) there is none. */
  readonly imports: readonly ImportFacts[]
}

export interface UpdateGraphs {
  /** @param versions that clusters run: a skipRange of a catalog reaches them */
  graph(operator: GraphOperator, versions: Iterable<string>): OperatorGraph
  /** What is imported under a channel, as an update service answers it. */
  served(query: ServedQuery): CincinnatiGraph
}

export interface ServedQuery {
  readonly channel: string
  /** Default: amd64, as an update service has it. */
  readonly arch?: string
  /** Absent: of OpenShift when one of its imports has the channel, else of HCO. */
  readonly operator?: GraphOperator
}

interface ReadImport {
  readonly facts: ImportFacts
  graph(versions: Iterable<string>): UpdateGraph
}

export function createUpdateGraphs(stored: readonly GraphImport[]): UpdateGraphs {
  const imports = [...stored]
    .sort((a, b) => b.importedMs - a.importedMs || compareTexts(a.name, b.name))
    .map(readImport)
  const cache = new Map<string, OperatorGraph>()
  const of = (operator: GraphOperator): readonly ReadImport[] =>
    imports.filter(({ facts }) => facts.operator === operator)
  return {
    graph: (operator, versions) => {
      const known = [...new Set(versions)].sort(compareTexts)
      const key = JSON.stringify([operator, ...known])
      let found = cache.get(key)
      if (found === undefined) {
        const own = of(operator)
        const graphs = own.map((one) => one.graph(known))
        const isFromReleases = own.length === 0 && operator === 'kubevirt-hyperconverged'
        const graph = isFromReleases ? releaseGraph(known) : mergedGraph(graphs)
        found = { graph, imports: own.map(({ facts }) => facts) }
        if (cache.size >= CACHED_MAX) cache.clear()
        cache.set(key, found)
      }
      return found
    },
    served: ({ channel, arch = 'amd64', operator }) => {
      const fits = ({ facts }: ReadImport): boolean => facts.arch === undefined || facts.arch === arch
      const graphOf = (one: GraphOperator): UpdateGraph => {
        const own = of(one)
        if (own.length === 0 && one === 'kubevirt-hyperconverged') return releaseGraph()
        return mergedGraph(own.filter(fits).map((read) => read.graph([])))
      }
      if (operator !== undefined) return cincinnatiOf(graphOf(operator), channel)
      const ofPlatform = cincinnatiOf(graphOf('openshift'), channel)
      return ofPlatform.nodes.length > 0 ? ofPlatform : cincinnatiOf(graphOf('kubevirt-hyperconverged'), channel)
    },
  }
}

/** Graphs for different sets of running versions: those of the whole fleet and of scopes. */
const CACHED_MAX = 32

export function importFacts(one: GraphImport): ImportFacts {
  return readImport(one).facts
}

function readImport({ document, ...facts }: GraphImport): ReadImport {
  const read: unknown = JSON.parse(document)
  if (facts.kind === 'graph') {
    const graph = read as UpdateGraph
    return { facts: { ...facts, problems: graphProblems(graph) }, graph: () => graph }
  }
  const catalog = read as Catalog
  return {
    facts: { ...facts, problems: graphProblems(catalogGraph(catalog), catalog) },
    graph: (versions) => catalogGraph(catalog, versions),
  }
}
