/** The planner's graph where catalogs or graphs are imported: versions, paths and limits are those that they declare. */
import type { UpdateGraph } from '../../model/update-graph.ts'
import { hcoReleaseOf } from '../derive/hco-release.ts'
import { shortestPath } from '../graph/shortest-path.ts'
import { compareVersions } from '../version-order.ts'
import type { PlanGraph } from './plan-graph.ts'
import { openshiftMinorOf, pairedMinorOf } from '../platform-minor.ts'

/**
 * @param imported of HCO
 * @param known answers for flavours and versions that the imports do not have
 */
export function withImported(imported: UpdateGraph, known: PlanGraph): PlanGraph {
  // A prerelease is no target of a plan.
  const offered = imported.nodes.filter(({ version, channels }) => channels.length > 0 && !version.includes('-'))
  const nodes = new Map(imported.nodes.map((node) => [node.version, node]))
  const flavours = new Set(offered.flatMap(({ version }) => hcoReleaseOf(version)?.flavour ?? []))
  const minors = offered.flatMap(({ version }) => pairedMinorOf(version) ?? [])
  const paths = new Map<string, readonly string[] | undefined>()
  /** Computed once: thousands of clusters have the same version. */
  const pathOf = (from: string, to: string): readonly string[] | undefined => {
    const key = `${from} ${to}`
    if (!paths.has(key))
      paths.set(
        key,
        shortestPath(imported, from, to)?.map((link) => link.to),
      )
    return paths.get(key)
  }
  return {
    ...known,
    versions: (flavour, minor) =>
      flavours.has(flavour)
        ? offered
            .map(({ version }) => version)
            .filter((version) => hcoReleaseOf(version)?.flavour === flavour && pairedMinorOf(version) === minor)
            .sort(compareVersions)
        : known.versions(flavour, minor),
    path: (flavour, from, to) => (nodes.has(from) && nodes.has(to) ? pathOf(from, to) : known.path(flavour, from, to)),
    maxOpenShiftMinor: (version) => {
      const declared = nodes.get(version)?.maxOpenShiftVersion
      return declared === undefined ? known.maxOpenShiftMinor(version) : openshiftMinorOf(declared)
    },
    isComplete: (flavour) => flavours.has(flavour) || known.isComplete(flavour),
    newestMinor: () => Math.max(known.newestMinor(), ...minors),
  }
}
