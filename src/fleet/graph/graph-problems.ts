/** What is irregular in a catalog's graph. It is part of the graph all the same: a repository's mistake must not hide the rest. */
import type { UpdateGraph } from '../../model/update-graph.ts'
import { compareTexts, compareVersions, versionOfCsv } from '../version-order.ts'
import { parseRange } from './blang-range.ts'
import type { Catalog } from './catalog.ts'

export const GRAPH_PROBLEMS = ['cycle', 'backward', 'several_heads', 'no_bundle', 'bad_range'] as const

/**
 * `cycle`: updates that lead back to their start. `backward`: an update to an older version. `several_heads`: a channel with
 * more than one version that nothing updates. `no_bundle`: an entry whose version is not known. `bad_range`: a skipRange that is
 * not in blang's syntax.
 */
export interface GraphProblem {
  readonly kind: (typeof GRAPH_PROBLEMS)[number]
  readonly text: string
}

/** Of one import; further ones are only counted by nobody: the first ones show what is wrong. */
export const PROBLEMS_MAX = 50

export function graphProblems(graph: UpdateGraph, catalog?: Catalog): readonly GraphProblem[] {
  const found = [
    ...(catalog === undefined ? [] : catalogProblems(catalog)),
    ...graph.edges
      .filter(({ from, to }) => compareVersions(to, from) < 0)
      .map(({ from, to, via }): GraphProblem => ({
        kind: 'backward',
        text: `${from} is updated to the older ${to} (${via})`,
      })),
    ...cycles(graph).map((versions): GraphProblem => ({ kind: 'cycle', text: `a cycle over ${versions.join(', ')}` })),
    ...graph.channels.flatMap(({ name, head }): GraphProblem[] => {
      const versions = graph.nodes.filter(({ channels }) => channels.includes(name)).length
      const isOfCatalog = catalog !== undefined
      return !isOfCatalog || head !== undefined || versions === 0
        ? []
        : [{ kind: 'several_heads', text: `channel ${name} has no single head` }]
    }),
  ]
  return found.slice(0, PROBLEMS_MAX)
}

function catalogProblems({ channels, bundles }: Catalog): readonly GraphProblem[] {
  const named = new Set(bundles.map(({ name }) => name))
  return channels.flatMap(({ name, entries }) =>
    entries.flatMap((entry): GraphProblem[] => {
      const isKnown = named.has(entry.name) || versionOfCsv(entry.name) !== undefined
      const range = entry.skipRange
      return [
        ...(isKnown
          ? []
          : [
              {
                kind: 'no_bundle' as const,
                text: `channel ${name}: ${entry.name} has no olm.bundle, so its version is not known`,
              },
            ]),
        ...(range === undefined || parseRange(range) !== undefined
          ? []
          : [
              {
                kind: 'bad_range' as const,
                text: `channel ${name}: ${entry.name} has skipRange ${JSON.stringify(range)}, want blang semver such as ">=1.0.0 <1.1.0"`,
              },
            ]),
      ]
    }),
  )
}

/** Groups of versions that update each other, directly or through others. Tarjan, with a stack of its own: a chain may be long. */
export function cycles({ nodes, edges }: Pick<UpdateGraph, 'nodes' | 'edges'>): readonly (readonly string[])[] {
  const next = new Map<string, string[]>()
  for (const { from, to } of edges) {
    const targets = next.get(from)
    if (targets === undefined) next.set(from, [to])
    else targets.push(to)
  }
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const open = new Set<string>()
  const order: string[] = []
  const found: string[][] = []
  const lower = (version: string, to: number): void => {
    low.set(version, Math.min(low.get(version)!, to))
  }
  for (const { version: start } of nodes) {
    if (index.has(start)) continue
    const visits: { readonly version: string; at: number }[] = []
    const enter = (version: string): void => {
      index.set(version, index.size)
      low.set(version, index.get(version)!)
      order.push(version)
      open.add(version)
      visits.push({ version, at: 0 })
    }
    enter(start)
    for (let visit = visits.at(-1); visit !== undefined; visit = visits.at(-1)) {
      const target = next.get(visit.version)?.[visit.at++]
      if (target !== undefined) {
        if (!index.has(target)) enter(target)
        else if (open.has(target)) lower(visit.version, index.get(target)!)
        continue
      }
      visits.pop()
      const caller = visits.at(-1)
      if (caller !== undefined) lower(caller.version, low.get(visit.version)!)
      if (low.get(visit.version) !== index.get(visit.version)) continue
      const group = order.splice(order.lastIndexOf(visit.version))
      for (const version of group) open.delete(version)
      if (group.length > 1) found.push(group.sort(compareVersions))
    }
  }
  return found.sort((a, b) => compareTexts(a[0]!, b[0]!))
}
