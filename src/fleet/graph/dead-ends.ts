import type { UpdateGraph } from '../../model/update-graph.ts'
import { linksOf } from '../../model/update-graph.ts'
import { compareVersions } from '../version-order.ts'

/**
 * Versions that no update leads away from, though a channel has a newer one of the same major: the newest of a major is no dead
 * end, and no update crosses majors (the community's 1.x never becomes OpenShift's 4.x).
 */
export function deadEnds(graph: UpdateGraph): ReadonlySet<string> {
  const left = new Set(linksOf(graph).flatMap(({ from, to }) => (compareVersions(to, from) > 0 ? [from] : [])))
  const newest = new Map<string, string>()
  for (const { version, channels } of graph.nodes) {
    const known = newest.get(majorOf(version))
    if (channels.length > 0 && (known === undefined || compareVersions(version, known) > 0)) {
      newest.set(majorOf(version), version)
    }
  }
  const isOlder = (version: string): boolean => {
    const last = newest.get(majorOf(version))
    return last !== undefined && compareVersions(version, last) < 0
  }
  return new Set(graph.nodes.map(({ version }) => version).filter((version) => !left.has(version) && isOlder(version)))
}

function majorOf(version: string): string {
  return /^v?(\d+)\./.exec(version)?.[1] ?? version
}
