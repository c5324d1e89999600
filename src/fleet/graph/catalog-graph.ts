/**
 * The update graph of a catalog. An update from X to Y exists in a channel if an entry Y replaces X, skips X, or has X within its
 * skipRange; X need not be in the catalog. Cycles and updates to older versions are part of the graph: `graphProblems` lists
 * them.
 */
import { FleetError } from '../../base/errors.ts'
import type { EdgeVia, GraphEdge, GraphNode, UpdateGraph } from '../../model/update-graph.ts'
import { compareTexts, compareVersions, versionOfCsv } from '../version-order.ts'
import { parseRange } from './blang-range.ts'
import type { Catalog, CatalogChannel } from './catalog.ts'

/** Of one graph: each is a row in memory, and a skipRange over everything makes as many as there are pairs of versions. */
export const EDGES_MAX = 50_000

/**
 * @param versions that may be installed besides those of the catalog: a skipRange reaches them
 * Throws `too_large` for more than `EDGES_MAX` edges.
 */
export function catalogGraph(catalog: Catalog, versions: Iterable<string> = []): UpdateGraph {
  const versionOf = new Map(catalog.bundles.map(({ name, version }) => [name, version]))
  const find = (name: string): string | undefined => versionOf.get(name) ?? versionOfCsv(name)
  const channelsOf = new Map<string, Set<string>>()
  const known = new Set([...catalog.bundles.map(({ version }) => version), ...versions])
  const mentioned = new Set<string>()
  for (const { name, entries } of catalog.channels) {
    for (const entry of entries) {
      const version = find(entry.name)
      if (version === undefined) continue
      known.add(version)
      channelsOf.set(version, (channelsOf.get(version) ?? new Set()).add(name))
      for (const older of [entry.replaces, ...(entry.skips ?? [])]) {
        const from = older === undefined ? undefined : find(older)
        if (from !== undefined) mentioned.add(from)
      }
    }
  }
  const edges = new EdgeSet()
  for (const channel of catalog.channels) addChannel(edges, channel, find, [...known])
  const all = new Set([
    ...channelsOf.keys(),
    ...catalog.bundles.map(({ version }) => version),
    ...mentioned,
    ...edges.origins(),
  ])
  const bundleOf = new Map(catalog.bundles.map((bundle) => [bundle.version, bundle]))
  const nodes = [...all].sort(compareVersions).map((version): GraphNode => {
    const bundle = bundleOf.get(version)
    const deprecated = bundle?.deprecated ?? catalog.deprecated
    return {
      version,
      channels: [...(channelsOf.get(version) ?? [])].sort(compareTexts),
      ...(deprecated === undefined ? {} : { deprecated }),
      ...(bundle?.maxOpenShiftVersion === undefined ? {} : { maxOpenShiftVersion: bundle.maxOpenShiftVersion }),
      ...(bundle === undefined ? {} : { payload: bundle.image ?? bundle.name }),
    }
  })
  const channels = catalog.channels.map(({ name, deprecated, entries }) => {
    const updated = edges.updatedIn(name)
    const heads = new Set(entries.flatMap((entry) => find(entry.name) ?? []).filter((version) => !updated.has(version)))
    const head = heads.size === 1 ? [...heads][0] : undefined
    return { name, ...(deprecated === undefined ? {} : { deprecated }), ...(head === undefined ? {} : { head }) }
  })
  return { nodes, edges: edges.inOrder(nodes), conditionalEdges: [], channels }
}

function addChannel(
  edges: EdgeSet,
  { name, entries }: CatalogChannel,
  find: (bundle: string) => string | undefined,
  known: readonly string[],
): void {
  for (const entry of entries) {
    const to = find(entry.name)
    if (to === undefined) continue
    const add = (from: string | undefined, via: EdgeVia): void => {
      if (from !== undefined && from !== to) edges.add(from, to, via, name)
    }
    if (entry.replaces !== undefined) add(find(entry.replaces), 'replaces')
    for (const skipped of entry.skips ?? []) add(find(skipped), 'skips')
    const isInRange = entry.skipRange === undefined ? undefined : parseRange(entry.skipRange)
    if (isInRange !== undefined) for (const version of known) if (isInRange(version)) add(version, 'skip_range')
  }
}

/** Edges by their two versions: of several reasons for one the first in the order of `EDGE_VIAS` counts. */
class EdgeSet {
  readonly #edges = new Map<string, { from: string; to: string; via: EdgeVia; channels: Set<string> }>()
  readonly #updated = new Map<string, Set<string>>()

  add(from: string, to: string, via: EdgeVia, channel: string): void {
    const key = `${from} ${to}`
    const known = this.#edges.get(key)
    this.#updated.set(channel, (this.#updated.get(channel) ?? new Set()).add(from))
    if (known === undefined) {
      this.#edges.set(key, { from, to, via, channels: new Set([channel]) })
      if (this.#edges.size <= EDGES_MAX) return
      throw new FleetError('too_large', `the catalog has more than ${EDGES_MAX} updates, want at most as many`, {
        hint: 'a skipRange that covers all versions makes an update from each of them',
      })
    }
    if (VIA_ORDER[via] < VIA_ORDER[known.via]) known.via = via
    known.channels.add(channel)
  }

  origins(): readonly string[] {
    return [...this.#edges.values()].map(({ from }) => from)
  }

  /** The versions that a channel updates. */
  updatedIn(channel: string): ReadonlySet<string> {
    return this.#updated.get(channel) ?? new Set()
  }

  /** By origin, then by target, in the order of the nodes. */
  inOrder(nodes: readonly GraphNode[]): readonly GraphEdge[] {
    const place = new Map(nodes.map(({ version }, i) => [version, i]))
    const order = (version: string): number => place.get(version) ?? 0
    return [...this.#edges.values()]
      .map(({ channels, ...edge }) => ({ ...edge, channels: [...channels].sort(compareTexts) }))
      .sort((a, b) => order(a.from) - order(b.from) || order(a.to) - order(b.to))
  }
}

const VIA_ORDER: Readonly<Record<EdgeVia, number>> = { replaces: 0, skips: 1, skip_range: 2, graph: 3 }
